// Decides in which turn of the event loop a request begins. When a turn has no time left, further
// requests wait for later turns. The queue is fair (fair-queue.ts): a tenant that sends many small
// requests delays its own, while a request of another tenant waits for about one of them.
// Invariant: each request that enters begins exactly once.
import { type LoopTurns, TurnQueue } from '../../scheduling/turn-queue.ts';
import { FairQueue } from './fair-queue.ts';
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
  readonly #turns: TurnQueue;

  /**
   * @param weightOf the weight of a group: a multiple of the usual share of turns
   * @param turns the clock and the event loop; tests replace them
   */
  constructor(weightOf: (group: string) => number, turns?: LoopTurns) {
    this.#queue = new FairQueue(weightOf);
    this.#turns = new TurnQueue(TURN_MS, turns);
  }

  /**
   * Calls `begin` now, or in a later turn of the event loop. All anonymous requests together count
   * as one tenant, since one attacker may have many addresses.
   */
  enter({ group, member, anonymous }: Party, begin: () => void): void {
    if (this.#turns.tryBegin()) {
      begin();
      return;
    }
    const party = { group: anonymous ? '' : group, member: anonymous ? group : member, anonymous };
    this.#queue.add({ party, begin });
    this.#turns.wait(this.#beginNext);
  }

  /** Called once for each entry of the queue. */
  readonly #beginNext = (): void => {
    const entry = this.#queue.next(() => true);
    if (entry === null) return;
    this.#queue.charge(entry.party.group, REQUEST_MS);
    entry.begin();
  };
}
