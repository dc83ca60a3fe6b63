// Whether the tests notice one mutation: the test files that execute the mutated place run one after the other, the most
// likely to notice first, until one fails twice in a row (one that fails only once may have failed by chance). What they
// do not notice is made in the source too: the compiler may refuse it.
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
   * `not executed`: no test reaches the place, which counts as survived.
   */
  readonly verdict: Verdict;
  /** The test file that noticed, null where none did. */
  readonly by: string | null;
  /** How many test files ran, and how many execute the place. */
  readonly run: number;
  readonly reaching: number;
  /** Test files that failed once and passed when they were run again. */
  readonly unstable: readonly string[];
  readonly ms: number;
};

export type JudgeOptions = {
  /** At most so many seconds of test files (as measured without a mutation) run, at least one file. */
  readonly secondsMax: number;
  readonly signal?: AbortSignal | undefined;
};

/** A mutated test file may take so many times its measured time, and this much more, before it counts as hanging. */
const TIMES_MEASURED = 5;
const TIMEOUT_EXTRA_MS = 20_000;

/** Judges one mutation. Takes it back before it returns. */
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
 * Whether the TypeScript compiler refuses the mutation in the source. False also where the source is written in
 * another way than the compiled code, so that the mutation cannot be made there.
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
  const first = await once();
  if (first !== 'failed') return first;
  return (await once()) === 'passed' ? 'unstable' : 'failed';
}

/**
 * The passing test files that execute the mutated place: the one beside the source first, then the fastest, where each
 * word that a path has in common with the source's path makes up for twice the time.
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

/** `dist/src/backends/embedded/searching/search-pool.js` is search, embedded and pool; `profile` and `profiles` are one word. */
function wordsOf(file: string): Set<string> {
  const words = file.replace(/(\.test)?\.js$/, '').split(/[/.-]/);
  return new Set(words.slice(1).map((word) => word.replace(/s$/, '')));
}
