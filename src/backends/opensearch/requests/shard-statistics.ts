// Scores by the statistics of all shards, also of those without a match. OpenSearch collects the
// statistics of the terms of a query shard by shard. But where a shard cannot match a required part,
// such as a range of dates, it first replaces the query by one without terms, and the terms of a phrase
// are counted only in shards that have all of them. So the terms are repeated in a second clause, which
// matches nothing and which no shard replaces.
// Invariant: what matches does not change.
import type { Query } from '../../../query/query.ts';
import { type ConstantQuery, partsOf } from '../../../query/query-parts.ts';
import { STORED } from './columns.ts';
import { type Json, type QueryScope, queryBody } from './query-to-body.ts';

/** No document has an empty id. */
const NOTHING: Json = { term: { [STORED.id]: '' } };

/**
 * A clause without matches that has the scored terms of a query; null if the query itself has them
 * in every shard.
 */
export function statisticsOf(query: Query, scope: QueryScope): Json | null {
  const terms = termsOf(query);
  if (terms.length === 0 || !mayLoseTerms(query)) return null;
  const should = terms.map((term) => queryBody(term, scope));
  return { bool: { filter: [NOTHING], should } };
}

/** The body of a query, which scores by the statistics of all shards. */
export function withAllStatistics(query: Query, scope: QueryScope): Json {
  const body = queryBody(query, scope);
  const statistics = statisticsOf(query, scope);
  return statistics === null ? body : withStatistics(body, statistics);
}

/** The body of a query with the clause of its statistics. */
export function withStatistics(body: Json, statistics: Json): Json {
  return { bool: { should: [body, statistics], minimum_should_match: 1 } };
}

/** The queries below one that score by statistics; the words of a phrase one by one. */
function termsOf(query: Query): Query[] {
  switch (query.kind) {
    case 'term':
    case 'fuzzy':
      return [query];
    case 'phrase':
      return query.terms.map((value) => ({
        ...{ kind: 'term', field: query.field, form: 'word', value },
      }));
    case 'nested':
      return query.scoreMode === 'none' ? [] : termsOf(query.query);
    case 'constantScore':
      return [];
    default:
      query satisfies ConstantQuery | { readonly kind: 'bool' | 'disMax' };
      return partsOf(query)
        .filter(({ occurrence }) => occurrence === 'must' || occurrence === 'should')
        .flatMap((part) => termsOf(part.query));
  }
}

/** Whether a query has terms beside a part that each match must have. */
function mayLoseTerms(query: Query): boolean {
  if (query.kind === 'phrase') return query.terms.length > 1;
  if (query.kind === 'constantScore') return false;
  const parts = partsOf(query).filter(({ occurrence }) => occurrence !== 'mustNot');
  const required = query.kind === 'bool' ? query.must.length + query.filter.length : 0;
  return (required > 0 && parts.length > 1) || parts.some((part) => mayLoseTerms(part.query));
}
