// The calls that one process makes to a fake store or search, with faults: a call can fail before or after it took effect,
// take long, or take effect after its caller was told that it failed.
import { ServiceError } from '../../src/errors.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The calls that the indexers make, of a store and of a search. */
export type CallName =
  | 'changesAfter'
  | 'lastSequence'
  | 'apply'
  | 'refresh'
  | 'commit'
  | 'committedSequence'
  | 'ping';

/** What happens to one call. */
export type Fault =
  /** It fails and has no effect. */
  | { readonly kind: 'refused' }
  /** It takes effect, but the answer is lost. */
  | { readonly kind: 'answerLost' }
  /** A part of it takes effect, then it fails; as `refused` where it has no parts. */
  | { readonly kind: 'partial' }
  /** It takes effect and answers after so long. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** It fails at once, and takes effect after so long. */
  | { readonly kind: 'late'; readonly ms: number };

/** What a call does when it arrives. */
export interface Effect<T> {
  whole(): T;
  /** The first part of it, of calls that have parts. */
  part?(): void;
}

/** A call on its way takes so long. */
const LATENCY_MS = 1;
/** A ping of an isolated process fails after so long. */
const PING_TIMEOUT_MS = 200;

export class FaultyCalls {
  readonly #time: VirtualTime;
  readonly #faults = new Map<CallName, Fault[]>();
  #isolated = false;
  #dead = false;
  #healing: (() => void)[] = [];
  /** Requests of a dead process that are on their way still arrive; false: they end with it. */
  readonly #outliveProcess: boolean;

  constructor(time: VirtualTime, options: { readonly outliveProcess: boolean }) {
    this.#time = time;
    this.#outliveProcess = options.outliveProcess;
  }

  /** The next call of that name fails so; those told earlier come first. */
  fail(name: CallName, fault: Fault): void {
    const faults = this.#faults.get(name);
    if (faults === undefined) this.#faults.set(name, [fault]);
    else faults.push(fault);
  }

  /** From now on calls hang, those on their way too, and pings fail, until `heal`. */
  isolate(): void {
    this.#isolated = true;
  }

  /** Ends isolation and forgets faults that did not happen yet. */
  heal(): void {
    this.#faults.clear();
    this.#isolated = false;
    for (const go of this.#healing.splice(0)) go();
  }

  /** Ends the process: no call answers any more. */
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
    outcome.catch(() => {}); // The process that would hear of it is gone.
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
