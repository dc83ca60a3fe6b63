// What composite aggregations tell: tuples in order, and the last one to go on after.
import type {
  Aggregation,
  BucketAggregation,
  CompositeSource,
} from '../../../query/aggregation/aggregation.ts';
import { datePrinter } from '../../../query/dates/date-format.ts';
import type { Bucket, Key } from '../intermediate.ts';
import type { BucketContext } from '../result-context.ts';
import { compareTuples, type Tuple } from './composite.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

export function* compositeResult(
  form: Composite,
  forms: readonly Aggregation[],
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const sources = form.sources.map((source, at) => speakerOf(source, at, forms));
  const tuples: { readonly tuple: Tuple; readonly bucket: Bucket }[] = [];
  for (const [key, bucket] of buckets) {
    tuples.push({ tuple: JSON.parse(String(key)) as Tuple, bucket });
    if (context.request.tick()) yield;
  }
  tuples.sort((a, b) => compareTuples(a.tuple, b.tuple, sources));
  const page = tuples.slice(0, form.size);
  context.budget.spend(page.length);
  const told: Record<string, unknown>[] = [];
  for (const { tuple, bucket } of page) {
    const key = keyOf(tuple, sources);
    told.push({ key, doc_count: bucket.docCount, ...(yield* context.inside(bucket)) });
    if (context.request.tick()) yield;
  }
  const last = told.at(-1);
  return { ...(last !== undefined && { after_key: last['key'] }), buckets: told };
}

/** The source as the first index has it that reads anything. */
function speakerOf(
  source: CompositeSource,
  at: number,
  forms: readonly Aggregation[],
): CompositeSource {
  const all = forms.flatMap((form) => (form.kind === 'composite' ? (form.sources[at] ?? []) : []));
  return all.find((one) => one.source.kind !== 'none') ?? source;
}

function keyOf(tuple: Tuple, sources: readonly CompositeSource[]): Record<string, unknown> {
  return Object.fromEntries(
    sources.map((source, at) => [source.name, spelt(tuple[at] ?? null, source)]),
  );
}

/** Dates are numbers unless a format is given; booleans are true and false. */
function spelt(key: Key | null, source: CompositeSource): Key | boolean | null {
  if (typeof key !== 'number') return key;
  if (source.kind === 'dateHistogram') {
    const { format, intervals } = source;
    return format === null ? key : (datePrinter(format, intervals.timeZone)?.(key) ?? key);
  }
  const isBoolean = source.source.kind === 'numbers' && source.source.type === 'boolean';
  return isBoolean && source.kind === 'terms' ? key !== 0 : key;
}
