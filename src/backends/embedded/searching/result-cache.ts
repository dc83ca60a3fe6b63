// Cache of counts and aggregations that are asked again, until one of their indexes changes: an entry
// belongs to the views of each, and its key holds their states. Pages of documents are not cached. A request that comes once costs a look at a table of hashes: its key, the text of its
// plan, is made when it comes again.
// Invariant: cached results never change.
import type { ByteCache } from '../../../engine/sections/byte-cache.ts';
import type { SegmentView } from '../../../engine/sections/segment.ts';
import { JsonText } from '../../../json/json-text.ts';
import type { Plan } from '../../../query/plan.ts';
import { RecentHashes } from '../../../query/recent-hashes.ts';

const VALUE_BYTES = 32;

/** An index, as of one moment. */
interface IndexState {
  /** Never changed in place. */
  readonly views: readonly SegmentView[];
  /** A number that no other views of any index have. */
  readonly state: number;
}

export class ResultCache {
  readonly #results: ByteCache<unknown, string>;
  readonly #hashes = new RecentHashes();

  /** @param results whose owner closes the section of views that an index has no longer */
  constructor(results: ByteCache<unknown, string>) {
    this.#results = results;
  }

  /**
   * The cached result, or that of `compute`.
   * @param requestHash a hash that equal requests share
   */
  async through<Result>(
    what: 'count' | 'search',
    tenantId: string,
    { plan, requestHash }: { readonly plan: Plan; readonly requestHash: number },
    indexes: readonly IndexState[],
    compute: () => Promise<Result>,
  ): Promise<Result> {
    if (indexes.length === 0 || !this.#hashes.seen(requestHash)) return await compute();
    const sections = indexes.map(({ views }) => this.#results.sectionOf(views));
    const states = indexes.map(({ state }) => state);
    const key = JSON.stringify([what, tenantId, states, plan]);
    const cached = sections[0]?.get(key);
    if (cached !== undefined) return cached as Result;
    const result = await compute();
    this.#results.add(sections, key, result, key.length + weightOf(result));
    return result;
  }
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (value instanceof JsonText) return VALUE_BYTES + value.bytes.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce((sum, one) => sum + weightOf(one), VALUE_BYTES);
}
