// Cache of counts and aggregations that are asked again. Keys hold the tenant, the plan and the
// state of each index, so entries become unreachable when an index changes; pages of documents are
// not cached. A request that comes once costs a look at a table of hashes: its key, the text of its
// plan, is made when it comes again, and once for a plan that the plan cache repeats.
// Invariant: cached results never change.
import { type CacheFigures, GenerationCache } from '../../../engine/index/generation-cache.ts';
import { JsonText } from '../../../identity/json/json-text.ts';
import type { Plan } from '../../../query/plan.ts';
import { RecentHashes } from '../../../query/recent-hashes.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';

const VALUE_BYTES = 32;

/** What a key has besides the plan. */
interface KeyParts {
  readonly what: 'count' | 'search';
  readonly tenantId: string;
  /** Of the indexes. */
  readonly states: readonly number[];
}

export class ResultCache {
  readonly #results: GenerationCache<string, unknown>;
  readonly #hashes = new RecentHashes();
  /** The last key of each repeated plan. */
  readonly #keys = new WeakMap<Plan, KeyParts & { readonly key: string }>();

  /** @param bytesMax most bytes of all results and their keys, estimated */
  constructor(bytesMax: number) {
    this.#results = new GenerationCache(bytesMax);
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
    const isRepeated = Object.isFrozen(plan);
    if (!isRepeated && !this.#hashes.seen(requestHash)) return await compute();
    const states = indexes.map(({ state }) => state);
    const request = { what, tenantId, states };
    const key = isRepeated ? this.#keyOfRepeated(plan, request) : keyOf(request, plan);
    const cached = this.#results.get(key);
    if (cached !== undefined) return cached as Result;
    const result = await compute();
    this.#results.add(key, result, key.length + weightOf(result));
    return result;
  }

  #keyOfRepeated(plan: Plan, request: KeyParts): string {
    const last = this.#keys.get(plan);
    if (last !== undefined && isSame(last, request)) return last.key;
    const key = keyOf(request, plan);
    this.#keys.set(plan, { key, ...request });
    return key;
  }
}

function keyOf({ what, tenantId, states }: KeyParts, plan: Plan): string {
  return JSON.stringify([what, tenantId, states, plan]);
}

function isSame(one: KeyParts, other: KeyParts): boolean {
  return (
    one.what === other.what &&
    one.tenantId === other.tenantId &&
    one.states.length === other.states.length &&
    one.states.every((state, at) => state === other.states[at])
  );
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (value instanceof JsonText) return VALUE_BYTES + value.bytes.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce((sum, one) => sum + weightOf(one), VALUE_BYTES);
}
