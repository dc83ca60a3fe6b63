// The calls of one process to a fake store or search, with injected faults: a call can fail before
// or after it takes effect, be slow, or take effect after it has failed.
import { ServiceError } from '../../src/errors.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The calls of the indexers to a store and a search. */
export type CallName =
  | 'changesAfter'
  | 'lastSequence'
  | 'storeHistory'
  | 'purgedSequence'
  | 'coveredSequence'
  | 'clear'
  | 'apply'
  | 'refresh'
  | 'commit'
  | 'committedSequence'
  | 'ping';

/** A fault of one call. */
export type Fault =
  /** It fails and has no effect. */
  | { readonly kind: 'refused' }
  /** It takes effect, but its response is lost. */
  | { readonly kind: 'answerLost' }
  /** Part of it takes effect, then it fails; same as `refused` for a call without parts. */
  | { readonly kind: 'partial' }
  /** It takes effect and responds after this delay. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** It fails at once, and takes effect after this delay. */
  | { readonly kind: 'late'; readonly ms: number };

/** The effect of a call. */
export interface Effect<T> {
  whole(): T;
  /** The first part, for calls that have parts. */
  part?(): void;
}

/** The latency of a call. */
const LATENCY_MS = 1;
/** Time until a ping of an isolated process fails. */
const PING_TIMEOUT_MS = 200;

export class FaultyCalls {
  readonly #time: VirtualTime;
  readonly #faults = new Map<CallName, Fault[]>();
  #isolated = false;
  #dead = false;
  #healing: (() => void)[] = [];
  /** True if requests in flight arrive after their process has died. */
  readonly #outliveProcess: boolean;

  constructor(time: VirtualTime, options: { readonly outliveProcess: boolean }) {
    this.#time = time;
    this.#outliveProcess = options.outliveProcess;
  }

  /** Queues a fault for the next call of that name. */
  fail(name: CallName, fault: Fault): void {
    const faults = this.#faults.get(name);
    if (faults === undefined) this.#faults.set(name, [fault]);
    else faults.push(fault);
  }

  /** Makes calls hang, including those in flight, and pings fail, until `heal`. */
  isolate(): void {
    this.#isolated = true;
  }

  /** Ends the isolation and drops queued faults. */
  heal(): void {
    this.#faults.clear();
    this.#isolated = false;
    for (const resume of this.#healing.splice(0)) resume();
  }

  /** Kills the process: no call responds any more. */
  kill(): void {
    this.#dead = true;
    this.heal();
  }

  async run<T>(name: CallName, effect: Effect<T>): Promise<T> {
    if (this.#dead) return never();
    const fault = this.#faults.get(name)?.shift();
    await this.#arrive(fault?.kind === 'slow' ? fault.ms : 0);
    if (this.#dead && !this.#outliveProcess) return never();
    const outcome = this.#outcome(name, effect, fault);
    if (!this.#dead) return outcome;
    outcome.catch(() => {}); // The process that made the call is dead.
    return never();
  }

  async ping(): Promise<void> {
    if (this.#dead) return never();
    const refused = this.#faults.get('ping')?.shift() !== undefined;
    await this.#time.sleep(this.#isolated ? PING_TIMEOUT_MS : LATENCY_MS);
    if (this.#dead) return never();
    if (this.#isolated || refused) throw failure('ping');
  }

  async #outcome<T>(name: CallName, effect: Effect<T>, fault: Fault | undefined): Promise<T> {
    switch (fault?.kind) {
      case 'refused':
        throw failure(name);
      case 'partial':
        effect.part?.();
        throw failure(name);
      case 'answerLost':
        effect.whole();
        throw failure(name);
      case 'late':
        void this.#arrive(fault.ms).then(() => {
          if (!this.#dead || this.#outliveProcess) effect.whole();
        });
        throw failure(name);
      case 'slow':
      case undefined:
        return effect.whole();
    }
  }

  async #arrive(extraMs: number): Promise<void> {
    await this.#time.sleep(LATENCY_MS + extraMs);
    while (this.#isolated) await new Promise<void>((resolve) => this.#healing.push(resolve));
  }
}

function failure(name: string): ServiceError {
  return new ServiceError('unavailable', `${name} failed`);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
