// What a view makes of a plan, whatever it was planned from: each target is confined to the visible
// documents, nothing refers to a hidden field any more, words without a field are searched in each
// visible field instead of the catch-all, which has the words of hidden ones, and scores use no
// statistics of the index.
// Invariant: the answer to the new plan depends on visible documents and fields alone.
import type { Aggregation, Aggregations, CompositeSource, ValueSource } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { anyOf, MATCH_NONE, matchesNothing, nestedIn } from '../build.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import type { FieldType, Mapping } from '../mapping/mapping.ts';
import type { Plan, Target } from '../plan.ts';
import { CATCH_ALL, type IndexName, type Query, type SortKey } from '../query.ts';
import { type ConstantQuery, expansionOf, mapParts, sizeOf } from '../query-parts.ts';
import type { Steps } from '../steps.ts';
import type { HiddenFields } from './hidden-fields.ts';

/** What is visible of one index. */
export interface VisiblePart {
  /** Of all documents, these. */
  readonly documents: Query;
  /** Without hidden fields. */
  readonly mapping: Mapping;
}

export interface VisibleParts {
  readonly hidden: HiddenFields;
  part(index: IndexName): VisiblePart;
  readonly limits: Pick<QueryLimits, 'maxTerms'>;
}

/**
 * The score of a word, phrase or fuzzy word, without its boost. Any but 1 will do: clauses of boost 1
 * count as filters, which do not rank.
 */
const WORD_SCORE = 2;
/**
 * Scores are multiples of 1/16 and at most 64, so that floats add thousands of them exactly. In what
 * order an engine adds depends on how many documents match each clause, hidden ones included, and a
 * rounded sum would tell.
 */
const SCORE_STEPS = 16;
const SCORE_MAX = 64;
/** Its product with a score is exact too. */
const TIE_BREAKER_STEPS = 4;
/** No document has such a field, so its values are missing. */
const NO_FIELD = '';

/**
 * The plan as a view answers it.
 * @throws ServiceError `limit_exceeded` for a query with too many terms in all visible fields,
 * `request_invalid` for expansions in all of them
 */
export function* visiblePlan(plan: Plan, parts: VisibleParts): Steps<Plan> {
  const targets: Target[] = [];
  for (const target of plan.targets) {
    targets.push(visibleTarget(target, parts));
    yield;
  }
  const sort = plan.sort.map((key) => visibleKey(key, parts.hidden));
  return { ...plan, targets, sort };
}

function visibleTarget(target: Target, parts: VisibleParts): Target {
  const { hidden } = parts;
  const part = parts.part(target.index);
  const { innerHit, typeahead, aggregations } = target;
  const rewriter = new QueryRewriter(part.mapping, hidden);
  const query = rewriter.scored(target.query, null, UNBOOSTED);
  const count = sizeOf(query);
  const { maxTerms } = parts.limits;
  if (count > maxTerms && count > sizeOf(target.query)) {
    const what = 'terms in a query whose words are searched in each field that the view shows';
    throw limitFault('maxTerms', maxTerms, what, { count });
  }
  const showsElements = innerHit === undefined || !hidden.has(innerHit.path);
  const documents = showsElements ? part.documents : MATCH_NONE;
  return {
    index: target.index,
    query,
    ...(innerHit && {
      innerHit: { ...innerHit, query: rewriter.filter(innerHit.query, innerHit.path) },
    }),
    ...(typeahead &&
      !hidden.has(typeahead.field) && {
        typeahead: { ...typeahead, filter: rewriter.filter(typeahead.filter, null) },
      }),
    ...(aggregations && {
      aggregations: new AggregationRewriter(rewriter, hidden).all(aggregations, null),
    }),
    visible: documents,
  };
}

function visibleKey<Key extends SortKey>(key: Key, hidden: HiddenFields): Key {
  return hidden.has(key.field) ? { ...key, field: NO_FIELD } : key;
}

/** What is around a query whose scores count. */
interface Around {
  /** The product of the boosts. */
  readonly boost: number;
  /** Whether a `disMax` that adds other scores is among it: one in another would round. */
  readonly addsTies: boolean;
}

const UNBOOSTED: Around = { boost: 1, addsTies: false };

/** The nearest score that is exact; 0 stays 0. */
function exactScore(score: number): number {
  if (score === 0) return 0;
  const steps = Math.round(Math.min(score, SCORE_MAX) * SCORE_STEPS);
  return Math.max(1, steps) / SCORE_STEPS;
}

/** @param tieBreaker from 0 to 1 */
function exactTieBreaker(tieBreaker: number): number {
  return Math.round(tieBreaker * TIE_BREAKER_STEPS) / TIE_BREAKER_STEPS;
}

/** The same as `exactScore` for a word, which ranks: it is never 1. */
function wordScore(score: number): number {
  const exact = exactScore(score);
  return exact === 1 ? exact + 1 / SCORE_STEPS : exact;
}

/** Rewrites the queries of one index. */
class QueryRewriter {
  readonly #mapping: Mapping;
  readonly #hidden: HiddenFields;

  constructor(mapping: Mapping, hidden: HiddenFields) {
    this.#mapping = mapping;
    this.#hidden = hidden;
  }

  /** A query whose scores may count. All boosts are those of its leaves. */
  scored(query: Query, path: string | null, around: Around): Query {
    const boost = around.boost * ('boost' in query ? (query.boost ?? 1) : 1);
    const inside = { ...around, boost };
    switch (query.kind) {
      case 'matchNone':
        return query;
      case 'term':
      case 'phrase':
      case 'fuzzy': {
        const { boost: _, ...unboosted } = query;
        const matching = this.filter(unboosted, path);
        if (matchesNothing(matching)) return matching;
        return { kind: 'constantScore', query: matching, boost: wordScore(boost * WORD_SCORE) };
      }
      case 'bool': {
        const { boost: _, ...unboosted } = query;
        return mapParts(unboosted, ({ query: part, occurrence }) =>
          occurrence === 'must' || occurrence === 'should'
            ? this.scored(part, path, inside)
            : this.filter(part, path),
        );
      }
      case 'disMax': {
        const tieBreaker = around.addsTies ? 0 : exactTieBreaker(query.tieBreaker);
        const below = { boost, addsTies: around.addsTies || tieBreaker > 0 };
        const queries = query.queries.map((part) => this.scored(part, path, below));
        return { kind: 'disMax', queries, tieBreaker };
      }
      case 'nested': {
        if (this.#hidden.has(query.path)) return MATCH_NONE;
        if (query.scoreMode === 'none') return this.#boosted(query, path, boost);
        // An average would not be exact.
        const scoreMode = query.scoreMode === 'avg' ? 'max' : query.scoreMode;
        const matching = this.scored(query.query, query.path, inside);
        return { kind: 'nested', path: query.path, query: matching, scoreMode };
      }
      default:
        query satisfies ConstantQuery | { readonly kind: 'constantScore' };
        return this.#boosted(query, path, boost);
    }
  }

  /** A query that scores a constant. */
  #boosted(query: Query, path: string | null, boost: number): Query {
    const matching = this.filter(query, path);
    if (matching.kind === 'matchNone' || (boost === 1 && !('boost' in matching))) return matching;
    return { ...matching, boost: exactScore(boost) };
  }

  /** A query that only matches. */
  filter(query: Query, path: string | null): Query {
    if ('field' in query) {
      if (query.field === CATCH_ALL) return this.#anywhere(query, path);
      return this.#hidden.has(query.field) ? MATCH_NONE : query;
    }
    if (query.kind === 'nested' && this.#hidden.has(query.path)) return MATCH_NONE;
    const inside = query.kind === 'nested' ? query.path : path;
    return mapParts(query, (part) => this.filter(part.query, inside));
  }

  /** A query on the catch-all, which all fields of its kind have part in, as one on these fields. */
  #anywhere(query: FieldQuery, path: string | null): Query {
    if (this.#hidden.names.length === 0) return query;
    const type = path === null ? catchAllType(query) : null;
    if (type === null) return MATCH_NONE;
    refuseExpansion(query);
    const byPath = new Map<string | null, Query[]>();
    for (const { path: field, type: fieldType, nested } of this.#mapping.fields.values()) {
      if (fieldType !== type) continue;
      const queries = byPath.get(nested) ?? [];
      queries.push({ ...query, field });
      byPath.set(nested, queries);
    }
    const { boost } = query;
    const matching = anyOf(
      [...byPath].map(([nested, queries]) =>
        nested === null ? anyOf(queries) : nestedIn(nested, anyOf(queries)),
      ),
    );
    return { kind: 'constantScore', query: matching, ...(boost !== undefined && { boost }) };
  }
}

type FieldQuery = Extract<Query, { readonly field: string }>;

/** The type of the fields that a query on the catch-all is about; null: it matches nothing. */
function catchAllType(query: FieldQuery): FieldType | null {
  switch (query.kind) {
    case 'numbers':
    case 'numberRange':
      return query.column === 'value' ? 'long' : null;
    case 'phrase':
      return 'text';
    case 'exists':
      return null;
    default:
      if (query.form === 'exact') return null;
      return query.form === 'word' ? 'text' : 'keyword';
  }
}

/**
 * The nearest or first terms of all visible fields together are those of no field.
 * @throws ServiceError `request_invalid`
 */
function refuseExpansion(query: FieldQuery): void {
  const expansion = expansionOf(query);
  if (expansion === null) return;
  const example = expansion === 'fuzzy words' ? 'word~' : '"anna sm"';
  const what = `${expansion[0]?.toUpperCase()}${expansion.slice(1)}`;
  throw invalid(`${what} need a field where a view hides fields, such as name:${example}`);
}

class AggregationRewriter {
  readonly #queries: QueryRewriter;
  readonly #hidden: HiddenFields;

  constructor(queries: QueryRewriter, hidden: HiddenFields) {
    this.#queries = queries;
    this.#hidden = hidden;
  }

  /** @param path of the rows; null: documents */
  all(aggregations: Aggregations, path: string | null): Aggregations {
    return Object.fromEntries(
      Object.entries(aggregations).map(([name, aggregation]) => [
        name,
        this.#one(aggregation, path),
      ]),
    );
  }

  #one(aggregation: Aggregation, path: string | null): Aggregation {
    switch (aggregation.kind) {
      case 'topHits': {
        const { sort, sourceFilter } = aggregation;
        return {
          ...aggregation,
          sort: sort.map((key) => visibleKey(key, this.#hidden)),
          sourceFilter: sourceFilter && { ...sourceFilter, hidden: this.#hidden.names },
        };
      }
      case 'avg':
      case 'sum':
      case 'min':
      case 'max':
      case 'valueCount':
      case 'cardinality':
      case 'stats':
      case 'extendedStats':
      case 'percentiles':
        return { ...aggregation, source: this.#source(aggregation.source) };
      default:
        return {
          ...this.#bucket(aggregation, path),
          aggregations: this.all(aggregation.aggregations, pathBelow(aggregation, path)),
        };
    }
  }

  #bucket<Bucket extends Extract<Aggregation, { readonly aggregations: Aggregations }>>(
    aggregation: Bucket,
    path: string | null,
  ): Bucket {
    switch (aggregation.kind) {
      case 'filter':
        return { ...aggregation, query: this.#queries.filter(aggregation.query, path) };
      case 'filters': {
        const filters = aggregation.filters.map(({ name, query }) => {
          return { name, query: this.#queries.filter(query, path) };
        });
        return { ...aggregation, filters };
      }
      case 'nested': {
        const { path: array } = aggregation;
        return array !== null && this.#hidden.has(array)
          ? { ...aggregation, path: null }
          : aggregation;
      }
      case 'reverseNested':
      case 'global':
        return aggregation;
      case 'composite': {
        const sources = aggregation.sources.map(
          (one): CompositeSource => ({ ...one, source: this.#source(one.source) }),
        );
        return { ...aggregation, sources };
      }
      default:
        return { ...aggregation, source: this.#source(aggregation.source) };
    }
  }

  #source(source: ValueSource): ValueSource {
    const isHidden = 'field' in source && this.#hidden.has(source.field);
    return isHidden ? { ...source, field: NO_FIELD } : source;
  }
}

/** The path of the rows in the buckets of an aggregation. */
function pathBelow(aggregation: Aggregation, path: string | null): string | null {
  switch (aggregation.kind) {
    case 'nested':
      return aggregation.path;
    case 'reverseNested':
    case 'global':
      return null;
    default:
      return path;
  }
}
