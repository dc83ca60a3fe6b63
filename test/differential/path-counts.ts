// Counts how often each path of paths.ts is taken, with V8's precise coverage of this thread, so
// that the engine needs no hooks.
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PATHS, type Path } from './paths.ts';

/** Minimum number of cases to judge whether a path is taken often enough. */
const CASES_MIN = 2_500;

export class PathCounts {
  readonly #session = new Session();
  readonly #counts = new Map<Path, number>(PATHS.map((path) => [path, 0]));

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
        const url = urlOf(path.file);
        const script = scripts.get(url);
        if (script === undefined) continue;
        const less = path.less === undefined ? 0 : countAt(script, url, path.less);
        const count = countAt(script, url, path.statement) - less;
        this.#counts.set(path, this.#counts.get(path)! + count);
      }
    });
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
  return [...counts].flatMap(([{ part, path, least }, count]) => {
    const needed = Math.max(1, Math.floor((least * cases) / 1000));
    return count >= needed
      ? []
      : [`${part}: ${path}: taken ${count} times, at least ${needed} needed`];
  });
}

/** A readable table with one line for each path. */
export function pathTable(counts: ReadonlyMap<Path, number>): string {
  const lines = [...counts].map(([{ part, path }, count]) => `| ${part} | ${path} | ${count} |`);
  return ['| Part | Path | Times |', '|---|---|---|', ...lines].join('\n');
}

const urlOf = (file: string): string => new URL(`../../src/${file}.js`, import.meta.url).href;

const offsets = new Map<string, number>();

/** The offset of a statement in its compiled file. */
export function offsetOf(url: string, statement: string): number {
  const key = `${url} ${statement}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    const code = readFileSync(fileURLToPath(url), 'utf8');
    offset = code.indexOf(statement);
    const again = code.indexOf(statement, offset + 1);
    if (offset < 0 || again >= 0) {
      const times = offset < 0 ? 'never' : 'more than once';
      throw new Error(`paths.ts: "${statement}" occurs ${times} in ${pathToFileURL(url)}`);
    }
    offsets.set(key, offset);
  }
  return offset;
}

/** How often a statement ran: the count of the innermost block around it. */
function countAt(script: Profiler.ScriptCoverage, url: string, statement: string): number {
  const offset = offsetOf(url, statement);
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
