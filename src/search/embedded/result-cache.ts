// Counts and aggregations that were asked for lately. A key holds tenant, plan and the state of every index asked, so
// a change makes what was kept unreachable; pages of documents are not kept.
// Invariant: what is kept is never changed by whoever got it.
import { GenerationCache } from '../../engine/index/generation-cache.ts';
import { JsonText } from '../../identity/json-text.ts';
import type { Plan } from '../../query/plan.ts';
import type { EmbeddedIndex } from './embedded-index.ts';

/** What all answers together may weigh: about their bytes in memory. */
const WEIGHT_MAX = 16 * 2 ** 20;
const VALUE_BYTES = 32;

export class ResultCache {
  readonly #results = new GenerationCache<string, unknown>(WEIGHT_MAX);

  /** What `compute` comes to, or came to before. */
  async through<Result>(
    what: 'count' | 'search',
    tenantId: string,
    plan: Plan,
    indexes: readonly EmbeddedIndex[],
    compute: () => Promise<Result>,
  ): Promise<Result> {
    const states = indexes.map(({ state }) => state);
    const key = JSON.stringify([what, tenantId, states]) + textOf(plan);
    const known = this.#results.get(key);
    if (known !== undefined) return known as Result;
    const result = await compute();
    this.#results.add(key, result, key.length + weightOf(result));
    return result;
  }
}

/** A plan that is kept is asked with again. */
const TEXTS = new WeakMap<Plan, string>();

function textOf(plan: Plan): string {
  let text = TEXTS.get(plan);
  if (text === undefined) {
    text = JSON.stringify(plan);
    TEXTS.set(plan, text);
  }
  return text;
}

function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (value instanceof JsonText) return VALUE_BYTES + value.bytes.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce((sum, one) => sum + weightOf(one), VALUE_BYTES);
}
