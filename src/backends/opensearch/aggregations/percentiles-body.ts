// `percentiles` (MEDIAN) as the count of every value. The engine's digest computes the result from
// them, because OpenSearch returns a result, and no digest to merge. Values come in the order of
// their counts, so the result does not depend on how the documents are stored.
import { TDigest } from '../../../engine/aggregation/collecting/t-digest.ts';
import { type MetricAggregation, nestedPathOf } from '../../../query/aggregation.ts';
import { parseRepeat, STORED, storedName } from '../requests/columns.ts';
import {
  type AggregationRequest,
  type AggregationScope,
  allTerms,
  answerAt,
  completeBuckets,
} from './aggregation-request.ts';
import { onValues, rowsWithoutValue, sourceField, valuesIn } from './aggregation-source.ts';

type Percentiles = Extract<MetricAggregation, { readonly kind: 'percentiles' }>;

export function percentilesRequest(
  { source, missing }: Percentiles,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  const field = source.kind === 'numbers' ? sourceField(source, scope) : null;
  const value = typeof missing === 'number' ? missing : null;
  const path = nestedPathOf(source) ?? scope.path;
  const repeats = `${name}r`;
  const without = `${name}m`;
  return {
    aggs: {
      ...(field !== null &&
        onValues(source, name, {
          [name]: { terms: allTerms(field) },
          [repeats]: {
            terms: allTerms(storedName(path, STORED.repeats), repeatsOf(field, path)),
          },
        })),
      ...(value !== null && { [without]: rowsWithoutValue(source, scope) }),
    },
    read: (answer) => {
      const digest = new TDigest();
      let count = 0;
      const add = (one: number, times: number): void => {
        count += times;
        digest.addTimes(one, times);
      };
      const own = valuesIn(source, answer, name);
      for (const { key, doc_count = 0 } of completeBuckets(answerAt(own, name))) {
        add(Number(key), doc_count);
      }
      for (const { key, doc_count = 0 } of completeBuckets(answerAt(own, repeats))) {
        const { value: one, times } = parseRepeat(String(key));
        add(one, (times - 1) * doc_count);
      }
      if (value !== null) add(value, answerAt(answer, without).doc_count ?? 0);
      return count === 0 ? undefined : { kind: 'digest', digest };
    },
  };
}

/** The repeats of a column, as a Lucene regular expression. */
function repeatsOf(field: string, path: string | null): string {
  const column = field.slice(storedName(path, '').length);
  return `${column.replace(/[^\p{L}\p{N} ]/gu, (char) => `\\${char}`)} [0-9]+ .*`;
}
