// What searches compute of immutable segments and later searches reuse. Each thread that searches has
// one; two engines in a process share nothing.
// Invariants: cached values never change. What has a key belongs to segments and goes when one of them
// is dropped; everything else is held by what it was derived from. A key cannot mean two values: those
// of tables and fields hold `numberOf` them.
import { HASH_START, hashText } from '../../query/fnv-hash.ts';
import { ObjectNumbers } from '../../query/object-numbers.ts';
import { RecentHashes } from '../../query/recent-hashes.ts';
import { ByteCache, type CacheFigures } from '../sections/byte-cache.ts';
import type { Segment, SegmentView } from '../sections/segment.ts';

/** Default limit in bytes. */
const BYTES_MAX = 128 * 2 ** 20;
/** Number of keys whose uses are counted: those of some hundred searches. */
const COUNTED_MAX = 32_768;

/** The segments of one index at one moment, and the cache for searches in them. */
export interface IndexSegments {
  /** Never changed in place: statistics are cached by this array. */
  readonly views: readonly SegmentView[];
  readonly cache: QueryCache;
}

/** A segment as the owner of entries. */
export type EntryOwner = Pick<Segment, 'name'>;

/** A kind of entries with keys, which share the limit of the cache. */
export class KeyedPart<Value> {
  readonly name: string;
  /** With which the hashes of its keys begin. */
  readonly hash: number;
  /** Only its type is used. */
  declare readonly value: Value;

  /** @param name unique among all parts */
  constructor(name: string) {
    this.name = name;
    this.hash = hashText(HASH_START, name);
  }
}

/** What is computed of an object once and kept as long as the object. */
export class DerivedPart<Owner extends object, Value> {
  readonly create: (owner: Owner) => Value;

  constructor(create: (owner: Owner) => Value) {
    this.create = create;
  }
}

/** What all requests share. */
class SharedEntries {
  readonly entries: ByteCache<unknown, string>;
  readonly uses = new RecentHashes(COUNTED_MAX);
  readonly derived = new Map<unknown, WeakMap<object, unknown>>();
  readonly numbers = new ObjectNumbers();

  constructor(bytesMax: number) {
    this.entries = new ByteCache(bytesMax);
  }
}

export class QueryCache {
  readonly #shared: SharedEntries;
  /** What only this request uses; null for the cache itself. */
  readonly #ofRequest: Map<string, unknown> | null;

  /**
   * @param limit bytes of all entries with keys, 0 for none; or the cache of which this is the view of
   * one request
   */
  constructor(limit: number | QueryCache = BYTES_MAX) {
    const isView = limit instanceof QueryCache;
    this.#shared = isView ? limit.#shared : new SharedEntries(limit);
    this.#ofRequest = isView ? new Map() : null;
  }

  /** The same cache, with entries of its own that end with the request. */
  forRequest(): QueryCache {
    return new QueryCache(this);
  }

  /** Figures of the entries with keys. */
  get figures(): CacheFigures {
    return this.#shared.entries.figures;
  }

  /** Changes the limit of the entries with keys. */
  limit(bytesMax: number): void {
    this.#shared.entries.limit(bytesMax);
  }

  get<Value>(part: KeyedPart<Value>, owner: EntryOwner, key: string): Value | undefined {
    return this.#shared.entries.sectionOf(owner).get(part.name + key) as Value | undefined;
  }

  /** True if an entry of this size would be cached. */
  takes(bytes: number): boolean {
    return this.#shared.entries.takes(bytes);
  }

  /**
   * Caches a value until one of its owners is dropped.
   * @param bytes size of the value
   */
  add<Value>(
    part: KeyedPart<Value>,
    owners: readonly EntryOwner[],
    key: string,
    { value, bytes }: { readonly value: Value; readonly bytes: number },
  ): void {
    const { entries } = this.#shared;
    const sections = owners.map((owner) => entries.sectionOf(owner));
    entries.add(sections, part.name + key, value, bytes + 2 * key.length);
  }

  /** Removes the entries of a segment. A search that still runs in it adds none. */
  drop(owner: EntryOwner): void {
    this.#shared.entries.sectionOf(owner).close();
  }

  /** The value of this request alone; created on first use, outside of requests on each use. */
  ofRequest<Value>({ name }: KeyedPart<Value>, key: string, create: () => Value): Value {
    const values = this.#ofRequest;
    let value = values?.get(name + key) as Value | undefined;
    if (value === undefined) {
      value = create();
      values?.set(name + key, value);
    }
    return value;
  }

  /**
   * Counts a use of a key, so that values are cached only of what repeats. Keeps a hash of the key and
   * no object, as one for each new key would survive until the next collection of old garbage.
   * @returns the number of its recent uses with this one, at most 65,535
   */
  countUse({ hash }: KeyedPart<unknown>, key: string): number {
    return this.#shared.uses.use(hashText(hash, key));
  }

  /** The value that a part has of an object; created on first use. */
  of<Owner extends object, Value>(part: DerivedPart<Owner, Value>, owner: Owner): Value {
    const { derived } = this.#shared;
    let values = derived.get(part);
    if (values === undefined) {
      values = new WeakMap();
      derived.set(part, values);
    }
    let value = values.get(owner) as Value | undefined;
    if (value === undefined) {
      value = part.create(owner);
      values.set(owner, value);
    }
    return value;
  }

  /** The one value of a part that depends on no object. */
  single<Value>(part: DerivedPart<object, Value>): Value {
    return this.of(part, this.#shared);
  }

  /** A number that no other object has, for keys that do not keep the object in memory. */
  numberOf(object: object): number {
    return this.#shared.numbers.numberOf(object);
  }
}
