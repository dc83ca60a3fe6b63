// Work in a process of its own, which has one order and gives one answer: a thread inside SQLite cannot
// be ended, and would end the whole process with it.
// Invariant: the process has ended when its work has, in whatever way.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../errors.ts';
import { within } from './abort.ts';
import { type PackedFault, packFault, unpackFault } from './packed-fault.ts';

type Outcome<Answer> = { readonly value: Answer } | { readonly fault: PackedFault };

export interface ChildOptions {
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** What is thrown if it ends without an answer, in one sentence. */
  readonly ended: string;
  /** Time in which it may tidy up after the signal, in milliseconds; by default it is killed at once. */
  readonly graceMs?: number;
}

/**
 * Starts a program, and sends it an order.
 * @param program one that calls `answerParent`
 * @returns its answer
 * @throws what its work throws, Error if it cannot be started, ServiceError `unavailable` if it ends
 */
export async function runInProcess<Answer>(
  program: URL,
  order: object,
  { signal, ended, graceMs = 0 }: ChildOptions,
): Promise<Answer> {
  const child = fork(fileURLToPath(program));
  // After a disconnect on this side there is no event `close`.
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = () => {
    if (child.connected) child.disconnect();
    void within(graceMs, exited, () => child.kill('SIGKILL'));
  };
  try {
    return await new Promise<Answer>((resolve, reject) => {
      child.once('message', (outcome: Outcome<Answer>) => {
        if ('fault' in outcome) reject(unpackFault(outcome.fault));
        else resolve(outcome.value);
      });
      child.once('disconnect', () => reject(new ServiceError('unavailable', ended)));
      child.on('error', reject);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      // One that could not be started may have no channel.
      else if (child.pid !== undefined) child.send(order, (error) => error && reject(error));
    });
  } finally {
    signal.removeEventListener('abort', end);
    if (child.pid !== undefined) await exited;
  }
}

/** Does the one piece of work of this process. Nobody is told of its end if the parent has ended. */
export function answerParent<Order, Answer>(work: (order: Order) => Promise<Answer>): void {
  process.once('message', async (order: Order) => {
    const outcome = await work(order).then(
      (value) => ({ value }),
      (error: unknown) => ({ fault: packFault(error) }),
    );
    if (process.connected) process.send?.(outcome, () => process.disconnect());
  });
}
