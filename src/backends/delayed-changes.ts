// A view of the store for the indexer in which changes appear later, as in the public service, whose
// search shows a change after seconds to minutes. For tests.
// Invariant: changes appear in the order of their sequence.
import { ForwardingStore, withRecords } from '../service/ports/forwarding-store.ts';
import type { DocumentChange, Store } from '../service/ports/store.ts';

/** The delay of each change: a random one between the two. */
export interface IndexDelay {
  readonly leastMs: number;
  readonly mostMs: number;
}

export interface DelayOptions extends IndexDelay {
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** Changes up to `sequence` appear at `due`. */
interface Mark {
  readonly sequence: number;
  readonly due: number;
}

export class DelayedChanges extends ForwardingStore {
  readonly #options: DelayOptions;
  #marks: Mark[] = [];
  /** The last change that appeared, and the last that has a mark. */
  #shown = 0;
  #marked = 0;

  constructor(store: Store, options: DelayOptions) {
    super(store, {
      read: withRecords(store.read, {
        changesAfter: (after, limit) => this.#changesAfter(after, limit),
      }),
    });
    this.#options = options;
  }

  /** Shows all changes so far: preparations of a test are not delayed. */
  async showAll(): Promise<void> {
    this.#shown = await this.inner.read.lastSequence();
    this.#marked = Math.max(this.#marked, this.#shown);
    this.#marks = this.#marks.filter(({ sequence }) => sequence > this.#shown);
  }

  async #changesAfter(after: number, limit: number): Promise<readonly DocumentChange[]> {
    await this.#mark();
    const now = this.#options.now();
    while (this.#marks[0] !== undefined && this.#marks[0].due <= now) {
      this.#shown = Math.max(this.#shown, this.#marks[0].sequence);
      this.#marks.shift();
    }
    const changes = await this.inner.read.changesAfter(after, limit);
    return changes.filter(({ sequence }) => sequence <= this.#shown);
  }

  /**
   * Gives the changes that were written since the last mark a time to appear. Each write makes the
   * indexer ask for changes.
   */
  async #mark(): Promise<void> {
    const sequence = await this.inner.read.lastSequence();
    if (sequence <= this.#marked) return;
    this.#marked = sequence;
    const { leastMs, mostMs, random, now } = this.#options;
    const due = now() + leastMs + random() * (mostMs - leastMs);
    this.#marks.push({ sequence, due: Math.max(due, this.#marks.at(-1)?.due ?? 0) });
  }
}
