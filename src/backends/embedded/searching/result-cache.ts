// Cache of counts and aggregations that are asked again. Keys hold the tenant, the plan and the
// state of each index, so entries become unreachable when an index changes; pages of documents are
// not cached. A request that comes once costs a look at a table of hashes: its key, the text of its
// plan, is made when it comes again.
// Invariant: cached results never change.
import { ByteCache, type CacheFigures } from '../../../engine/index/byte-cache.ts';
import { JsonText } from '../../../json/json-text.ts';
import type { Plan } from '../../../query/plan.ts';
import { RecentHashes } from '../../../query/recent-hashes.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';

const VALUE_BYTES = 32;

export class ResultCache {
  readonly #results: ByteCache<unknown, string>;
  readonly #hashes = new RecentHashes();

  /** @param bytesMax most bytes of all results and their keys, estimated */
  constructor(bytesMax: number) {
    this.#results = new ByteCache(bytesMax);
  }

  get figures(): CacheFigures {
    return this.#results.figures;
  }

  /**
   * The cached result, or that of `compute`.
   * @param requestHash a hash that equal requests share
   */
  async through<Result>(
    what: 'count' | 'search',
    tenantId: string,
    { plan, requestHash }: { readonly plan: Plan; readonly requestHash: number },
    indexes: readonly EmbeddedIndex[],
    compute: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#hashes.seen(requestHash)) return await compute();
    const states = indexes.map(({ state }) => state);
    const key = JSON.stringify([what, tenantId, states, plan]);
    const cached = this.#results.get(key);
    if (cached !== undefined) return cached as Result;
    const result = await compute();
    this.#results.add(key, result, key.length + weightOf(result));
    return result;
  }
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (value instanceof JsonText) return VALUE_BYTES + value.bytes.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce((sum, one) => sum + weightOf(one), VALUE_BYTES);
}
