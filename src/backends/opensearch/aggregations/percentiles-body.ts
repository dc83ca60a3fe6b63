// `percentiles` (MEDIAN) as OpenSearch is asked for them: for every value with how often it is
// there. What lies where is then found by the engine's own digest, which OpenSearch's, an answer
// and no digest, could not be merged with.
import { TDigest } from '../../../engine/aggregation/metric/t-digest.ts';
import { type MetricAggregation, nestedPathOf } from '../../../query/aggregation/aggregation.ts';
import { parseRepeat, STORED, storedName } from '../columns.ts';
import {
  type AggregationPlace,
  everyTerm,
  foundAt,
  type Question,
  wholeBuckets,
} from './aggregation-question.ts';
import { absent, onValues, sourceField, valuesIn } from './aggregation-source.ts';

type Percentiles = Extract<MetricAggregation, { readonly kind: 'percentiles' }>;

export function percentilesQuestion(
  { source, missing }: Percentiles,
  name: string,
  place: AggregationPlace,
): Question {
  const field = source.kind === 'numbers' ? sourceField(source, place) : null;
  const value = typeof missing === 'number' ? missing : null;
  const path = nestedPathOf(source) ?? place.path;
  const repeats = `${name}r`;
  const without = `${name}m`;
  return {
    aggs: {
      ...(field !== null &&
        onValues(source, name, {
          [name]: { terms: everyTerm(field) },
          [repeats]: {
            terms: everyTerm(storedName(path, STORED.repeats), repeatsOf(field, path)),
          },
        })),
      ...(value !== null && { [without]: absent(source, place) }),
    },
    read: (found) => {
      const digest = new TDigest();
      let count = 0;
      const add = (one: number, times: number): void => {
        count += times;
        digest.addTimes(one, times);
      };
      const own = valuesIn(source, found, name);
      for (const { key, doc_count = 0 } of wholeBuckets(foundAt(own, name))) {
        add(Number(key), doc_count);
      }
      for (const { key, doc_count = 0 } of wholeBuckets(foundAt(own, repeats))) {
        const { value: one, times } = parseRepeat(String(key));
        add(one, (times - 1) * doc_count);
      }
      if (value !== null) add(value, foundAt(found, without).doc_count ?? 0);
      return count === 0 ? undefined : { kind: 'digest', digest };
    },
  };
}

/** The entries of a column, as a regular expression of Lucene's. */
function repeatsOf(field: string, path: string | null): string {
  const column = field.slice(storedName(path, '').length);
  return `${column.replace(/[^\p{L}\p{N} ]/gu, (char) => `\\${char}`)} [0-9]+ .*`;
}
