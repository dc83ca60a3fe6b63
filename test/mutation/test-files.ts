// Runs the compiled test files of a copy once without a mutation: measures their time, whether they
// pass, and which parts of `src/` they execute. Caches results in a file until a compiled file
// changes that the test loads.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import type { BuiltCopy } from './built-copy.ts';
import { runNode } from './command.ts';
import { type ExecutedCode, readExecutedCode } from './executed-code.ts';

/** The result of one test file without a mutation. */
export type TestFile = {
  /** Path from the root, such as `dist/src/query/lexer.test.js`. */
  readonly file: string;
  readonly passed: boolean;
  readonly ms: number;
  /** The executed ranges of `dist/src/`, in all its processes and threads. */
  readonly executed: ExecutedCode;
};

export type MeasureOptions = {
  /** Absolute path of the cache file. */
  readonly cacheFile: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called after each test file. */
  readonly onProgress?: (done: number, all: number, file: TestFile) => void;
};

/** Results by test file, with the compiled files that it loads and their digest. */
type Cache = Record<string, TestFile & { readonly loaded: string[]; readonly digest: string }>;

/** Sorted paths of the compiled tests from the root, without those whose source was deleted. */
export async function listTestFiles(copy: BuiltCopy): Promise<string[]> {
  const names = await readdir(copy.path('dist'), { recursive: true });
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.js'))
    .filter((name) => existsSync(copy.path(`${name.slice(0, -'.js'.length)}.ts`)))
    .map((name) => join('dist', name))
    .sort();
}

/**
 * Runs the files without a cached result, one after the other, and returns all results.
 * A file that fails is run once more, and again in each call.
 */
export async function measureTestFiles(
  copy: BuiltCopy,
  files: readonly string[],
  options: MeasureOptions,
): Promise<TestFile[]> {
  const cache = await readCache(options.cacheFile);
  const digests = new Map<string, string>();
  const measured: TestFile[] = [];
  for (const file of files) {
    const cached = cache[file];
    if (cached !== undefined && (await digestOf(copy, cached.loaded, digests)) === cached.digest) {
      measured.push(cached);
      continue;
    }
    const first = await measure(copy, file, options);
    const result = first.passed ? first : await measure(copy, file, options);
    measured.push(result);
    if (result.passed) {
      cache[file] = { ...result, digest: await digestOf(copy, result.loaded, digests) };
      await writeCache(options.cacheFile, cache);
    }
    options.onProgress?.(measured.length, files.length, result);
  }
  return measured;
}

async function measure(
  copy: BuiltCopy,
  file: string,
  options: MeasureOptions,
): Promise<TestFile & { readonly loaded: string[] }> {
  const folder = copy.path('coverage');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const { outcome, ms } = await runNode(copy, [file], {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    env: { NODE_V8_COVERAGE: folder },
  });
  await copy.clearTemporary();
  const all = Object.entries(await readExecutedCode(folder, copy.root, 'dist/'));
  await rm(folder, { recursive: true, force: true });
  const loaded = all.map(([name]) => name).sort();
  const executed = Object.fromEntries(all.filter(([name]) => name.startsWith('dist/src/')));
  return { file, passed: outcome === 'passed', ms: Math.round(ms), executed, loaded };
}

/** A digest of the names and texts of compiled files; a missing file counts as empty. */
async function digestOf(
  copy: BuiltCopy,
  files: readonly string[],
  digests: Map<string, string>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const file of files) {
    const text = async (): Promise<string> =>
      existsSync(copy.path(file)) ? copy.read(file) : Promise.resolve('');
    const ofFile =
      digests.get(file) ??
      createHash('sha256')
        .update(await text())
        .digest('hex');
    digests.set(file, ofFile);
    digest.update(`${file} ${ofFile}\n`);
  }
  return digest.digest('hex');
}

async function readCache(file: string): Promise<Cache> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Cache) : {};
}

async function writeCache(file: string, cache: Cache): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(cache));
}
