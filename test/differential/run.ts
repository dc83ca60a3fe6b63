// The differential run: worlds are made from one seed after the other, each judge of a world answers the same cases, and
// what two of them do not agree on is reported with the seed, a shrunk plan and a golden case (fault.ts).
// Invariant: a case that only one judge answers is not counted.
import type { Answer } from './answer.ts';
import { filesJudge, openSearchJudge, workersJudge } from './backend-judges.ts';
import { type Case, Cases, casesOf } from './cases.ts';
import { engineJudge } from './engine-judge.ts';
import { judgesOf } from './exclusions.ts';
import { compared, shrunkFault } from './fault.ts';
import { type Judge, type JudgeName, naiveJudge } from './judge.ts';
import { PathCounts } from './path-counts.ts';
import type { Path } from './paths.ts';
import { randomWorld, type World } from './world.ts';

export interface RunOptions {
  /** Whether the execution paths of the engine are counted. */
  readonly countPaths?: boolean;
  readonly cases: number;
  readonly seed: number;
  /** Where a real OpenSearch listens; without it the naive evaluator and the engine judge. */
  readonly openSearchUrl?: string;
  /** The worlds in which search workers answer, too, while documents are written anew: all, or some in a row of worlds. */
  readonly workers?: 'in all worlds' | 'in some worlds';
  /** After so many faults it ends. */
  readonly faultsMax?: number;
  /** Hears how far it is, after each world. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  cases: number;
  /** Cases that matched something. */
  telling: number;
  readonly byKind: Map<string, number>;
  /** Answers of each judge that were held against another's. */
  readonly byJudge: Map<JudgeName, number>;
  /** How often a judge was not asked, by the reason in exclusions.ts. */
  readonly excluded: Map<string, number>;
  /** Queries that OpenSearch gave up on by design. */
  refused: number;
  readonly faults: string[];
  /** How often each execution path was taken, where they are counted; complete at the end of the run. */
  paths: ReadonlyMap<Path, number> | null;
}

/** Worlds at a time: one is fed while the other is asked. */
const LANES = 2;
/** Cases of one world in flight. */
const IN_FLIGHT = 8;
const FAULTS_MAX = 10;

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
      await judgeWorld(world, cases, options, progress);
      counts?.add();
      options.onProgress?.(progress);
    }
  };
  const lanes = options.openSearchUrl === undefined ? 1 : LANES;
  await Promise.all(Array.from({ length: lanes }, lane));
  progress.paths = counts?.stop() ?? null;
  return progress;
}

async function judgeWorld(
  world: World,
  wanted: number,
  { openSearchUrl, workers, faultsMax = FAULTS_MAX }: RunOptions,
  progress: Progress,
): Promise<void> {
  const judges = [naiveJudge(world), engineJudge(world)];
  // Files and threads take long to set up: where much is found by them, and in some small worlds.
  if (world.seed % 4 === 0 || world.seed % 16 === 2) judges.push(await filesJudge(world));
  if (workers === 'in all worlds' || (workers !== undefined && world.seed % 8 === 4)) {
    judges.push(await workersJudge(world));
  }
  if (openSearchUrl !== undefined) {
    judges.push(await openSearchJudge(world, openSearchUrl, `differential-${world.seed}`));
  }
  try {
    const cases = new Cases(world);
    let number = 0;
    let done = 0;
    const worker = async (): Promise<void> => {
      while (done < wanted && progress.faults.length < faultsMax) {
        const own = number;
        number += 1;
        const one = cases.at(own);
        const asked = chosen(one, world, judges, progress);
        if (asked.length < 2) continue;
        done += 1;
        await judgeCase(one, own, world, asked, progress);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  } finally {
    await Promise.all(judges.map((judge) => judge.close()));
  }
}

function chosen(one: Case, world: World, judges: readonly Judge[], progress: Progress): Judge[] {
  const names = judges.map(({ name }) => name);
  const found = judgesOf(one, world, names);
  for (const { judge, because } of found.excluded) count(progress.excluded, `${judge}: ${because}`);
  return judges.filter(({ name }) => found.judges.includes(name));
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
  if (answers.get('openSearch') === 'refused') progress.refused += 1;
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
