// CSV for cardea import: its flags, which files are CSV, and the map that --suggest-map prints.

import type { Offline } from '../compose/compose.ts';
import { readRegularFile } from '../config/file-fault.ts';
import { ServiceError } from '../errors.ts';
import { staticMapping } from '../query/mapping/document-types.ts';
import type { IndexName } from '../query/query.ts';
import { operatorOf } from '../service/audit/operator-event.ts';
import {
  authUserReader,
  csvIndex,
  documentReader,
  type ReadLines,
  readCsvForm,
} from '../service/imports/csv/csv-import.ts';
import { type CsvForm, mergeOf } from '../service/imports/csv/csv-source.ts';
import { AUTH_USER_TARGET, documentTarget } from '../service/imports/csv/csv-target.ts';
import { CsvFault } from '../service/imports/csv/csv-text.ts';
import { suggestMap } from '../service/imports/csv/suggest-map.ts';
import type { ImportOptions, ImportReport } from '../service/imports/documents.ts';
import { CommandError, UsageError } from './common/context.ts';
import { readNamed } from './common/whole-file.ts';
import type { InputFile } from './input-file.ts';

export interface CsvFlags {
  readonly index?: IndexName;
  readonly authUsers?: boolean;
  readonly profiles?: boolean;
  readonly csv?: boolean;
  readonly map?: string;
  readonly separator?: string;
  readonly encoding?: string;
  readonly suggestMap?: boolean;
}

/** True for a file that is read as CSV: by its name, or by a flag that is for CSV. */
export function isCsv(path: string, { csv, map, suggestMap }: CsvFlags): boolean {
  if (csv === true || suggestMap === true || /\.[ct]sv(?:\.gz)?$/i.test(path)) return true;
  return map !== undefined && !/\.(?:json|ndjson|jsonl)(?:\.gz)?$/i.test(path);
}

/**
 * Reads the flags of CSV.
 * @returns null if no file is CSV
 * @throws UsageError for flags that do not fit the files, and for a wrong map
 */
export async function csvFormOf(
  files: readonly string[],
  flags: CsvFlags,
): Promise<CsvForm | null> {
  const faults: string[] = [];
  if (!files.some((file) => isCsv(file, flags))) {
    if (flags.map !== undefined) faults.push('--map is for CSV; add --csv.');
    if (flags.separator !== undefined) faults.push('--separator is for CSV; add --csv.');
    if (flags.encoding !== undefined) faults.push('--encoding is for CSV; add --csv.');
    if (faults.length > 0) throw new UsageError(faults);
    return null;
  }
  if (flags.profiles === true) {
    throw new UsageError(['Profiles cannot be read from CSV; send JSON (docs/profiles.md).']);
  }
  return usage(async () => {
    const { map, separator, encoding } = flags;
    const form = await readCsvForm({
      ...{ separator, encoding },
      map: map === undefined ? undefined : readNamed(map, () => readRegularFile(map)),
    });
    if (flags.authUsers === true) authUserReader(form);
    else csvIndex(flags.index, form);
    return form;
  });
}

/** Imports a file. */
export async function importCsv(
  { documents }: Offline,
  tenantId: string,
  { content }: InputFile,
  form: CsvForm,
  flags: CsvFlags,
  options: ImportOptions,
): Promise<ImportReport> {
  const caller = operatorOf(tenantId);
  if (flags.authUsers === true) {
    const lines = authUserReader(form)(content);
    return documents.importAuthUsers(caller, lines, { ...options, merge: true });
  }
  const index = csvIndex(flags.index, form);
  const read: ReadLines = await documentReader(documents, tenantId, index, form);
  return documents.mergeDocuments(caller, read(content), {
    ...options,
    index,
    ...mergeOf(form),
  });
}

/**
 * The map that fits a file, as YAML.
 * @throws CommandError if the file cannot be read
 */
export async function suggestedMap(input: InputFile, flags: CsvFlags): Promise<string> {
  const form = await usage(() => readCsvForm(flags));
  const target =
    flags.authUsers === true
      ? AUTH_USER_TARGET
      : documentTarget(staticMapping(flags.index ?? 'identities', { name: '', pod: '' }));
  try {
    return await suggestMap(input.content, form, target);
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw new CommandError(`${input.name}:${error.line}: ${error.message}.`);
  }
}

/** What is wrong with the flags or the map is a wrong command line. */
async function usage<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { causes = [] } = error.details;
    throw new UsageError(causes.length === 0 ? [error.message] : [...causes]);
  }
}
