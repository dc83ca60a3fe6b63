// The differential run: creates worlds from consecutive seeds, runs the same cases with each judge,
// and reports differences with the seed, a shrunk plan and a golden case (fault.ts).
// Invariant: a case that only one judge runs is not counted.
import type { Answer } from './answer.ts';
import { filesJudge, openSearchJudge, threadsJudge } from './backend-judges.ts';
import { type Case, Cases, casesOf } from './cases.ts';
import { engineJudge } from './engine-judge.ts';
import { judgesOf } from './exclusions.ts';
import { compared, shrunkFault } from './fault.ts';
import { type Judge, type JudgeName, naiveJudge } from './judge.ts';
import { PathCounts } from './path-counts.ts';
import type { Path } from './paths.ts';
import { randomWorld, type World } from './world.ts';

export interface RunOptions {
  /** True to count the execution paths of the engine. */
  readonly countPaths?: boolean;
  readonly cases: number;
  readonly seed: number;
  /** URL of a real OpenSearch; without it only the naive evaluator and the engine run. */
  readonly openSearchUrl?: string;
  /** Only cases of these kinds; all if omitted. */
  readonly kinds?: readonly string[];
  /** Shards of each index in OpenSearch; 1 by default. */
  readonly shards?: number;
  /** The worlds with other threads that search and concurrent rewrites as another judge. */
  readonly threads?: 'in all worlds' | 'in some worlds';
  /** Number of faults after which the run stops. */
  readonly faultsMax?: number;
  /** Called after each world. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  cases: number;
  /** Cases with matches. */
  telling: number;
  readonly byKind: Map<string, number>;
  /** Number of compared results of each judge. */
  readonly byJudge: Map<JudgeName, number>;
  /** Number of skipped cases by the reason in exclusions.ts. */
  readonly excluded: Map<string, number>;
  /** Queries that exceeded a limit of OpenSearch. */
  refused: number;
  readonly faults: string[];
  /** Counts of execution paths, if enabled; complete at the end of the run. */
  paths: ReadonlyMap<Path, number> | null;
}

/** Concurrent worlds: one is fed while the other is searched. */
const LANES = 2;
/** Cases of one world in flight. */
const IN_FLIGHT = 8;
const FAULTS_MAX = 10;
/** Cases drawn for each that is wanted: in some worlds only one judge answers those of a kind. */
const DRAWN_MAX = 100;

export async function runDifferential(options: RunOptions): Promise<Progress> {
  const progress: Progress = {
    ...{ cases: 0, telling: 0, refused: 0, faults: [] },
    ...{ byKind: new Map(), byJudge: new Map(), excluded: new Map(), paths: null },
  };
  const counts = options.countPaths === true ? new PathCounts() : null;
  counts?.start();
  let left = options.cases;
  const { faultsMax = FAULTS_MAX } = options;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (left > 0 && progress.faults.length < faultsMax) {
      const world = randomWorld(options.seed + next);
      next += 1;
      const cases = Math.min(casesOf(world), left);
      left -= cases;
      const judged = await judgeWorld(world, cases, options, progress);
      left += cases - judged;
      counts?.add();
      options.onProgress?.(progress);
    }
  };
  const lanes = options.openSearchUrl === undefined ? 1 : LANES;
  await Promise.all(Array.from({ length: lanes }, lane));
  progress.paths = counts?.stop() ?? null;
  return progress;
}

/** @returns the number of cases that were judged */
async function judgeWorld(
  world: World,
  wanted: number,
  { openSearchUrl, shards = 1, threads, kinds, faultsMax = FAULTS_MAX }: RunOptions,
  progress: Progress,
): Promise<number> {
  const judges = [naiveJudge(world), engineJudge(world)];
  // Files and threads are slow to set up, so only in larger and some small worlds.
  if (world.seed % 4 === 0 || world.seed % 16 === 2) judges.push(await filesJudge(world));
  if (threads === 'in all worlds' || (threads !== undefined && world.seed % 8 === 4)) {
    judges.push(await threadsJudge(world));
  }
  if (openSearchUrl !== undefined) {
    const prefix = `differential-${world.seed}`;
    judges.push(await openSearchJudge(world, openSearchUrl, prefix, shards));
  }
  try {
    const cases = new Cases(world);
    let number = 0;
    let done = 0;
    const worker = async (): Promise<void> => {
      const most = wanted * DRAWN_MAX;
      while (done < wanted && number < most && progress.faults.length < faultsMax) {
        const own = number;
        number += 1;
        const one = cases.at(own);
        if (kinds?.includes(one.kind) === false) continue;
        const chosenJudges = chosen(one, world, judges, progress);
        if (chosenJudges.length < 2) continue;
        done += 1;
        await judgeCase(one, own, world, chosenJudges, progress);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    return done;
  } finally {
    await Promise.all(judges.map((judge) => judge.close()));
  }
}

function chosen(one: Case, world: World, judges: readonly Judge[], progress: Progress): Judge[] {
  const names = judges.map(({ name }) => name);
  const choice = judgesOf(one, world, names);
  for (const { judge, because } of choice.excluded)
    count(progress.excluded, `${judge}: ${because}`);
  return judges.filter(({ name }) => choice.judges.includes(name));
}

async function judgeCase(
  one: Case,
  number: number,
  world: World,
  judges: readonly Judge[],
  progress: Progress,
): Promise<void> {
  const { fault, answers } = await compared(one, world, judges);
  progress.cases += 1;
  count(progress.byKind, one.kind);
  for (const { name } of judges) count(progress.byJudge, name);
  if ([...answers.values()].includes('refused')) progress.refused += 1;
  if (tells(answers.get('engine'))) progress.telling += 1;
  if (fault !== null) progress.faults.push(await shrunkFault(one, number, world, judges, fault));
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function tells(answer: Answer | 'refused' | undefined): boolean {
  if (answer === undefined || answer === 'refused') return false;
  const { all = [], count = 0, values, aggregations } = answer;
  return all.length + count + (values?.total ?? 0) > 0 || aggregations !== undefined;
}
