// Reads which parts of compiled files a process executed, from V8's coverage (NODE_V8_COVERAGE),
// which has one file for each process and worker thread. Ranges are offsets in the compiled file.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Alternating starts and ends of executed ranges, ascending: [0, 10, 20, 25] are two ranges. */
export type Ranges = readonly number[];

/** Executed ranges by path of the compiled file from the root. */
export type ExecutedCode = Readonly<Record<string, Ranges>>;

type CoverageRange = {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
};
type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly CoverageRange[] }[];
  }[];
};

/**
 * Reads all coverage of a folder.
 * @param root the copy in which the processes ran
 * @param below only files below this path, such as `dist/src/`
 */
export async function readExecutedCode(
  folder: string,
  root: string,
  below: string,
): Promise<ExecutedCode> {
  const base = `${pathToFileURL(root).href}/`;
  const executed: Record<string, Ranges> = {};
  for (const name of await readdir(folder)) {
    const coverage = JSON.parse(await readFile(join(folder, name), 'utf8')) as Coverage;
    for (const { url, functions } of coverage.result) {
      if (!url.startsWith(base + below)) continue;
      const file = url.slice(base.length);
      const ranges = executedRanges(functions.flatMap((each) => each.ranges));
      executed[file] = union(executed[file] ?? [], ranges);
    }
  }
  return executed;
}

/**
 * Flattens nested ranges with counts: the innermost range decides at each offset.
 * V8 lists an outer range before its inner ones, and ranges are nested or disjoint.
 */
export function executedRanges(ranges: readonly CoverageRange[]): Ranges {
  const sorted = [...ranges].sort(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  );
  const open: CoverageRange[] = [];
  const flat: number[] = [];
  let from = 0;
  const close = (until: number): void => {
    if ((open.at(-1)?.count ?? 0) > 0) append(flat, from, until);
    from = until;
  };
  const closeUntil = (offset: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= offset; ) {
      close(last.endOffset);
      open.pop();
      last = open.at(-1);
    }
  };
  for (const range of sorted) {
    closeUntil(range.startOffset);
    close(range.startOffset);
    open.push(range);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return flat;
}

/** True if an offset is in one of the ranges. */
export function includes(ranges: Ranges, offset: number): boolean {
  const end = ranges.findIndex((each) => each > offset);
  return end % 2 === 1;
}

export function union(a: Ranges, b: Ranges): Ranges {
  const pairs = [...pairsOf(a), ...pairsOf(b)].sort(([x], [y]) => x - y);
  const joined: number[] = [];
  for (const [start, end] of pairs) append(joined, start, end);
  return joined;
}

function* pairsOf(ranges: Ranges): Iterable<[number, number]> {
  for (let at = 0; at < ranges.length; at += 2) {
    yield [ranges[at] as number, ranges[at + 1] as number];
  }
}

/** Adds a range that does not start before the last one, and joins adjacent ranges. */
function append(ranges: number[], start: number, end: number): void {
  if (start >= end) return;
  const last = ranges.at(-1);
  if (last === undefined || start > last) ranges.push(start, end);
  else ranges[ranges.length - 1] = Math.max(last, end);
}
