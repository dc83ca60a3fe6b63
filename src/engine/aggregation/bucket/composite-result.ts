// Builds the response of `composite`: the first tuples in order, and `after_key` to continue after.
import type {
  Aggregation,
  BucketAggregation,
  CompositeSource,
} from '../../../query/aggregation.ts';
import type { DateCache } from '../../../query/dates/date-cache.ts';
import type { Bucket, Key } from '../collecting/intermediate.ts';
import type { BucketContext } from '../collecting/result-context.ts';
import { compareTuples, type Tuple } from './composite.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

export function* compositeResult(
  form: Composite,
  forms: readonly Aggregation[],
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const sources = form.sources.map((source, at) => firstWithSource(source, at, forms));
  const tuples: { readonly tuple: Tuple; readonly bucket: Bucket }[] = [];
  for (const [key, bucket] of buckets) {
    tuples.push({ tuple: JSON.parse(String(key)) as Tuple, bucket });
    if (context.request.tick()) yield;
  }
  tuples.sort((a, b) => compareTuples(a.tuple, b.tuple, sources));
  const page = tuples.slice(0, form.size);
  context.budget.spend(page.length);
  const rendered: Record<string, unknown>[] = [];
  for (const { tuple, bucket } of page) {
    const key = keyOf(tuple, sources, context.request.dates);
    rendered.push({ key, doc_count: bucket.docCount, ...(yield* context.buildSubResults(bucket)) });
    if (context.request.tick()) yield;
  }
  const last = page.at(-1);
  const { dates } = context.request;
  const afterKey = last && { after_key: afterKeyOf(last.tuple, sources, dates) };
  return { ...afterKey, buckets: rendered };
}

/** Returns the first form of a source that reads a field. */
function firstWithSource(
  source: CompositeSource,
  at: number,
  forms: readonly Aggregation[],
): CompositeSource {
  const candidates = forms.flatMap((form) =>
    form.kind === 'composite' ? (form.sources[at] ?? []) : [],
  );
  return candidates.find((candidate) => candidate.source.kind !== 'none') ?? source;
}

function keyOf(
  tuple: Tuple,
  sources: readonly CompositeSource[],
  dates: DateCache,
): Record<string, unknown> {
  return Object.fromEntries(
    sources.map((source, at) => [source.name, formatKey(tuple[at] ?? null, source, dates)]),
  );
}

/**
 * The key to continue after. A date is a number if its text would be read as another one: the next page
 * would repeat or omit buckets, and might be the same for ever.
 */
function afterKeyOf(
  tuple: Tuple,
  sources: readonly CompositeSource[],
  dates: DateCache,
): Record<string, unknown> {
  const entries = sources.map((source, at) => {
    const key = tuple[at] ?? null;
    const text = formatKey(key, source, dates);
    return [source.name, isReadAsAnother(text, key, source, dates) ? key : text];
  });
  return Object.fromEntries(entries);
}

function isReadAsAnother(
  text: Key | boolean | null,
  key: Key | null,
  source: CompositeSource,
  dates: DateCache,
): boolean {
  if (source.kind !== 'dateHistogram' || source.format === null) return false;
  if (typeof text !== 'string') return false;
  return dates.reader(source.format, source.intervals.timeZone)?.(text) !== key;
}

/** Dates are numbers unless a format is given; booleans are true and false. */
function formatKey(
  key: Key | null,
  source: CompositeSource,
  dates: DateCache,
): Key | boolean | null {
  if (typeof key !== 'number') return key;
  if (source.kind === 'dateHistogram') {
    const { format, intervals } = source;
    return format === null ? key : (dates.printer(format, intervals.timeZone)?.(key) ?? key);
  }
  const isBoolean = source.source.kind === 'numbers' && source.source.type === 'boolean';
  return isBoolean && source.kind === 'terms' ? key !== 0 : key;
}
