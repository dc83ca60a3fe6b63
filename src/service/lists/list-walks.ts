// Remembers where the pages of lists end, so that a caller who reads a list page by page, by offset,
// continues after the last object of the page before: a deep page costs as little as the first, and
// what is written or deleted meanwhile neither repeats nor hides another object.
// Invariant: only a hint. A page whose predecessor is not remembered is found by its offset alone.
import type { SortValue } from '../../query/query.ts';

/** Milliseconds from any origin. */
interface Clock {
  now(): number;
}

/** Most walks that are remembered, of all tenants. */
const WALKS_MAX = 1_000;
/** Ends that are remembered of a walk: a program may read some pages at once. */
const ENDS_MAX = 8;
/** After this time without a page, the next one is found by its offset. */
const FORGOTTEN_MS = 60_000;

interface Walk {
  usedAt: number;
  /** The sort values of the last object before an offset. */
  readonly ends: Map<number, readonly SortValue[]>;
}

export class ListWalks {
  readonly #clock: Clock;
  readonly #walksMax: number;
  /** By caller and list, the least recently used first. */
  readonly #walks = new Map<string, Walk>();

  constructor(clock: Clock, walksMax = WALKS_MAX) {
    this.#clock = clock;
    this.#walksMax = walksMax;
  }

  /**
   * The sort values of the object before an offset, or null. Offset 0 begins a new walk.
   * @param key names the caller and everything of the list but its window
   */
  before(key: string, offset: number): readonly SortValue[] | null {
    if (offset === 0) {
      this.#walks.delete(key);
      return null;
    }
    const walk = this.#walks.get(key);
    if (walk === undefined || this.#clock.now() - walk.usedAt > FORGOTTEN_MS) return null;
    return walk.ends.get(offset) ?? null;
  }

  /** Remembers that the object before an offset has these sort values. */
  ended(key: string, offset: number, sort: readonly SortValue[]): void {
    const now = this.#clock.now();
    const known = this.#walks.get(key);
    this.#walks.delete(key);
    const isLive = known !== undefined && now - known.usedAt <= FORGOTTEN_MS;
    const walk = isLive ? known : { usedAt: now, ends: new Map<number, readonly SortValue[]>() };
    walk.usedAt = now;
    walk.ends.delete(offset);
    walk.ends.set(offset, sort);
    removeFirst(walk.ends, ENDS_MAX);
    this.#walks.set(key, walk);
    removeFirst(this.#walks, this.#walksMax);
  }
}

/** Removes the oldest entries of a map beyond `most`. */
function removeFirst<Key>(map: Map<Key, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
