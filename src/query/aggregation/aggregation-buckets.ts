// Reads the bucket aggregations that group rows by term, by query or by nesting level.

import type { BucketOrder, TermsFilter } from '../aggregation.ts';
import { invalid, isScalar } from '../body.ts';
import { objectOf, type Parameters } from '../dsl/dsl-parameters.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { withPlace } from '../fault-place.ts';
import { withCaret } from '../language/caret.ts';
import { parseRegexp } from '../language/regexp.ts';
import { limitFault } from '../limits.ts';
import { ROOT } from '../mapping/field-names.ts';
import { COMPOSITE } from './aggregation-composite.ts';
import { HISTOGRAMS } from './aggregation-histograms.ts';
import { bucketOrder } from './aggregation-order.ts';
import { RANGES } from './aggregation-ranges.ts';
import { type AggregationReader, fieldParameter, missingParameter } from './aggregation-reader.ts';
import { missingFor } from './aggregation-source.ts';

const DEFAULT_SIZE = 10;
const MAX_INT32 = 2_147_483_647;
const BY_COUNT: readonly BucketOrder[] = [{ by: 'count', order: 'desc' }];

const terms: AggregationReader = {
  parameters: ['field', 'size', 'min_doc_count', 'order', 'missing', 'include', 'exclude'],
  read: (parameters, { scope }, { clauses }, children) => {
    const field = fieldParameter(parameters);
    const { maxBuckets } = clauses.limits;
    const size = parameters.integer('size', 1, MAX_INT32) ?? DEFAULT_SIZE;
    if (size > maxBuckets) throw limitFault('maxBuckets', maxBuckets, 'buckets in one terms');
    const minDocCount = parameters.integer('min_doc_count', 0, MAX_INT32) ?? 1;
    const order = bucketOrder(parameters, BY_COUNT, children, clauses.limits);
    const missing = missingParameter(parameters);
    const include = termsFilter(parameters, 'include', clauses);
    const exclude = termsFilter(parameters, 'exclude', clauses);
    return (target, aggregations) => {
      const source = target.source(field, 'any', scope, parameters.pathOf('field'));
      const replacement = missing === undefined ? undefined : { value: missing };
      return {
        kind: 'terms',
        source,
        size,
        minDocCount,
        order,
        ...(replacement && {
          missing: missingFor(source, replacement.value, parameters.pathOf('missing'), clauses),
        }),
        ...(include && { include: include(source.kind === 'numbers') }),
        ...(exclude && { exclude: exclude(source.kind === 'numbers') }),
        aggregations,
      };
    };
  },
};

/**
 * Reads `include` or `exclude`: a regular expression or a list of values; numbers allow only a
 * list.
 */
function termsFilter(
  parameters: Parameters,
  name: string,
  { limits }: ClauseReader,
): ((numeric: boolean) => TermsFilter) | undefined {
  const value = parameters.get(name);
  const place = parameters.pathOf(name);
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    if (value.length > limits.maxRegexLength) {
      throw limitFault('maxRegexLength', limits.maxRegexLength, `characters in ${name}`);
    }
    withPlace(place, () => withCaret(value, () => parseRegexp(value)));
    return (numeric) => {
      if (numeric) throw invalid(`${place}: expected a list of values for numbers and dates`);
      return { kind: 'regexp', pattern: value };
    };
  }
  if (!Array.isArray(value) || !value.every((item) => isScalar(item) && item !== null)) {
    throw invalid(`${place}: expected a regular expression or a list of values`);
  }
  if (value.length > limits.maxTerms) throw limitFault('maxTerms', limits.maxTerms, 'terms');
  return (numeric) => ({
    kind: 'values',
    values: value.map((item) => (numeric ? numberOf(item, place) : String(item))),
  });
}

function numberOf(item: unknown, place: string): number {
  if (item === true || item === 'true') return 1;
  if (item === false || item === 'false') return 0;
  const value = typeof item === 'string' && /^\d{4}-/.test(item) ? Date.parse(item) : Number(item);
  if (Number.isFinite(value)) return value;
  throw invalid(`${place}: ${JSON.stringify(String(item).slice(0, 60))} is not a number`);
}

const filters: AggregationReader = {
  parameters: ['filters', 'other_bucket', 'other_bucket_key'],
  read: (parameters, { scope }, { clauses }) => {
    const value = parameters.required('filters');
    const place = parameters.pathOf('filters');
    const keyed = !Array.isArray(value);
    const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
      ? value.map((clause, at) => [String(at), clause] as const)
      : Object.entries(objectOf(value, place));
    if (entries.length === 0) throw invalid(`${place}: expected at least one query`);
    const queries = entries.map(([name, clause]) => ({
      name,
      query: clauses.clause(clause, keyed ? `${place}.${name.slice(0, 60)}` : `${place}[${name}]`),
    }));
    const key = parameters.string('other_bucket_key');
    const other =
      (parameters.boolean('other_bucket') ?? key !== undefined) ? (key ?? '_other_') : null;
    if (keyed && entries.some(([name]) => name === other)) {
      throw invalid(
        `${place}.${other?.slice(0, 60)}: has the name of the bucket for all other documents`,
      );
    }
    return ({ dsl }, aggregations) => ({
      kind: 'filters',
      filters: queries.map(({ name, query }) => ({ name, query: query(dsl, scope) })),
      keyed,
      other,
      aggregations,
    });
  },
};

const nested: AggregationReader = {
  parameters: ['path'],
  childScope: (parameters) => ({ nested: parameters.requiredText('path') }),
  read: (parameters, { scope }) => {
    const path = parameters.requiredText('path');
    return (target, aggregations) => {
      const hasPath = scope.nested === null && target.mapping.nestedPaths.includes(path);
      return { kind: 'nested', path: hasPath ? path : null, aggregations };
    };
  },
};

const reverseNested: AggregationReader = {
  parameters: ['path'],
  childScope: () => ROOT,
  read: (parameters, { scope }) => {
    if (scope.nested === null) throw invalid(`${parameters.path}: is only allowed inside nested`);
    if (parameters.has('path')) {
      throw invalid(
        `${parameters.pathOf('path')}: is not allowed, because there is one level of nesting`,
      );
    }
    return (_, aggregations) => ({ kind: 'reverseNested', aggregations });
  },
};

const missing: AggregationReader = {
  parameters: ['field'],
  read: (parameters, { scope }) => {
    const field = fieldParameter(parameters);
    return (target, aggregations) => {
      const source = target.source(field, 'any', scope, parameters.pathOf('field'));
      return { kind: 'missing', source, aggregations };
    };
  },
};

const global: AggregationReader = {
  parameters: [],
  childScope: () => ROOT,
  read: (parameters, { depth }) => {
    if (depth > 1) throw invalid(`${parameters.path}: is only allowed at the top level`);
    return (_, aggregations) => ({ kind: 'global', aggregations });
  },
};

/** Readers by the type name of the request. */
export const BUCKETS: Readonly<Record<string, AggregationReader>> = {
  terms,
  filters,
  nested,
  reverse_nested: reverseNested,
  missing,
  global,
  ...RANGES,
  ...HISTOGRAMS,
  ...COMPOSITE,
};
