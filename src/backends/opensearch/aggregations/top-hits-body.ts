// `top_hits`: the sort values and ids of the best rows of a bucket. Their documents are fetched
// once the results are known (named-documents.ts).
// Invariant: ties are in id order, elements of one document in the order of their array.
import type { HitCandidate } from '../../../engine/aggregation/collecting/intermediate.ts';
import type { HitSortKey, MetricAggregation } from '../../../query/aggregation.ts';
import type { SortKey } from '../../../query/query.ts';
import { columnName, encodedPath, numberTypeOf, OWN_ID, STORED } from '../requests/columns.ts';
import { documentId } from '../requests/documents.ts';
import type { Json } from '../requests/query-to-body.ts';
import { sortValueOf } from '../requests/sort-body.ts';
import {
  type AggregationRequest,
  type AggregationResponse,
  type AggregationScope,
  answerAt,
} from './aggregation-request.ts';

type TopHits = Extract<MetricAggregation, { readonly kind: 'topHits' }>;

interface TopHitsResponse {
  readonly total: { readonly value: number };
  readonly hits: readonly {
    /** Of documents that a view confines. */
    readonly _id?: string;
    readonly _nested?: { readonly offset: number };
    readonly sort: readonly unknown[];
  }[];
}

/** The score of documents without a score. */
const NO_SCORE = 1;
const SCORE_ENTRY: Json = { _score: { order: 'desc' } };
const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

export function topHitsRequest(
  { from, size, sort }: TopHits,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  const keys = sort.length === 0 ? [BY_SCORE] : sort;
  const entries: Json[] = [];
  const places = keys.map((key) => {
    const entry = entryOf(key, scope);
    return entry === null ? -1 : entries.push(...entry) - 1;
  });
  const doubles = keys.map((key) => isDouble(key, scope));
  const idAt = entries.push(byId('asc', scope)) - 1;
  const scoreKey = keys.findIndex(({ type }) => type === 'score');
  const scoreAt = places[scoreKey] ?? -1;
  /** If score is not the first sort key, the best score is requested separately. */
  const best = scoreKey > 0 && scoreAt >= 0 ? `${name}s` : null;
  return {
    aggs: {
      [name]: hitsBody(from + size, [...entries, '_doc'], scope),
      ...(best !== null && { [best]: hitsBody(1, [SCORE_ENTRY, '_doc'], scope) }),
    },
    read: (answer) => {
      const { total, hits } = hitsIn(answer, name);
      if (total.value === 0) return undefined;
      const scoreOf = (values: readonly unknown[], at: number): number =>
        at < 0 ? NO_SCORE : Number(values[at]);
      // Documents of other programs may have no id, or that of another document.
      const own = hits.filter(({ _id, sort: values }) => {
        const id = values[idAt] ?? null;
        return id !== null && (_id === undefined || documentId(String(id)) === _id);
      });
      const candidates = own.map(
        (hit): HitCandidate => ({
          target: scope.target,
          view: scope.documents.numberOf(scope.target, String(hit.sort[idAt])),
          row: 0,
          element:
            scope.path === null ? null : { path: scope.path, offset: hit._nested?.offset ?? 0 },
          score: scoreOf(hit.sort, scoreAt),
          sort: sort.map((key, at) => {
            const entry = places[at] ?? -1;
            if (key.type === 'score') return scoreOf(hit.sort, entry);
            if (entry < 0) return null;
            return sortValueOf(key, hit.sort[entry] ?? null, doubles[at] === true);
          }),
        }),
      );
      const [first] = hitsIn(answer, best ?? name).hits;
      const maxScore = scoreOf(first?.sort ?? [], best === null ? scoreAt : 0);
      return { kind: 'hits', total: total.value, maxScore, candidates };
    },
  };
}

/**
 * Scores are read from the sort values: OpenSearch does not return those of elements
 * (`track_scores`).
 */
function hitsBody(
  size: number,
  sort: readonly unknown[],
  { path, documents }: AggregationScope,
): Json {
  // Elements are sorted by the `_id` of their document.
  const withIds = documents.isConfined && path === null;
  const fields = withIds ? {} : { stored_fields: '_none_' };
  return { top_hits: { size: Math.max(1, size), sort, _source: false, ...fields } };
}

function hitsIn(answer: AggregationResponse, name: string): TopHitsResponse {
  return answerAt(answer, name)['hits'] as TopHitsResponse;
}

/** Returns null if all rows tie. */
function entryOf(key: HitSortKey, scope: AggregationScope): Json[] | null {
  if (key.type === 'score') return scope.scored ? [SCORE_ENTRY] : null;
  if (key.type === 'doc') {
    const elements = scope.path === null ? [] : [{ _doc: { order: key.order } }];
    return [byId(key.order, scope), ...elements];
  }
  const field = scope.mapping.fields.get(key.field);
  const below = key.nestedPath ?? null;
  if (field === undefined || field.nested !== (below ?? scope.path)) return null;
  const { order } = key;
  const common = {
    order,
    mode: order === 'asc' ? 'min' : 'max',
    missing: '_last',
    ...(below === null ? {} : { nested: { path: encodedPath(below) } }),
  };
  if (key.type === 'string') {
    const name = columnName(key.field, 'exact');
    return [{ [name]: { ...common, unmapped_type: 'keyword' } }];
  }
  const type = isDouble(key, scope) ? 'double' : 'long';
  return [
    { [columnName(key.field, 'value')]: { ...common, unmapped_type: type, numeric_type: type } },
  ];
}

/** As in sort-body.ts: OpenSearch 3.3 fails to compare a long below a nested path. */
function isDouble({ field, nestedPath }: HitSortKey, { mapping }: AggregationScope): boolean {
  const mapped = mapping.fields.get(field);
  return mapped !== undefined && (nestedPath != null || numberTypeOf(mapped, 'value') === 'double');
}

function byId(order: 'asc' | 'desc', { path }: AggregationScope): Json {
  return { [path === null ? STORED.id : OWN_ID]: order };
}
