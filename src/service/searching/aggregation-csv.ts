// Formats an aggregation as CSV: one row per innermost bucket, with the keys of its parents. Cells
// are not escaped for spreadsheets, even those that look like formulas, because programs read this.
import type { CsvColumns, CsvMetric } from '../../query/aggregation/csv-columns.ts';

type Json = Readonly<Record<string, unknown>>;

/** @param aggregations as in the JSON response */
export function aggregationCsv(aggregations: Json, { steps, metric }: CsvColumns): string {
  const names = steps.filter(({ buckets }) => buckets).map(({ name }) => name);
  const rows: unknown[][] = [[...names, metric === null ? 'Count' : metric.name]];
  const walk = (node: Json, at: number, cells: readonly unknown[]): void => {
    const step = steps[at];
    if (step === undefined) {
      rows.push([...cells, metric === null ? node['doc_count'] : metricCell(node, metric)]);
      return;
    }
    const child = objectOf(node[step.name]);
    if (!step.buckets) {
      walk(child, at + 1, cells);
      return;
    }
    const buckets = bucketsOf(child);
    if (buckets.length === 0 && cells.length > 0) {
      // A parent without buckets gets a row with its own count.
      const blank = names.slice(cells.length).map(() => '');
      rows.push([...cells, ...blank, metric === null ? node['doc_count'] : '']);
    }
    for (const { key, bucket } of buckets) walk(bucket, at + 1, [...cells, key]);
  };
  walk(aggregations, 0, []);
  return rows.map((cells) => `${cells.map(cell).join(',')}\n`).join('');
}

/** Buckets are a list, or an object by key. */
function bucketsOf({ buckets }: Json): { readonly key: unknown; readonly bucket: Json }[] {
  if (!Array.isArray(buckets)) {
    return Object.entries(objectOf(buckets)).map(([key, bucket]) => ({
      key,
      bucket: objectOf(bucket),
    }));
  }
  return (buckets as Json[]).map((bucket) => ({
    key: bucket['key_as_string'] ?? bucket['key'],
    bucket,
  }));
}

function metricCell(node: Json, { path, isValue }: CsvMetric): unknown {
  const last = path.at(-1) ?? '';
  const inner = path.slice(0, -1).reduce((at: Json, name) => objectOf(at[name]), node);
  const text = inner[`${last}_as_string`];
  // The average or sum of booleans is a number, of which the text says only whether it is zero.
  const isNumber = !isValue && (text === 'true' || text === 'false');
  return text === undefined || isNumber ? inner[last] : text;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** RFC 4180, section 2. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
