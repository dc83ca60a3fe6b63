// A preview of an import: how the beginning of a file is read, and as what. The same readers and checks as
// those of the import; nothing is stored.
import { jsonSource, type SourceLine } from '../../../json/json-source.ts';
import { plainText } from '../../../query/csv-row.ts';
import type { CheckedLines } from '../../documents/import-preview.ts';
import { bindColumns, COLUMNS_MAX } from './csv-columns.ts';
import { readCsvMap } from './csv-map.ts';
import { type CsvForm, csvSource } from './csv-source.ts';
import type { CsvTarget } from './csv-target.ts';
import { CsvFault, EndOfSample } from './csv-text.ts';
import { knownMembers } from './known-heads.ts';
import { type CsvSample, examplesOf, readSample, suggestedMap } from './suggest-map.ts';

/** The beginning of a file. */
export interface FileSample {
  readonly bytes: Uint8Array;
  /** True if the file goes on: a row that the end cuts off is left out. */
  readonly isCut: boolean;
}

/** How a file would be imported. */
export interface ImportPreview extends CheckedLines {
  /** The columns of CSV, with their first values. */
  readonly columns: readonly { readonly head: string; readonly examples: readonly string[] }[];
  /** Names of members that columns can be mapped to. */
  readonly members: readonly string[];
  /** The map of the request, else one that fits; null for JSON, and for CSV that cannot be read. */
  readonly map: object | null;
  /** What a suggested map lacks. */
  readonly missing: readonly string[];
}

/** Checks lines as the import would. */
export type Check = (lines: AsyncIterable<SourceLine>) => Promise<CheckedLines>;

/**
 * Previews CSV.
 * @param named the map of the form, as `parseMapText` returns it; undefined for a suggested one
 */
export async function previewCsv(
  sample: FileSample,
  form: CsvForm,
  named: unknown,
  target: CsvTarget,
  check: Check,
): Promise<ImportPreview> {
  const members = [...new Set([...target.names, ...knownMembers(target.name)])];
  const nothing = { columns: [], members, map: null, missing: [] };
  const read = await sampleOf(sample, {
    separator: form.separator ?? form.map?.separator ?? null,
    encoding: form.encoding ?? form.map?.encoding ?? null,
  });
  if (read instanceof CsvFault) {
    const faults = [{ line: read.line, reason: read.message }];
    return { ...nothing, rows: [], checked: 0, faults, warnings: [] };
  }
  const { map, missing } =
    named === undefined ? mapFor(read, form, target) : { map: named as object, missing: [] };
  const whole = { ...form, map: form.map ?? readCsvMap(map) };
  const checked = await check(untilCut(csvSource(bytesOf(sample), whole, target)));
  return { ...nothing, ...checked, columns: columnsOf(read), map, missing };
}

/** Previews NDJSON or an array. */
export async function previewJson(sample: FileSample, check: Check): Promise<ImportPreview> {
  const checked = await check(untilCut(jsonSource(bytesOf(sample))));
  return { ...checked, columns: [], members: [], map: null, missing: [] };
}

function columnsOf(rows: CsvSample): ImportPreview['columns'] {
  return rows.heads.flatMap((cell, at) => {
    const head = plainText(cell);
    return head === '' ? [] : [{ head, examples: examplesOf(rows, at) }];
  });
}

/** The map of a file: its heads, if they are names of members, else a suggested one. */
function mapFor(
  sample: CsvSample,
  form: Omit<CsvForm, 'map'>,
  target: CsvTarget,
): { readonly map: object; readonly missing: readonly string[] } {
  const heads = sample.heads.map(plainText);
  const bound = bindColumns(heads, null, target);
  if ('faults' in bound && heads.length <= COLUMNS_MAX) return suggestedMap(sample, form, target);
  const named = heads.filter((head) => head !== '').map((head) => [head, head]);
  return { map: { columns: Object.fromEntries(named) }, missing: [] };
}

async function sampleOf(
  sample: FileSample,
  form: Omit<CsvForm, 'map'>,
): Promise<CsvSample | CsvFault> {
  try {
    return await readSample(bytesOf(sample), form);
  } catch (error) {
    if (error instanceof CsvFault) return error;
    throw error;
  }
}

async function* bytesOf({ bytes, isCut }: FileSample): AsyncGenerator<Uint8Array> {
  yield bytes;
  if (isCut) throw new EndOfSample();
}

/** Lines up to the end of the sample. */
async function* untilCut(lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceLine> {
  try {
    yield* lines;
  } catch (error) {
    if (!(error instanceof EndOfSample)) throw error;
  }
}
