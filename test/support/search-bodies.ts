// Builds search bodies by query type, so that tests contain only the query.

/** A JSON body. */
export type Body = Record<string, unknown>;

export const dsl = (queryDsl: unknown): Body => ({ queryType: 'DSL', queryDsl });
export const text = (textQuery: Body): Body => ({ queryType: 'TEXT', textQuery });
export const ahead = (typeAheadQuery: Body): Body => ({ queryType: 'TYPEAHEAD', typeAheadQuery });
/** A query string on the accounts of the matches of another one. */
export const inner = (query: string, outer = '*'): Body => ({
  query: { query: outer, innerHit: { type: 'accounts', query } },
});
export const calculate = (aggregationsDsl: Body): Body => ({ aggregationsDsl });

/** The path below the version: `aggregate` for aggregations, `search` for queries. */
export function pathFor(body: Body): string {
  return 'aggregationsDsl' in body || 'aggregations' in body ? 'search/aggregate' : 'search';
}
