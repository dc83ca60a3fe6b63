// Judges whether the tests detect a mutation. Runs the test files that execute the mutated code,
// the most likely to detect it first, until one fails or hangs twice in a row (once may be by
// chance, or because the machine is busy). An undetected mutation is also applied to the source,
// since the compiler may refuse it.
import type { BuiltCopy } from './built-copy.ts';
import type { Candidate } from './candidates.ts';
import { runNode } from './command.ts';
import { includes } from './executed-code.ts';
import type { TestFile } from './test-files.ts';
import { CompileError, withChangedFile } from './with-mutant.ts';

export type Verdict = 'caught' | 'timeout' | 'refused' | 'survived' | 'not executed';

export type Judgement = {
  readonly candidate: Candidate;
  /**
   * `timeout`: a test hangs, and `refused`: the source does not compile; both count as caught.
   * `not executed`: no test executes the code, which counts as survived.
   */
  readonly verdict: Verdict;
  /** The test file that detected the mutation; null if none did. */
  readonly by: string | null;
  /** The number of test files that ran, and of those that execute the code. */
  readonly run: number;
  readonly reaching: number;
  /** Test files that failed once and passed in a second run. */
  readonly unstable: readonly string[];
  readonly ms: number;
};

export type JudgeOptions = {
  /**
   * Limit of the total time of test files, as measured without a mutation; at least one file runs.
   */
  readonly secondsMax: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * A test file hangs if it takes longer than this multiple of its measured time plus this constant.
 */
const TIMES_MEASURED = 5;
const TIMEOUT_EXTRA_MS = 20_000;

/** Judges one mutation, and reverts it. */
export async function judge(
  copy: BuiltCopy,
  candidate: Candidate,
  testFiles: readonly TestFile[],
  options: JudgeOptions,
): Promise<Judgement> {
  const started = performance.now();
  const reaching = inOrder(candidate, testFiles);
  const text = await copy.read(candidate.file);
  const mutated = text.slice(0, candidate.start) + candidate.text + text.slice(candidate.end);
  const unstable: string[] = [];
  let run = 0;
  const judged = (verdict: Verdict, by: string | null): Judgement => {
    const ms = Math.round(performance.now() - started);
    return { candidate, verdict, by, run, reaching: reaching.length, unstable, ms };
  };
  const unnoticed = async (verdict: Verdict): Promise<Judgement> =>
    judged((await isRefused(copy, candidate, text)) ? 'refused' : verdict, null);
  if (reaching.length === 0) return unnoticed('not executed');
  const noticed = await withChangedFile(copy, candidate.file, mutated, async () => {
    let seconds = 0;
    for (const testFile of reaching) {
      if (run > 0 && seconds + testFile.ms / 1000 > options.secondsMax) continue;
      seconds += testFile.ms / 1000;
      run++;
      const outcome = await outcomeOf(copy, testFile, options.signal);
      if (outcome === 'timeout') return judged('timeout', testFile.file);
      if (outcome === 'failed') return judged('caught', testFile.file);
      if (outcome === 'unstable') unstable.push(testFile.file);
    }
    return null;
  });
  return noticed ?? unnoticed('survived');
}

/**
 * True if the TypeScript compiler refuses the mutation in the source. False also if the source
 * differs from the compiled code, so that the mutation cannot be applied.
 * @param text the compiled code without the mutation
 */
async function isRefused(copy: BuiltCopy, candidate: Candidate, text: string): Promise<boolean> {
  const original = text.slice(candidate.start, candidate.end);
  const lines = (await copy.read(candidate.source)).split('\n');
  const line = lines[candidate.line - 1] ?? '';
  if (!line.startsWith(original, candidate.column)) return false;
  const end = candidate.column + original.length;
  lines[candidate.line - 1] = line.slice(0, candidate.column) + candidate.text + line.slice(end);
  try {
    await withChangedFile(copy, candidate.source, lines.join('\n'), () => Promise.resolve());
    return false;
  } catch (error) {
    if (error instanceof CompileError) return true;
    throw error;
  }
}

async function outcomeOf(
  copy: BuiltCopy,
  { file, ms }: TestFile,
  signal: AbortSignal | undefined,
): Promise<'passed' | 'failed' | 'timeout' | 'unstable'> {
  const timeoutMs = ms * TIMES_MEASURED + TIMEOUT_EXTRA_MS;
  const once = async (): Promise<'passed' | 'failed' | 'timeout'> => {
    const { outcome } = await runNode(copy, [file], { timeoutMs, signal });
    await copy.clearTemporary();
    return outcome;
  };
  if ((await once()) === 'passed') return 'passed';
  const second = await once();
  return second === 'passed' ? 'unstable' : second;
}

/**
 * The passing test files that execute the mutated code: the test of the source first, then the
 * fastest; each common word of their paths compensates for twice the time.
 */
export function inOrder(
  candidate: Pick<Candidate, 'file' | 'start'>,
  testFiles: readonly TestFile[],
): TestFile[] {
  const beside = candidate.file.replace(/\.js$/, '.test.js');
  const words = wordsOf(candidate.file);
  const cost = ({ file, ms }: TestFile): number =>
    file === beside ? 0 : ms / 2 ** [...wordsOf(file)].filter((word) => words.has(word)).length;
  return testFiles
    .filter(
      ({ passed, executed }) => passed && includes(executed[candidate.file] ?? [], candidate.start),
    )
    .sort((a, b) => cost(a) - cost(b));
}

/**
 * `dist/src/backends/embedded/searching/embedded-search.js` is search and embedded; `profile` and
 * `profiles` are one word.
 */
function wordsOf(file: string): Set<string> {
  const words = file.replace(/(\.test)?\.js$/, '').split(/[/.-]/);
  return new Set(words.slice(1).map((word) => word.replace(/s$/, '')));
}
