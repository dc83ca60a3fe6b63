// The turns of the event loop. Node emits all requests that have arrived in one turn, so what they
// start together must be bounded by the time since the first of them.

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

/** The time that work may begin in one turn. */
export class TurnBudget {
  readonly #turns: LoopTurns;
  readonly #budgetMs: number;
  /** When the turn began its first work; null: it has begun none. */
  #beganAt: number | null = null;

  /** @param budgetMs milliseconds after its first work in which a turn begins more */
  constructor(budgetMs: number, turns: LoopTurns = LOOP_TURNS) {
    this.#budgetMs = budgetMs;
    this.#turns = turns;
  }

  /** True if work may begin in this turn, as the first work of a turn always may. */
  hasTime(): boolean {
    const now = this.#turns.now();
    if (this.#beganAt === null) {
      this.#beganAt = now;
      this.#turns.defer(() => {
        this.#beganAt = null;
      });
    }
    return now - this.#beganAt < this.#budgetMs;
  }

  /** Calls `callback` in the next turn, in the order of the calls. */
  defer(callback: () => void): void {
    this.#turns.defer(callback);
  }
}
