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

/** Counts how often walks have begun, by key, in all threads. */
export interface WalkBegins {
  add(key: string): { readonly count: number };
  read(key: string): { readonly count: number };
}

/** The begins of a single thread, which forgets a walk when another one begins. */
const OWN_BEGINS: WalkBegins = { add: () => ({ count: 0 }), read: () => ({ count: 0 }) };

interface Walk {
  usedAt: number;
  /** How often walks of its key had begun when it did. */
  readonly begun: number;
  /** The sort values of the last object before an offset. */
  readonly ends: BoundedMap<number, readonly SortValue[]>;
}

export class ListWalks {
  readonly #clock: Clock;
  readonly #begins: WalkBegins;
  /** By caller and list, of all tenants. */
  readonly #walks: BoundedMap<string, Walk>;

  constructor(
    clock: Clock,
    begins: WalkBegins = OWN_BEGINS,
    policy: CachePolicy = { kept: 1_000 },
  ) {
    this.#clock = clock;
    this.#begins = begins;
    this.#walks = new BoundedMap(policy);
  }

  /**
   * The sort values of the object before an offset, or null. Offset 0 begins a new walk.
   * @param key names the caller and everything of the list but its window
   */
  before(key: string, offset: number): readonly SortValue[] | null {
    if (offset === 0) {
      this.#walks.delete(key);
      this.#begins.add(key);
      return null;
    }
    const walk = this.#walks.get(key);
    if (walk === undefined || !this.#isLive(key, walk)) return null;
    return walk.ends.get(offset) ?? null;
  }

  /** Remembers that the object before an offset has these sort values. */
  ended(key: string, offset: number, sort: readonly SortValue[]): void {
    const now = this.#clock.now();
    const known = this.#walks.get(key);
    // A program may read some pages at once.
    const walk =
      known !== undefined && this.#isLive(key, known)
        ? known
        : this.#walks.add(key, {
            ...{ usedAt: now, begun: this.#begins.read(key).count },
            ends: new BoundedMap({ kept: 8 }),
          });
    walk.usedAt = now;
    walk.ends.add(offset, sort);
  }

  /** False for a walk that was not read lately, or since which another thread has begun one. */
  #isLive(key: string, { usedAt, begun }: Walk): boolean {
    return this.#clock.now() - usedAt <= FORGOTTEN_MS && this.#begins.read(key).count === begun;
  }
}
