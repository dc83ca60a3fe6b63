// Bodies of searches by kind of query, as the service takes them: tests say what is asked and not how it is wrapped.

/** What is sent as JSON. */
export type Body = Record<string, unknown>;

export const dsl = (queryDsl: unknown): Body => ({ queryType: 'DSL', queryDsl });
export const text = (textQuery: Body): Body => ({ queryType: 'TEXT', textQuery });
export const ahead = (typeAheadQuery: Body): Body => ({ queryType: 'TYPEAHEAD', typeAheadQuery });
/** A query string within the accounts of what another one finds. */
export const inner = (query: string, outer = '*'): Body => ({
  query: { query: outer, innerHit: { type: 'accounts', query } },
});
export const calculate = (aggregationsDsl: Body): Body => ({ aggregationsDsl });

/** Below the version: aggregations are read by `aggregate`, queries by `search`. */
export function pathFor(body: Body): string {
  return 'aggregationsDsl' in body || 'aggregations' in body ? 'search/aggregate' : 'search';
}
