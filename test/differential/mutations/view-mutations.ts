// Faults that make a view leak, as changes of one line: a filter that is dropped from a path, a name
// that is not hidden, a statistic that counts. The twin tests must detect each of them.
import type { Mutation } from '../../mutation/with-mutant.ts';

/** A leak, and the part of the path of the test that must fail. */
export type Leak = Mutation & { readonly test: string };

const DIFFERENTIAL = 'test/differential/view-twin';
const CONTRACT = 'test/contract/search-backend.test';
const OVER_HTTP = 'test/api/views.test';

export const LEAKS: readonly Leak[] = [
  {
    test: OVER_HTTP,
    file: 'src/service/views/views-in-force.ts',
    find: 'if (viewsKey(views) === viewsKey(reader.views)) return;',
    replace: 'if (reader.views === null || viewsKey(views) === viewsKey(reader.views)) return;',
    why: 'a stream goes on for a user whom a view restricts since',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: 'visible: documents,',
    replace: '...(documents === MATCH_NONE && { visible: documents }),',
    why: 'plans have no filter at all',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/backends/embedded/searching/query-request.ts',
    find: 'yield* visibleTargets(allTargets);',
    replace: "kind === 'count' ? allTargets : yield* visibleTargets(allTargets);",
    why: 'counts have no filter',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/backends/embedded/searching/query-request.ts',
    find: 'yield* visibleTargets(allTargets);',
    replace: "kind === 'typeahead' ? allTargets : yield* visibleTargets(allTargets);",
    why: 'completed values are those of all documents',
  },
  {
    test: OVER_HTTP,
    file: 'src/backends/embedded/searching/query-request.ts',
    find: 'yield* visibleTargets(allTargets);',
    replace: "kind === 'explain' ? allTargets : yield* visibleTargets(allTargets);",
    why: 'hidden documents are explained',
  },
  {
    test: CONTRACT,
    file: 'src/engine/hits/visible-segments.ts',
    find: 'const key = JSON.stringify(visible);',
    replace: 'const key = visible.kind;',
    why: 'cached rows of one view are taken for those of another',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/engine/hits/visible-segments.ts',
    find: 'visible[word]! &= liveDocs[word]!;',
    replace: 'visible[word]! |= 0;',
    why: 'deleted documents are visible again',
  },
  {
    test: CONTRACT,
    file: 'src/engine/aggregation/bucket/terms.ts',
    find: 'if (!isLive(segmentView, parent === null ? row : parent[row]!)) continue;',
    replace: 'isLive(segmentView, parent === null ? row : parent[row]!);',
    why: 'empty buckets have keys of hidden documents',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: 'if (query.field === CATCH_ALL) return this.#anywhere(query, path);',
    replace: 'if (query.field === CATCH_ALL && path !== null) return this.#anywhere(query, path);',
    why: 'free words find what hidden fields hold',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: 'return this.#hidden.has(query.field) ? MATCH_NONE : query;',
    replace: 'return query;',
    why: 'clauses match hidden fields',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: 'return hidden.has(key.field) ? { ...key, field: NO_FIELD } : key;',
    replace: 'return key;',
    why: 'pages are sorted by hidden fields',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: 'return isHidden ? { ...source, field: NO_FIELD } : source;',
    replace: 'return isHidden ? source : source;',
    why: 'aggregations read hidden fields',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/visible-plan.ts',
    find: "return { kind: 'constantScore', query: matching, boost: wordScore(boost * WORD_SCORE) };",
    replace: 'return { ...matching, boost: wordScore(boost * WORD_SCORE) } as Query;',
    why: 'scores use the statistics of all documents',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/query/visibility/hidden-fields.ts',
    find: 'if (this.#names.has(path.slice(0, dot))) return true;',
    replace: '',
    why: 'what is below a hidden object is visible',
  },
  {
    test: DIFFERENTIAL,
    file: 'src/engine/aggregation/collecting/hit-sources.ts',
    find: 'hidden.length === 0 ? stored',
    replace: 'hidden.length >= 0 ? stored',
    why: 'hits in buckets have hidden members',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/restricted-indexes.ts',
    find: 'if (result.hits.length === 0 || this.#restriction.hidden.names.length === 0) return result;',
    replace: 'if (result.hits.length >= 0) return result;',
    why: 'documents have hidden members',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/visible-bytes.ts',
    find: 'if (!hidden.mayHideBelow(below)) return member;',
    replace: 'return member;',
    why: 'documents have hidden members of visible objects',
  },
  {
    test: 'src/query/visibility/visible-documents.test',
    file: 'src/query/visibility/visible-documents.ts',
    find: 'if (texts.isTimeless) {',
    replace: 'if (texts.isTimeless || true) {',
    why: 'a view of the last days shows those of when it was first asked',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/visible-fields.ts',
    find: 'if (absent.size === 0) return all;',
    replace: 'if (absent.size >= 0) return all;',
    why: 'names that only hidden documents have are known',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/visible-fields.ts',
    find: 'await this.#read(tenantId, documents[index], hidden.visibleMapping(all[index])),',
    replace: 'await this.#read(tenantId, documents[index], all[index]),',
    why: 'names of hidden fields are known',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/visibility.ts',
    find: 'if (views === null)',
    replace: 'if (views === null || views.length > 1)',
    why: 'several views in force are none',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/views/views-in-force.ts',
    find: 'if (view === null) return { name, indices: {}, hide: [] };',
    replace:
      "if (view === null) return { name, indices: { identities: '*', roles: '*' }, hide: [] };",
    why: 'a credential whose view is gone sees everything',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/credentials/credential-bounds.ts',
    find: 'views.push(...listOf(status.view));',
    replace: '',
    why: 'what a restricted user created before is not restricted',
  },
  {
    test: OVER_HTTP,
    file: 'src/service/searching/rows/hit-walk.ts',
    find: 'await indexes.checkReader();',
    replace: '',
    why: 'a stream goes on with a view that was narrowed',
  },
];
