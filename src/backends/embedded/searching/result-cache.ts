// Counts and aggregations that were asked for lately. A key holds tenant, plan and the state of every index asked, so
// a change makes what was kept unreachable; pages of documents are not kept.
// Invariant: what is kept is never changed by whoever got it.
import { type CacheFigures, GenerationCache } from '../../../engine/index/generation-cache.ts';
import { JsonText } from '../../../identity/json/json-text.ts';
import type { Plan } from '../../../query/plan.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';

/** What all answers together may weigh: about their bytes in memory. */
const WEIGHT_MAX = 16 * 2 ** 20;
const VALUE_BYTES = 32;

export class ResultCache {
  readonly #results = new GenerationCache<string, unknown>(WEIGHT_MAX);

  get figures(): CacheFigures {
    return this.#results.figures;
  }

  /** What `compute` comes to, or came to before. */
  async through<Result>(
    what: 'count' | 'search',
    tenantId: string,
    plan: Plan,
    indexes: readonly EmbeddedIndex[],
    compute: () => Promise<Result>,
  ): Promise<Result> {
    const key = keyOf(what, tenantId, plan, indexes);
    const known = this.#results.get(key);
    if (known !== undefined) return known as Result;
    const result = await compute();
    this.#results.add(key, result, key.length + weightOf(result));
    return result;
  }
}

/** A plan's own text, what it was last asked for, and the key of that. */
interface LastKey {
  readonly text: string;
  readonly what: string;
  readonly tenantId: string;
  readonly states: readonly number[];
  readonly key: string;
}

/** A plan that is kept is asked with again, mostly of the same states. */
const LAST = new WeakMap<Plan, LastKey>();

function keyOf(
  what: string,
  tenantId: string,
  plan: Plan,
  indexes: readonly EmbeddedIndex[],
): string {
  const last = LAST.get(plan);
  if (last?.what === what && last.tenantId === tenantId && hasStates(indexes, last.states)) {
    return last.key;
  }
  const states = indexes.map(({ state }) => state);
  const text = last?.text ?? JSON.stringify(plan);
  const key = JSON.stringify([what, tenantId, states]) + text;
  LAST.set(plan, { text, what, tenantId, states, key });
  return key;
}

function hasStates(indexes: readonly EmbeddedIndex[], states: readonly number[]): boolean {
  return indexes.length === states.length && indexes.every(({ state }, at) => state === states[at]);
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (value instanceof JsonText) return VALUE_BYTES + value.bytes.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce((sum, one) => sum + weightOf(one), VALUE_BYTES);
}
