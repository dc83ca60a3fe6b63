// Remembers where the pages of lists end, so that a caller who reads a list page by page, by offset,
// continues after the last object of the page before: a deep page costs as little as the first, and
// what is written or deleted meanwhile neither repeats nor hides another object.
// Invariant: only a hint. A page whose predecessor is not remembered is found by its offset alone.
import { BoundedMap, type CachePolicy } from '../../query/bounded-map.ts';
import type { SortValue } from '../../query/query.ts';

/** Milliseconds from any origin. */
interface Clock {
  now(): number;
}

/** After this time without a page, the next one is found by its offset. */
const FORGOTTEN_MS = 60_000;

interface Walk {
  usedAt: number;
  /** The sort values of the last object before an offset. */
  readonly ends: BoundedMap<number, readonly SortValue[]>;
}

export class ListWalks {
  readonly #clock: Clock;
  /** By caller and list, of all tenants. */
  readonly #walks: BoundedMap<string, Walk>;

  constructor(clock: Clock, policy: CachePolicy = { kept: 1_000 }) {
    this.#clock = clock;
    this.#walks = new BoundedMap(policy);
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
    const isLive = known !== undefined && now - known.usedAt <= FORGOTTEN_MS;
    // A program may read some pages at once.
    const walk = isLive
      ? known
      : this.#walks.add(key, { usedAt: now, ends: new BoundedMap({ kept: 8 }) });
    walk.usedAt = now;
    walk.ends.add(offset, sort);
  }
}
