// Shares out the turns of the event loop. Node emits all requests that have arrived in one turn, and
// continues all work whose promises are settled, so what begins together is bounded by the time since
// the first of it; the rest begins in later turns.
// Invariant: work begins in the order of the calls.

/** The clock and the event loop; tests replace it. */
export interface LoopTurns {
  now(): number;
  /** Calls `callback` in the next turn, in the order of the calls. */
  defer(callback: () => void): void;
}

const LOOP_TURNS: LoopTurns = {
  now: () => performance.now(),
  defer: (callback) => void setImmediate(callback),
};

export class TurnQueue {
  readonly #budgetMs: number;
  readonly #turns: LoopTurns;
  readonly #waiting: (() => void)[] = [];
  /** When the turn began its first work; null: it has begun none. */
  #beganAt: number | null = null;

  /** @param budgetMs milliseconds after its first work in which a turn begins more */
  constructor(budgetMs = 0, turns: LoopTurns = LOOP_TURNS) {
    this.#budgetMs = budgetMs;
    this.#turns = turns;
  }

  /** True if work may begin now: nothing waits, and this turn has time. */
  tryBegin(): boolean {
    return this.#waiting.length === 0 && this.#hasTime();
  }

  /** Calls `begin` in a later turn that has time. */
  wait(begin: () => void): void {
    this.#waiting.push(begin);
    this.#turns.defer(this.#beginNext);
  }

  /** Calls `begin` now, or in a later turn. */
  enter(begin: () => void): void {
    if (this.tryBegin()) begin();
    else this.wait(begin);
  }

  /** Resolves at once, or in a later turn. */
  next(): Promise<void> {
    return new Promise((resolve) => this.enter(resolve));
  }

  /** Called once for each that waits, so that the promises that one settles are run before the next. */
  readonly #beginNext = (): void => {
    if (this.#hasTime()) this.#waiting.shift()?.();
    else this.#turns.defer(this.#beginNext);
  };

  #hasTime(): boolean {
    const now = this.#turns.now();
    if (this.#beganAt !== null) return now - this.#beganAt < this.#budgetMs;
    this.#beganAt = now;
    this.#turns.defer(() => {
      this.#beganAt = null;
    });
    return true;
  }
}
