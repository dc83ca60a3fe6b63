// cardea search: runs a query on a server or a data directory, and prints rows: a table on a terminal,
// NDJSON elsewhere, or the form of a flag.
import { type Command, InvalidArgumentError } from 'commander';
import { headsOf, labelOf } from '../../query/rows/column-label.ts';
import type { RowFormat } from '../../service/searching/rows/row-format.ts';
import {
  addFlag,
  addSettings,
  addTenantFlag,
  newCommand,
  readSettings,
} from '../common/command-line.ts';
import { type Context, UsageError } from '../common/context.ts';
import { objectsIn } from '../common/json-lines.ts';
import type { Progress } from '../common/terminal.ts';
import { grouped } from '../common/terminal.ts';
import { type SourceFlags, withSource } from './choose-source.ts';
import { countRows, type RowSource, type RowTexts } from './row-sources.ts';
import { tableLines } from './table.ts';

interface Flags extends SourceFlags {
  readonly index?: string;
  readonly rows?: string;
  readonly allElements?: boolean;
  readonly columns?: string;
  readonly sort?: string;
  readonly limit?: number | 'all';
  readonly count?: boolean;
  readonly csv?: boolean;
  readonly ndjson?: boolean;
  readonly json?: boolean;
  readonly table?: boolean;
}

type Form = RowFormat | 'table';

const FORMS = ['csv', 'ndjson', 'json', 'table'] as const;
/** Rows of a table without --limit. */
const TABLE_ROWS = 100;
/** Milliseconds before the progress is shown. */
const PROGRESS_MS = 1_000;

export function searchCommand(context: Context): Command {
  const command = newCommand('search', 'Search documents, and print them as a table, CSV or JSON')
    .description(
      'Search documents, and print one row per document, or per element of one: a table on a terminal, NDJSON elsewhere. Searches the server of --server or SAIL_BASE_URL with SAIL_CLIENT_ID and SAIL_CLIENT_SECRET, which may be any service with the same search API; otherwise the server of the data directory, or the data directory itself if none runs.',
    )
    .argument('[query]', 'Query string, see docs/search.md [default: *]')
    .option('--index <names>', 'Indexes, separated by commas; * for all [default: identities]')
    .option('--rows <name>', 'One row per element of this nested array, such as accounts')
    .option('--all-elements', 'Also elements that match no clause of the query on their array')
    .option('--columns <fields>', 'Fields, separated by commas; field=Header renames a column')
    .option('--sort <fields>', 'Sort keys, separated by commas; -field sorts descending');
  addFlag(
    command,
    '--limit <n|all>',
    `Most rows [default: all; ${TABLE_ROWS} for a table]`,
    limitOf,
  );
  command
    .option('--count', 'Print only the number of rows')
    .option('--csv', 'Print CSV, safe for spreadsheets')
    .option('--ndjson', 'Print a JSON object per line')
    .option('--json', 'Print a JSON array')
    .option('--table', 'Print a table');
  addFlag(command, '--server <url>', 'Base URL of the server to search [SAIL_BASE_URL]', urlOf);
  addTenantFlag(command, 'data directory');
  addSettings(command, 'offline');
  return command.action(async (query: string | undefined) => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    const form = formOf(flags, context);
    const body = bodyOf(query ?? '*', flags);
    try {
      await withSource(flags, config, context, (source) =>
        flags.count === true
          ? printCount(source, body, context)
          : printRows(source, { body, form, limit: flags.limit }, context),
      );
    } catch (error) {
      context.stop.check();
      throw error;
    }
  });
}

function formOf(flags: Flags, { terminal }: Context): Form {
  const chosen = FORMS.filter((form) => flags[form] === true);
  if (chosen.length > 1) {
    throw new UsageError([
      `${chosen.map((form) => `--${form}`).join(' and ')} cannot be combined.`,
    ]);
  }
  return chosen[0] ?? (terminal.isWatched ? 'table' : 'ndjson');
}

/** The body of `POST /search/rows`. */
interface SearchBody extends Readonly<Record<string, unknown>> {
  readonly rows?: string;
  readonly columns?: readonly { readonly field: string; readonly header?: string }[];
}

function bodyOf(query: string, flags: Flags): SearchBody {
  const { index = 'identities', rows, allElements, columns, sort } = flags;
  return {
    indices: listOf(index),
    query: { query },
    ...(rows !== undefined && { rows }),
    ...(allElements === true && { elements: 'all' }),
    ...(columns !== undefined && { columns: listOf(columns).map(columnOf) }),
    ...(sort !== undefined && { sort: listOf(sort) }),
  };
}

function listOf(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function columnOf(text: string): { readonly field: string; readonly header?: string } {
  const at = text.indexOf('=');
  if (at < 0) return { field: text };
  return { field: text.slice(0, at).trim(), header: text.slice(at + 1).trim() };
}

async function printCount(
  source: RowSource,
  body: Readonly<Record<string, unknown>>,
  { terminal }: Context,
): Promise<void> {
  const answer = await countRows(source, body);
  warn(answer, terminal);
  if (answer.total !== null) {
    terminal.print(String(answer.total));
    return;
  }
  // A service without rows counts documents only.
  const all = await source.rows({ body, limit: null, format: 'ndjson', count: false });
  let rows = 0;
  for await (const piece of all.pieces) rows += lineFeedsIn(piece);
  terminal.print(String(rows));
}

interface Printed {
  readonly body: SearchBody;
  readonly form: Form;
  readonly limit: number | 'all' | undefined;
}

async function printRows(
  source: RowSource,
  { body, form, limit }: Printed,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  if (form === 'table') {
    await printTable(source, body, limit ?? TABLE_ROWS, context);
    return;
  }
  const request = { body, format: form, limit: typeof limit === 'number' ? limit : null };
  const answer = await source.rows({ ...request, count: terminal.drawsProgress });
  warn(answer, terminal);
  const total =
    answer.total === null ? null : Math.min(answer.total, request.limit ?? answer.total);
  const progress = new RowProgress(total, form, context);
  const write = form === 'csv' ? terminal.raw.csv : terminal.raw.json;
  try {
    for await (const piece of answer.pieces) {
      context.stop.check();
      write(piece);
      progress.add(piece);
    }
  } finally {
    progress.end();
  }
}

/** The progress of rows that do not go to a terminal, from a second on. */
class RowProgress {
  readonly #total: number | null;
  readonly #context: Context;
  readonly #began: number;
  #rows: number;
  #progress: Progress | null = null;

  constructor(total: number | null, form: RowFormat, context: Context) {
    this.#total = total;
    this.#context = context;
    this.#began = context.now();
    this.#rows = form === 'csv' ? -1 : 0;
  }

  add(piece: Uint8Array): void {
    this.#rows += lineFeedsIn(piece);
    const { terminal, now } = this.#context;
    if (terminal.isWatched || now() - this.#began < PROGRESS_MS) return;
    this.#progress ??= terminal.progress('Reading', this.#total, 'rows');
    this.#progress.update(Math.max(0, this.#rows));
  }

  end(): void {
    this.#progress?.end();
  }
}

const LINE_FEED = 0x0a;

function lineFeedsIn(piece: Uint8Array): number {
  let count = 0;
  for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) {
    count += 1;
  }
  return count;
}

async function printTable(
  source: RowSource,
  body: SearchBody,
  limit: number | 'all',
  { terminal, stop }: Context,
): Promise<void> {
  const most = limit === 'all' ? null : limit;
  const answer = await source.rows({ body, limit: most, format: 'ndjson', count: true });
  warn(answer, terminal);
  let rows = 0;
  async function* parsedRows(): AsyncGenerator<Record<string, unknown>> {
    for await (const row of objectsIn(answer.pieces)) {
      stop.check();
      rows += 1;
      yield row;
    }
  }
  const heads = (names: readonly string[]) => headsOf(names, labelIn(body));
  for await (const line of tableLines(parsedRows(), terminal.width, heads)) terminal.print(line);
  const { total } = answer;
  const more = most !== null && rows === most && (total === null || total > rows);
  const of = total === null ? '' : ` of ${grouped(total)}`;
  if (more) terminal.note(`${grouped(rows)}${of} rows; --limit all prints all.`);
  else terminal.note(`${grouped(rows)} row${rows === 1 ? '' : 's'}.`);
}

/** Labels columns as the console does, but for those that were given a header. */
function labelIn({ rows, columns }: SearchBody): (name: string) => string {
  const given = new Set(columns?.map(({ header }) => header));
  return (name) => {
    if (given.has(name)) return name;
    const path = name.replace(/^@/, '');
    return labelOf(path.startsWith(`${rows}.`) ? path.slice(`${rows}.`.length) : path);
  };
}

function warn({ warnings }: RowTexts, terminal: Context['terminal']): void {
  for (const warning of warnings) terminal.note(`warning: ${warning}`);
}

function limitOf(text: string): number | 'all' {
  if (text === 'all') return text;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    `must be a number of rows, or all (it is ${JSON.stringify(text)}).`,
  );
}

function urlOf(text: string): URL {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {
    // Told below.
  }
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new InvalidArgumentError(
    `must be a URL such as https://acme.api.identitynow.com (it is ${JSON.stringify(text)}).`,
  );
}
