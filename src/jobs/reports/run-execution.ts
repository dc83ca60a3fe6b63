// Executes a saved search: walks through the documents of each index and writes their rows as CSV, in
// compressed parts.
// Invariant: counts are exact; rows end at the limits, which bound rows, bytes and time of a run.
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Reader } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { cellText, csvRow } from '../../query/csv-row.ts';
import { INDEX_NAMES, typeOf } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import type { SavedSearch, TypeResult } from '../../service/ports/saved-search-records.ts';
import type { CheckSearch, Search } from '../../service/searching/search.ts';
import { headerOf, rowOf } from './result-csv.ts';

/** Limits of one run. */
export interface RunLimits {
  readonly rows: number;
  /** Bytes of CSV. */
  readonly bytes: number;
  readonly timeMs: number;
  /** Documents of one page; at most what a search may return. */
  readonly pageSize: number;
}

/** Where a run writes, and how it ends early. */
export interface RunTarget {
  /** The owner of the run, as of now. */
  readonly reader: Reader;
  readonly signal: AbortSignal;
  /** Writes a part of the CSV of a type, numbered from 0, compressed with gzip. */
  writePart(type: string, part: number, bytes: Uint8Array): Promise<void>;
}

const PREVIEW_ROWS = 10;
const PREVIEW_CELL = 200;
const PART_BYTES = 256 * 1024;
/** Documents of this size are converted between two turns of the event loop. */
const TURN_BYTES = 256 * 1024;
/** Longest page; shorter than a lease. */
const PAGE_MS = 10_000;

const compress = promisify(gzip);

/**
 * Runs the search.
 * @returns the result of each type, in the order of their indexes
 * @throws ServiceError as Search.search; `deadline_exceeded` also for the time of the whole run
 */
export async function executeSearch(
  search: Pick<Search, 'walk' | 'checker' | 'shownColumns'>,
  saved: SavedSearch,
  limits: RunLimits,
  target: RunTarget,
): Promise<readonly TypeResult[]> {
  const left = { ...limits };
  const ends = performance.now() + limits.timeMs;
  const results: TypeResult[] = [];
  for (const index of indexesOf(saved)) {
    const result = await executeIndex(search, { saved, index, left, ends }, target);
    results.push(result);
  }
  return results;
}

interface IndexExecution {
  readonly saved: SavedSearch;
  readonly index: IndexName;
  /** What is left of the limits; counted down. */
  readonly left: { rows: number; bytes: number; readonly pageSize: number };
  /** By the clock of `performance`. */
  readonly ends: number;
}

async function executeIndex(
  search: Pick<Search, 'walk' | 'checker' | 'shownColumns'>,
  { saved, index, left, ends }: IndexExecution,
  target: RunTarget,
): Promise<TypeResult> {
  const { reader, signal } = target;
  const type = typeOf(index);
  const chosen = saved.columns[type] ?? [];
  const shown = chosen.length > 0 ? [] : await search.shownColumns(reader, index, signal);
  const columns = chosen.length > 0 ? chosen : shown.map((field) => ({ field, header: null }));
  const preview = [headerOf(columns)];
  const parts = new PartWriter(type, target);
  await parts.add(csvRow(headerOf(columns)));
  const body = await requestOf(saved, index, search.checker(reader));
  const options = { size: left.pageSize, timeoutMs: PAGE_MS, signal };
  let [count, rows, bytes] = [0, 0, 0];
  for await (const { hits, total } of search.walk(reader, body, options)) {
    signal.throwIfAborted();
    count = total ?? count;
    for (const hit of hits) {
      if (left.rows === 0 || left.bytes <= 0) break;
      const values = rowOf(hit, columns);
      const cells = values.map(cellText);
      // Columns may repeat a long value: the line is built only if it fits.
      if (cells.reduce((sum, { length }) => sum + length, 0) > left.bytes) {
        left.bytes = 0;
        break;
      }
      if (preview.length <= PREVIEW_ROWS) preview.push(cells.map(shortened));
      left.bytes -= await parts.add(csvRow(values));
      left.rows -= 1;
      rows += 1;
      bytes += hit.root.length + hit.nested.length;
      if (bytes < TURN_BYTES) continue;
      bytes = 0;
      await turn();
    }
    if (left.rows === 0 || left.bytes <= 0) break;
    if (performance.now() > ends) {
      throw new ServiceError('deadline_exceeded', 'The run took too long.');
    }
  }
  await parts.end();
  return { type, count, rows, preview };
}

function shortened(cell: string): string {
  return cell.length > PREVIEW_CELL ? `${cell.slice(0, PREVIEW_CELL)}…` : cell;
}

/** Collects lines and writes them in parts. */
class PartWriter {
  readonly #type: string;
  readonly #target: RunTarget;
  #lines: Buffer[] = [];
  #bytes = 0;
  #part = 0;

  constructor(type: string, target: RunTarget) {
    this.#type = type;
    this.#target = target;
  }

  /** @returns the bytes of the line */
  async add(line: string): Promise<number> {
    const bytes = Buffer.from(line);
    this.#lines.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= PART_BYTES) await this.end();
    return bytes.length;
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    if (this.#bytes === 0) return;
    const bytes = await compress(Buffer.concat(this.#lines));
    [this.#lines, this.#bytes] = [[], 0];
    await this.#target.writePart(this.#type, this.#part++, bytes);
  }
}

function indexesOf({ indices }: SavedSearch): readonly IndexName[] {
  return INDEX_NAMES.filter((index) => indices.includes('*') || indices.includes(index));
}

/** The search of one index, in an order without ties. */
async function requestOf(
  saved: SavedSearch,
  index: IndexName,
  check: CheckSearch,
): Promise<object> {
  const type = typeOf(index);
  const { query, fields, filters } = saved;
  const keys = saved.orderBy?.[type] ?? saved.sort ?? [];
  const sort: string[] = [];
  for (const key of keys) {
    if (await isSortable(check, index, key)) sort.push(key);
  }
  if (!sort.some((key) => /^[+-]?\s*id$/.test(key))) sort.push('id');
  const includeNested = (saved.columns[type] ?? []).length > 0;
  return { indices: [index], query: { query, fields }, filters, sort, includeNested };
}

/** A key of several indexes need not be a field of each. */
async function isSortable(check: CheckSearch, index: IndexName, key: string): Promise<boolean> {
  try {
    await check({ indices: [index], query: { query: '*' }, sort: [key] });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'request_invalid') return false;
    throw error;
  }
}
