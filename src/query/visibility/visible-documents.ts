// The documents that views show of one index, as a query. Every request needs it, so a query is kept as
// long as the mapping stays, unless it depends on the time; then its clauses are.
// Invariant: what cannot be planned shows nothing.
import { ServiceError } from '../../errors.ts';
import { BoundedMap } from '../bounded-map.ts';
import { bool, MATCH_ALL, MATCH_NONE } from '../build.ts';
import { UTC } from '../dates/time-zone.ts';
import { assemble } from '../language/assembly.ts';
import { parseQueryString } from '../language/query-string.ts';
import { RequestTexts } from '../language/request-texts.ts';
import type { Clause } from '../language/syntax.ts';
import type { QueryLimits } from '../limits.ts';
import { withOtherNames } from '../mapping/former-event-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';

/** Of texts of all tenants, and of queries of a mapping. */
const TEXTS = { kept: 512, keyMax: 16 * 1024 };

export class VisibleDocuments {
  readonly #limits: QueryLimits;
  readonly #clauses = new BoundedMap<string, readonly Clause[]>(TEXTS);
  readonly #queries = new WeakMap<Mapping, BoundedMap<string, Query>>();

  constructor(limits: QueryLimits) {
    this.#limits = limits;
  }

  /**
   * The documents that match all of the queries.
   * @param queries one for each view; undefined for a view that shows nothing of the index
   * @param mapping of the index, with its hidden fields: a view may select by what it hides
   * @param now epoch milliseconds
   */
  of(queries: readonly (string | undefined)[], mapping: Mapping, now: number): Query {
    const filters: Query[] = [];
    for (const text of queries) {
      if (text === undefined) return MATCH_NONE;
      if (text.trim() === '*') continue;
      const filter = this.#matching(text, mapping, now);
      if (filter.kind === 'matchNone') return filter;
      filters.push(filter);
    }
    return filters.length === 0 ? MATCH_ALL : bool({ filter: filters });
  }

  #matching(text: string, mapping: Mapping, now: number): Query {
    const kept = this.#queries.get(mapping) ?? new BoundedMap<string, Query>(TEXTS);
    const known = kept.get(text);
    if (known !== undefined) return known;
    const texts = new RequestTexts(now, UTC);
    const query = this.#assembled(text, mapping, texts);
    if (texts.isTimeless) {
      kept.add(text, query);
      this.#queries.set(mapping, kept);
    }
    return query;
  }

  #assembled(text: string, mapping: Mapping, texts: RequestTexts): Query {
    const limits = this.#limits;
    try {
      const clauses = this.#clauses.getOrCreate(text, () => parseQueryString(text, limits));
      const query = assemble(clauses, mapping, { texts, limits, defaultFields: [] });
      return withOtherNames(query, mapping);
    } catch (error) {
      // It could be planned when it was written; a limit or the type of a field has changed since.
      if (error instanceof ServiceError) return MATCH_NONE;
      throw error;
    }
  }
}
