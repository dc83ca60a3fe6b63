// What the first lines of an import would become: they are read and checked as the import does, and
// nothing is written. What only the stored records can tell, such as who has the same login, the import
// says.
import type { SourceLine } from '../../json/json-source.ts';
import { DocumentFault } from './document-shape.ts';
import type { ImportFault, ImportWarning } from './import-run.ts';

/** The first lines of a file, checked. */
export interface CheckedLines {
  /** The first of those that fit; what is null is removed from the record that there is. */
  readonly rows: readonly { readonly line: number; readonly record: object }[];
  /** Lines that were checked. */
  readonly checked: number;
  /** The first lines that do not fit. */
  readonly faults: readonly ImportFault[];
  readonly warnings: readonly ImportWarning[];
}

/** Lines that are checked. */
const CHECKED_MAX = 1_000;
/** Rows, faults and warnings that are shown. */
const SHOWN_MAX = 20;
/** Lines of a turn of the event loop. */
const TURN_LINES = 32;

/**
 * Checks the first lines of an import.
 * @param check throws a DocumentFault for a line that does not fit
 * @param pause lets other work go on
 */
export async function checkLines(
  lines: AsyncIterable<SourceLine>,
  check: (text: Uint8Array | string) => unknown,
  pause: () => Promise<void>,
): Promise<CheckedLines> {
  const rows: { line: number; record: object }[] = [];
  const faults: ImportFault[] = [];
  const warnings: ImportWarning[] = [];
  let checked = 0;
  for await (const { line, text, fault, warning } of lines) {
    if (warning !== undefined) {
      if (warnings.length < SHOWN_MAX) warnings.push({ line, reason: warning });
      continue;
    }
    try {
      if (fault !== undefined) throw new DocumentFault(fault);
      await check(text);
      if (rows.length < SHOWN_MAX) rows.push({ line, record: JSON.parse(textOf(text)) });
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      if (faults.length < SHOWN_MAX) faults.push({ line, reason: error.message });
    }
    if (++checked === CHECKED_MAX) break;
    if (checked % TURN_LINES === 0) await pause();
  }
  return { rows, checked, faults, warnings };
}

function textOf(text: Uint8Array | string): string {
  return typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
}
