// cardea import: imports search documents, auth users or profiles from files, with or without a
// running server. It ends when everything is stored and, without a server, searchable.
import { type Command, InvalidArgumentError } from 'commander';
import type { Offline } from '../compose/compose.ts';
import { escapeLines } from '../json/escaped-text.ts';
import { jsonSource } from '../json/json-source.ts';
import { INDEX_NAMES } from '../query/mapping/document-types.ts';
import type { IndexName } from '../query/query.ts';
import { operatorOf } from '../service/audit/operator-event.ts';
import type { CsvForm } from '../service/imports/csv/csv-source.ts';
import type { ImportReport } from '../service/imports/documents.ts';
import type { Tenant } from '../service/ports/store.ts';
import { addFlag, addSettings, newCommand, readSettings } from './common/command-line.ts';
import { type Context, UsageError } from './common/context.ts';
import { chooseTenant, indexUpTo, withData } from './common/data.ts';
import { INTERRUPTED, Interrupted } from './common/stop-signal.ts';
import { grouped, type Progress, type Terminal } from './common/terminal.ts';
import type { CsvFlags } from './import-csv.ts';
import { type InputFile, openInput } from './input-file.ts';

interface Flags extends CsvFlags {
  readonly tenant?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
}

/** A file, and how it is read if it is CSV. */
interface ImportFile extends InputFile {
  readonly form: CsvForm | null;
}

/** A line that failed or has a warning, or a file that could not be read to its end. */
interface Finding {
  readonly file: string;
  /** null: the whole file. */
  readonly line: number | null;
  readonly reason: string;
}

interface Totals {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  readonly faults: Finding[];
  warned: number;
  readonly warnings: Finding[];
  sequence: number;
  /** false: the indexer of a running server has yet to process the changes. */
  searchable: boolean;
}

export function importCommand(context: Context): Command {
  const command = newCommand(
    'import',
    'Import search documents, auth users or profiles from JSON or CSV files',
  )
    .description(
      'Import search documents, auth users or profiles as the public API returns them: one JSON object per line or one JSON array, optionally gzipped. Documents and auth users may also be CSV, whose heads are names of members or in a map; members without a column stay as they are. Importing a file twice changes nothing. A server may be running.',
    )
    .argument('<file...>', 'files to import; - is standard input');
  addFlag(
    command,
    '--index <name>',
    `Index of documents without _type: ${INDEX_NAMES.join(', ')}`,
    indexName,
  );
  command
    .option('--auth-users', 'The files hold auth users')
    .option('--profiles', 'The files hold profiles, and other records of profile management')
    .option('--tenant <name>', 'Tenant to import into [default: the only one]')
    .option(
      '--csv',
      'Read the files as CSV, whatever their names [default: those named .csv or .tsv]',
    )
    .option('--map <file>', 'YAML that says which column is which member')
    .option('--separator <character>', 'Separator of CSV, or tab [default: by the first line]')
    .option('--encoding <name>', 'Encoding of CSV, such as windows-1252 [default: UTF-8]')
    .option('--suggest-map', 'Print a map that fits the file, and import nothing')
    .option('--strict', 'Stop at the first bad line')
    .option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async (files: readonly string[]) => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    rejectConflictingFlags(flags);
    if (files.filter((file) => file === '-').length > 1) {
      throw new UsageError(['Standard input can be read only once.']);
    }
    const { csvFormOf, isCsv, suggestedMap } = await import('./import-csv.ts');
    const form = flags.suggestMap === true ? null : await csvFormOf(files, flags);
    const inputs = files.map(
      (file): ImportFile => ({
        ...openInput(file, context.stdin),
        form: isCsv(file, flags) ? form : null,
      }),
    );
    if (flags.suggestMap === true) {
      const [input, ...others] = inputs;
      if (input === undefined || others.length > 0) {
        throw new UsageError(['--suggest-map reads one file.']);
      }
      context.terminal.raw.out(escapeLines(await suggestedMap(input, flags)));
      return;
    }
    await withData(config, context, (data) => run(data, inputs, flags, context));
  });
}

/** Rejects flags for different contents of the files. */
function rejectConflictingFlags({ index, authUsers, profiles }: Flags): void {
  const flags = [
    ...(index === undefined ? [] : ['--index']),
    ...(authUsers === true ? ['--auth-users'] : []),
    ...(profiles === true ? ['--profiles'] : []),
  ];
  if (flags.length > 1) throw new UsageError([`${flags.join(' and ')} cannot be combined.`]);
}

async function run(
  data: Offline,
  inputs: readonly ImportFile[],
  flags: Flags,
  context: Context,
): Promise<void> {
  const { terminal, stop } = context;
  const tenant = await chooseTenant(data.store.read, flags.tenant);
  const from = await data.store.read.lastSequence();
  // Indexing runs while lines are read.
  data.indexer?.start();
  const totals: Totals = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    warned: 0,
    sequence: from,
    faults: [],
    warnings: [],
    searchable: true,
  };
  const progress = new ImportProgress(terminal, inputs, totals);
  try {
    for (const input of inputs) {
      stop.check();
      if (flags.strict === true && totals.failed > 0) break;
      await importFile(data, tenant, input, flags, totals, progress, context);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    context.exitCode = INTERRUPTED;
  } finally {
    progress.end();
  }
  if (data.indexer === null)
    totals.searchable = flags.authUsers === true || flags.profiles === true;
  else if (!stop.stopping) {
    await indexUpTo(data.indexer, { from, sequence: totals.sequence }, terminal, stop);
    await data.mending?.finish();
    const sequence = await data.store.read.lastSequence();
    if (sequence > totals.sequence)
      await indexUpTo(data.indexer, { from, sequence }, terminal, stop);
  }
  if (totals.failed > 0 && context.exitCode === 0) context.exitCode = 1;
  printResult(totals, flags, terminal, context);
}

async function importFile(
  data: Offline,
  tenant: Tenant,
  input: ImportFile,
  flags: Flags,
  totals: Totals,
  progress: ImportProgress,
  { stop }: Context,
): Promise<void> {
  const { documents } = data;
  const lines = () => checked(jsonSource(input.content), stop);
  const operator = operatorOf(tenant.id);
  let last: ImportReport | null = null;
  const options = {
    strict: flags.strict === true,
    onProgress: (report: ImportReport) => {
      last = { ...report };
      progress.update(report);
    },
  };
  try {
    if (input.form !== null) {
      const { importCsv } = await import('./import-csv.ts');
      const file = { ...input, content: checked(input.content, stop) };
      last = await importCsv(data, tenant.id, file, input.form, flags, options);
    } else if (flags.authUsers === true) {
      last = await documents.importAuthUsers(operator, lines(), options);
    } else if (flags.profiles === true) {
      last = await documents.importProfiles(operator, lines(), options);
    } else {
      const { index } = flags;
      const indexOption = index === undefined ? {} : { index };
      last = await documents.importDocuments(operator, lines(), { ...options, ...indexOption });
    }
  } catch (error) {
    if (!isReadFault(error)) throw error;
    totals.failed += 1;
    const reason = `reading failed: ${(error as Error).message}; the lines before are kept`;
    totals.faults.push({ file: input.name, line: null, reason });
  } finally {
    if (last !== null) add(totals, last, input.name);
  }
}

/** The items of a source, until the command is to stop. @throws Interrupted */
async function* checked<T>(source: AsyncIterable<T>, stop: Context['stop']): AsyncGenerator<T> {
  for await (const item of source) {
    stop.check();
    yield item;
  }
}

/** True if the file is at fault: missing, unreadable or truncated gzip. */
function isReadFault(error: unknown): boolean {
  return (
    error instanceof Error &&
    typeof (error as NodeJS.ErrnoException).code === 'string' &&
    error.name !== 'ServiceError'
  );
}

function add(totals: Totals, report: ImportReport, file: string): void {
  totals.created += report.created;
  totals.updated += report.updated;
  totals.unchanged += report.unchanged;
  totals.failed += report.failed;
  totals.faults.push(...report.faults.map((fault) => ({ file, ...fault })));
  totals.warned += report.warned;
  totals.warnings.push(...report.warnings.map((warning) => ({ file, ...warning })));
  totals.sequence = Math.max(totals.sequence, report.sequence);
}

/** Progress over all files, by bytes read from disk. */
class ImportProgress {
  readonly #progress: Progress;
  readonly #inputs: readonly InputFile[];
  readonly #totals: Totals;

  constructor(terminal: Terminal, inputs: readonly InputFile[], totals: Totals) {
    const sizes = inputs.map(({ size }) => size);
    const total = sizes.includes(null)
      ? null
      : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
    this.#progress = terminal.progress('Importing', total, 'lines');
    this.#inputs = inputs;
    this.#totals = totals;
  }

  update(report: ImportReport): void {
    const bytes = this.#inputs.reduce((sum, input) => sum + input.read(), 0);
    const lines = [report, this.#totals].reduce(
      (sum, { created, updated, unchanged, failed }) =>
        sum + created + updated + unchanged + failed,
      0,
    );
    this.#progress.update(bytes, lines);
  }

  end(): void {
    this.#progress.end();
  }
}

function printResult(
  totals: Totals,
  flags: Flags,
  terminal: Terminal,
  { exitCode }: Context,
): void {
  if (flags.json === true) {
    terminal.printJson(totals);
    return;
  }
  noteFindings(totals.faults, totals.failed, '', terminal);
  noteFindings(totals.warnings, totals.warned, 'warning: ', terminal);
  const { created, updated, unchanged, failed } = totals;
  terminal.print(
    `${grouped(created)} created, ${grouped(updated)} updated, ${grouped(unchanged)} unchanged, ${grouped(failed)} failed.`,
  );
  if (exitCode === INTERRUPTED) terminal.note('Stopped on request; the counted lines are kept.');
  if (!totals.searchable) {
    terminal.note(
      'Everything is stored; the server or command that has the index is making it searchable.',
    );
  }
}

/** Prints one line per finding, then the number of those not listed. */
function noteFindings(
  findings: readonly Finding[],
  total: number,
  prefix: string,
  terminal: Terminal,
): void {
  for (const { file, line, reason } of findings) {
    terminal.note(`${file}${line === null ? '' : `:${line}`}: ${prefix}${reason}`);
  }
  if (total > findings.length) {
    terminal.note(`${prefix}… and ${grouped(total - findings.length)} more.`);
  }
}

function indexName(text: string): IndexName {
  const name = INDEX_NAMES.find((candidate) => candidate === text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(
    `must be one of ${INDEX_NAMES.join(', ')} (it is ${JSON.stringify(text)}).`,
  );
}
