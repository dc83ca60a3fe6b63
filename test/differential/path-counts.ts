// Counts how often each path of paths.ts is taken, with V8's precise coverage of this thread, so
// that the engine needs no hooks.
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { PATHS, type Path } from './paths.ts';

/** Minimum number of cases to judge whether a path is taken often enough. */
const CASES_MIN = 2_500;

export class PathCounts {
  readonly #session = new Session();
  readonly #counts = new Map<Path, number>(PATHS.map((path) => [path, 0]));
  /** Offsets of markers by the URL of the file. */
  readonly #offsets = new Map<string, ReadonlyMap<string, number>>();

  /** Starts counting; the modules of the engine may be loaded before. */
  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Stops counting. @returns how often each path was taken */
  stop(): ReadonlyMap<Path, number> {
    this.add();
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
    return this.#counts;
  }

  /** Adds the counts since the last call. */
  add(): void {
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      const scripts = new Map(answer.result.map((script) => [script.url, script]));
      for (const path of PATHS) {
        const url = compiledUrl(path.file);
        const script = scripts.get(url);
        if (script === undefined) continue;
        const offset = this.#offsetsIn(url).get(path.name);
        if (offset === undefined) throw new Error(`${url} has no marker "path: ${path.name}"`);
        this.#counts.set(path, this.#counts.get(path)! + countAt(script, offset));
      }
    });
  }

  #offsetsIn(url: string): ReadonlyMap<string, number> {
    let offsets = this.#offsets.get(url);
    if (offsets === undefined) {
      offsets = markedOffsets(readFileSync(fileURLToPath(url), 'utf8'));
      this.#offsets.set(url, offsets);
    }
    return offsets;
  }
}

/** Whether a run of this many cases can be expected to take every path. */
export const enoughForPaths = (cases: number): boolean => cases >= CASES_MIN;

/**
 * Describes the paths that were not taken often enough.
 * @param cases the number of cases; the result is empty if there are too few
 */
export function missedPaths(counts: ReadonlyMap<Path, number>, cases: number): string[] {
  if (!enoughForPaths(cases)) return [];
  const perCases = (perThousand: number): number =>
    Math.max(1, Math.floor((perThousand * cases) / 1000));
  const times = new Map([...counts].map(([{ file, name }, count]) => [`${file}: ${name}`, count]));
  return [...counts].flatMap(([{ file, name, least }, count]) => {
    const needed =
      typeof least === 'number'
        ? perCases(least)
        : perCases(least.more) + (times.get(`${file}: ${least.than}`) ?? 0);
    return count >= needed
      ? []
      : [`${file}: ${name}: taken ${count} times, at least ${needed} needed`];
  });
}

/** A readable table with one line for each path. */
export function pathTable(counts: ReadonlyMap<Path, number>): string {
  const lines = [...counts].map(([{ file, name }, count]) => `| ${file} | ${name} | ${count} |`);
  return ['| File | Path | Times |', '|---|---|---|', ...lines].join('\n');
}

/**
 * Where the code behind each marker of a file begins, by the name of the path.
 * @throws Error if two markers have the same name
 */
export function markedOffsets(code: string): Map<string, number> {
  const offsets = new Map<string, number>();
  for (const marker of code.matchAll(MARKER)) {
    const name = (marker[1] ?? marker[2])!;
    if (offsets.has(name)) throw new Error(`Two markers "path: ${name}": rename one of them`);
    offsets.set(name, marker.index + marker[0].length);
  }
  return offsets;
}

/** A marker and the white space after it. */
const MARKER = /(?:\/\/ path: (.+)|\/\* path: (.+?) \*\/)\s*/g;

const compiledUrl = (file: string): string => new URL(`../../src/${file}.js`, import.meta.url).href;

/** How often the code at an offset ran: the count of the innermost block around it. */
function countAt(script: Profiler.ScriptCoverage, offset: number): number {
  let count = 0;
  let length = Number.POSITIVE_INFINITY;
  for (const { ranges } of script.functions) {
    for (const { startOffset, endOffset, count: times } of ranges) {
      if (startOffset > offset || endOffset <= offset || endOffset - startOffset > length) continue;
      count = times;
      length = endOffset - startOffset;
    }
  }
  return count;
}
