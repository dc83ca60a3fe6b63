// Decides in which turn of the event loop a request begins. When a turn has no time left, further
// requests wait, and one begins in each later turn. The queue is fair (fair-queue.ts): a tenant
// that sends many small requests delays its own, while a request of another tenant waits for about
// one of them.
// Invariant: each request that enters begins exactly once.
import { FairQueue } from './fair-queue.ts';
import { TurnBudget } from './loop-turns.ts';
import type { Party } from './shares.ts';

interface Entry {
  readonly party: Party;
  readonly begin: () => void;
}

/** Milliseconds after which a turn begins no further request. */
const TURN_MS = 1;
/**
 * Cost charged for a request: few run longer without yielding, and searches are charged by their
 * scheduler.
 */
const REQUEST_MS = 1;

export class Turns {
  readonly #queue: FairQueue<Entry>;
  readonly #budget = new TurnBudget(TURN_MS);

  /** @param weightOf the weight of a group: a multiple of the usual share of turns */
  constructor(weightOf: (group: string) => number) {
    this.#queue = new FairQueue(weightOf);
  }

  /**
   * Calls `begin` now, or in a later turn of the event loop. All anonymous requests together count
   * as one tenant, since one attacker may have many addresses.
   */
  enter({ group, member, anonymous }: Party, begin: () => void): void {
    const party = { group: anonymous ? '' : group, member: anonymous ? group : member, anonymous };
    if (this.#queue.length === 0 && this.#budget.hasTime()) {
      begin();
      return;
    }
    if (this.#queue.length === 0) this.#budget.defer(this.#beginNext);
    this.#queue.add({ party, begin });
  }

  readonly #beginNext = (): void => {
    const entry = this.#queue.next(() => true);
    if (entry === null) return;
    this.#queue.charge(entry.party.group, REQUEST_MS);
    // Before `defer`, so that the turn of the next entry starts with a budget of its own.
    this.#budget.hasTime();
    if (this.#queue.length > 0) this.#budget.defer(this.#beginNext);
    entry.begin();
  };
}
