// Reads CSV as lines of an import: each row becomes a JSON merge patch of its record. The command and
// the route read through here, so a file means the same to both.
// Invariant: a fault of the file is returned as a faulty line, so that all earlier rows are kept.
import type { SourceLine } from '../../../json/json-source.ts';
import { plainText } from '../../../query/csv-row.ts';
import type { MergeOptions } from '../../documents/merge-import.ts';
import { bindColumns } from './csv-columns.ts';
import type { CsvMap } from './csv-map.ts';
import { csvRows } from './csv-rows.ts';
import type { CsvTarget } from './csv-target.ts';
import { CsvFault, utf8Text } from './csv-text.ts';
import { RowFault, type RowPatches } from './row-patches.ts';

/** How a CSV file is read; what is named here comes before the map. */
export interface CsvForm {
  /** null: the heads are names of members. */
  readonly map: CsvMap | null;
  /** As `readSeparator` returns it; null: found by the first line. */
  readonly separator: string | null;
  /** As `readEncoding` returns it; null: a byte order mark's, else UTF-8. */
  readonly encoding: string | null;
}

export interface CsvSourceOptions {
  /** Called with the number of buffered bytes; an error thrown ends the source. */
  onBuffered?(bytes: number): void;
}

/** How the lines of a form are imported. */
export function mergeOf({ map }: CsvForm): MergeOptions {
  return { match: map?.match?.member ?? null };
}

/** The rows of `source` as lines of an import with `mergeOf`. */
export async function* csvSource(
  source: AsyncIterable<Uint8Array>,
  form: CsvForm,
  target: CsvTarget,
  options: CsvSourceOptions = {},
): AsyncGenerator<SourceLine> {
  const { map } = form;
  const text = utf8Text(source, form.encoding ?? map?.encoding ?? null);
  const separator = form.separator ?? map?.separator ?? null;
  let rows: RowPatches | null = null;
  let isEmpty = true;
  try {
    for await (const { line, cells, fault } of csvRows(text, { separator, ...options })) {
      isEmpty = false;
      if (fault !== undefined) {
        yield faulty(line, fault);
        if (rows === null) return;
      } else if (rows === null) {
        const bound = bindColumns(cells.map(plainText), map, target);
        if ('faults' in bound) {
          for (const one of bound.faults) yield faulty(line, one);
          return;
        }
        rows = bound.rows;
        if (bound.warning !== null) yield { line, text: '', warning: bound.warning };
      } else {
        const one = lineOf(line, cells, rows);
        if (one !== null) yield one;
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    yield faulty(error.line, error.message);
    return;
  }
  if (isEmpty)
    yield faulty(1, 'the file is empty; its first line must have the heads of the columns');
}

function lineOf(line: number, cells: readonly string[], rows: RowPatches): SourceLine | null {
  try {
    const patch = rows.patch(cells);
    return patch === null ? null : { line, text: JSON.stringify(patch) };
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    return faulty(line, error.message);
  }
}

function faulty(line: number, fault: string): SourceLine {
  return { line, text: '', fault };
}
