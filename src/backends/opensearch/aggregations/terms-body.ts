// `terms`: OpenSearch chooses the buckets that are returned where its choice is the engine's, which a
// user's own request would leave to it, too. Otherwise every bucket is requested, and the engine's
// last phase chooses.
// Invariant: OpenSearch orders ties by ascending key, numbers by value and texts by their UTF-8 bytes,
// as the engine does.
import type { Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import { keyFilter } from '../../../engine/aggregation/keys/key-filter.ts';
import { type BucketOrder, nestedPathOf, type TermsFilter } from '../../../query/aggregation.ts';
import { BUCKETS_MAX } from '../requests/bucket-limit.ts';
import type { Json } from '../requests/query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationScope,
  allTerms,
  type BuildSubAggregations,
  type Terms,
  UNMAPPED_PATH,
} from './aggregation-request.ts';
import { EVERY_ROW, rowsWithoutValue, sourceField } from './aggregation-source.ts';
import { keyedBuckets, needsMissingBucket, type RestRows, withMissing } from './keyed-body.ts';

/** @param form with `minDocCount` 0 the keys of other rows are requested, too */
export function termsRequest(
  form: Terms,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { source, include, exclude, missing, aggregations } = form;
  if (form.minDocCount === 0 && scope.path !== UNMAPPED_PATH) {
    scope.zeroCountTerms.push({ form, scope });
  }
  const field = sourceField(source, scope);
  const separate = needsMissingBucket(source, missing);
  const filters = source.kind === 'strings' ? keyFilters(form) : NO_FILTERS;
  const choice = mayChoose(form, scope, filters) ? choiceOf(form) : null;
  if (choice !== null && form.order.some(({ by }) => by === 'count')) scope.countedTerms.push(form);
  const terms = {
    ...(choice === null ? allTerms(field ?? '') : { field, ...choice }),
    ...filters.body,
    ...(separate || source.kind === 'id' ? {} : withMissing(missing)), // every row has an id
  };
  const body = field === null ? null : { terms };
  let rest: RestRows | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (separate) rest = { key: missing, rows: rowsWithoutValue(source, scope) };
  const completeness = choice === null ? 'all' : form.minDocCount === 1 ? 'top' : 'frequent';
  const request = keyedBuckets(
    name,
    { source, body, rest, completeness },
    aggregations,
    scope,
    build,
  );
  const keeps = keyFilter(include, exclude);
  return {
    aggs: request.aggs,
    read: (answer) => {
      const { buckets, rest: dropped } = request.read(answer);
      for (const key of buckets.keys()) if (keeps?.(key) === false) buckets.delete(key);
      return { kind: 'buckets', buckets, rest: dropped };
    },
  };
}

/**
 * Whether OpenSearch's choice of buckets is the engine's. All are requested where
 * - buckets are merged afterwards (`chooses` of the scope; a bucket for missing values);
 * - values without rows have buckets (`minDocCount` 0), which only a complete list tells;
 * - buckets count elements while the engine orders them by documents (a flattened source);
 * - an `_id` may be shorter than the id that is the key (elements by id);
 * - the order is by a metric: OpenSearch takes other values for rows without one, and rounds sums
 *   otherwise, which may order ties;
 * - keys are filtered in a way that OpenSearch is not sent.
 */
function mayChoose(form: Terms, scope: AggregationScope, filters: KeyFilters): boolean {
  const { source, minDocCount, size, order, include, exclude, missing } = form;
  const isFiltered = include !== undefined || exclude !== undefined;
  return (
    scope.chooses &&
    minDocCount > 0 &&
    size <= BUCKETS_MAX &&
    nestedPathOf(source) === null &&
    !needsMissingBucket(source, missing) &&
    !(source.kind === 'id' && scope.path !== null) &&
    order.every(({ by }) => by !== 'metric') &&
    (!isFiltered || filters.isComplete)
  );
}

/**
 * What the buckets are chosen by. The count of other documents includes those of buckets below the
 * minimum, which the engine leaves out: with a minimum, all buckets that reach it are requested.
 */
function choiceOf({ size, order, minDocCount }: Terms): Json {
  if (minDocCount > 1) {
    return {
      ...{ size: BUCKETS_MAX, order: KEY_ORDER },
      ...{ min_doc_count: minDocCount, shard_min_doc_count: minDocCount },
    };
  }
  // The shard has all buckets, so it need not return more than those of the answer.
  return { size, shard_size: size, order: order.length === 0 ? KEY_ORDER : order.map(orderEntry) };
}

const KEY_ORDER: Json = { _key: 'asc' };

function orderEntry({ by, order }: BucketOrder): Json {
  return { [by === 'count' ? '_count' : '_key']: order };
}

interface KeyFilters {
  readonly body: Json;
  /** Whether OpenSearch filters all keys that the engine would. */
  readonly isComplete: boolean;
}

const NO_FILTERS: KeyFilters = { body: {}, isComplete: false };

/** The keys of texts that OpenSearch leaves out by itself. */
function keyFilters({ include, exclude }: Terms): KeyFilters {
  const [included, excluded] = [include, exclude].map(filterBody);
  return {
    body: {
      ...(included != null && { include: included }),
      ...(excluded != null && { exclude: excluded }),
    },
    isComplete: included !== null && excluded !== null,
  };
}

/** undefined without a filter; null if OpenSearch is not sent it. */
function filterBody(filter: TermsFilter | undefined): string | readonly Key[] | null | undefined {
  if (filter === undefined) return undefined;
  if (filter.kind === 'regexp') return PLAIN_PATTERN.test(filter.pattern) ? filter.pattern : null;
  const texts = filter.values.filter((value) => typeof value === 'string');
  return texts.length > 0 ? texts : null;
}

/** Patterns without the operators that OpenSearch reads otherwise, or may take too long to compile. */
const PLAIN_PATTERN = /^[^&<>~@#"\\{}]+$/;
