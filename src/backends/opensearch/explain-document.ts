// Explains why a document matches a plan or does not, by OpenSearch: one request searches every
// clause, restricted to the document. So OpenSearch itself decides what matches and how it scores.
// Below a nested array a clause is searched in all elements of the document.
// Invariant: the tree has the clauses of the embedded engine's (engine/matching/explanation.ts), in
// the same order.

import { hasScores } from '../../engine/hits/multi-search.ts';
import { innerScope, MOST_ELEMENTS, scoringOf } from '../../engine/matching/explanation.ts';
import type { ScoringScope } from '../../engine/scoring/weight.ts';
import type { Plan } from '../../query/plan.ts';
import {
  type Budget,
  type DocumentExplanation,
  describe,
  type ExplainedClause,
  MAX_TREE_CLAUSES,
} from '../../query/plan-clause.ts';
import { type Part, partsOf } from '../../query/query-parts.ts';
import type { DocumentKey } from '../../service/ports/search-backend.ts';
import { encodedPath, STORED } from './requests/columns.ts';
import { isSharded, type OpenTarget } from './requests/plan-to-body.ts';
import { type Json, queryBody } from './requests/query-to-body.ts';
import type {
  MultiSearchFunction,
  ResponseHit,
  SearchResponse,
} from './requests/search-response.ts';
import { statisticsOf, withStatistics } from './requests/shard-statistics.ts';
import { scoreDetail } from './score-words.ts';

/** The hit of each clause, if it matches the document. */
type ClauseHits = ReadonlyMap<Place, ResponseHit | undefined>;
/** Elements of the document, by path. */
type ElementCounts = ReadonlyMap<string, number>;

/** A clause with the scope it is searched in. */
interface Place {
  readonly part: Part;
  readonly scope: ScoringScope;
  readonly children: readonly Place[];
  readonly omitted: number;
}

/**
 * Returns null if the index of the plan has no such document.
 * @param targets the targets of the plan that have an index
 */
export async function explainDocument(
  targets: readonly OpenTarget[],
  plan: Plan,
  { index, id }: DocumentKey,
  search: MultiSearchFunction,
): Promise<DocumentExplanation | null> {
  const target = targets.find((one) => one.index === index);
  if (target === undefined) return null;
  const scoring = hasScores(targets, plan);
  const scope: ScoringScope = { path: null, scoring, boost: 1 };
  const root = placeOf({ query: target.query, occurrence: 'must' }, scope, {
    left: MAX_TREE_CLAUSES - 1,
  });
  const requests = listOf(root).flatMap((place) => {
    const body = clauseBody(place, target, id);
    return body === null ? [] : [{ place, body }];
  });
  const bodies = [documentBody(target, id), ...requests.map(({ body }) => body)];
  const [document, ...answers] = await search(target, bodies);
  if (document === undefined || document.hits.total?.value === 0) return null;
  const hits = new Map(requests.map(({ place }, at) => [place, answers[at]?.hits.hits[0]]));
  const clauses = clauseOf(root, hits, elementCounts(target, document));
  const { matched, score = null } = clauses;
  return { matched, score, clauses };
}

function placeOf(part: Part, scope: ScoringScope, budget: Budget): Place {
  const parts = partsOf(part.query);
  const shown = parts.slice(0, budget.left);
  budget.left -= shown.length;
  const children = shown.map((one) => placeOf(one, innerScope(part.query, one, scope), budget));
  return { part, scope, children, omitted: parts.length - shown.length };
}

function listOf(place: Place): Place[] {
  return [place, ...place.children.flatMap(listOf)];
}

/** Finds the document and counts its elements below each path. */
function documentBody({ mapping }: OpenTarget, id: string): Json {
  const aggs = mapping.nestedPaths.map((path, at): [string, Json] => [
    `n${at}`,
    { nested: { path: encodedPath(path) } },
  ]);
  return { query: only(id), size: 0, track_total_hits: true, aggs: Object.fromEntries(aggs) };
}

function elementCounts({ mapping }: OpenTarget, { aggregations }: SearchResponse): ElementCounts {
  const counts = mapping.nestedPaths.map((path, at): [string, number] => {
    const rows = aggregations?.[`n${at}`] as { readonly doc_count?: number } | undefined;
    return [path, rows?.doc_count ?? 0];
  });
  return new Map(counts);
}

/** Returns null if the index has no such path. */
function clauseBody({ part, scope }: Place, target: OpenTarget, id: string): Json | null {
  const { mapping } = target;
  const { path, scoring, boost } = scope;
  if (path !== null && !mapping.nestedPaths.includes(path)) return null;
  const own = queryBody(part.query, { mapping, path, boost });
  const clause = path === null ? own : elementsBody(own, path, scoring);
  const isOfShards = scoring && isSharded([target]);
  const statistics = isOfShards ? statisticsOf(part.query, { mapping, path }) : null;
  const scored = scoring
    ? { must: [clause], boost }
    : { must: [{ constant_score: { filter: clause } }] };
  const query = { bool: { ...scored, filter: [only(id)] } };
  return {
    query: statistics === null ? query : withStatistics(query, statistics),
    size: 1,
    _source: false,
    stored_fields: '_none_',
    track_total_hits: false,
    ...(scoring && EXPLAINED.has(part.query.kind) && { explain: true }),
  };
}

/** Kinds whose score is explained in detail. */
const EXPLAINED: ReadonlySet<string> = new Set(['term', 'phrase', 'fuzzy']);
const ELEMENTS = 'elements';

function elementsBody(query: Json, path: string, scoring: boolean): Json {
  return {
    nested: {
      path: encodedPath(path),
      query,
      score_mode: scoring ? 'max' : 'none',
      inner_hits: {
        name: ELEMENTS,
        size: MOST_ELEMENTS,
        sort: ['_doc'],
        _source: false,
        stored_fields: '_none_',
      },
    },
  };
}

function only(id: string): Json {
  return { terms: { [STORED.id]: [id] } };
}

function clauseOf(place: Place, hits: ClauseHits, counts: ElementCounts): ExplainedClause {
  const { part, scope, children, omitted } = place;
  const { query } = part;
  const hit = hits.get(place);
  const score = hit?._score ?? 0;
  const explanation = hit?._explanation;
  const scoring = explanation === undefined ? null : scoreDetail(explanation);
  const elements = hit?.inner_hits?.[ELEMENTS]?.hits.hits.map(({ _nested }) => _nested.offset);
  const shown = children.map((child) => clauseOf(child, hits, counts));
  return {
    ...describe(part),
    matched: hit !== undefined,
    ...(hit !== undefined && scope.scoring && { score, scoring: scoringOf(query, score, scoring) }),
    ...(scope.path !== null && { elements: (elements ?? []).sort((a, b) => a - b) }),
    ...(query.kind === 'nested' && {
      elementCount: scope.path === null ? (counts.get(query.path) ?? 0) : 0,
    }),
    ...(shown.length + omitted > 0 && { children: shown }),
    ...(omitted > 0 && { omitted }),
  };
}
