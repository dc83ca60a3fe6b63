// The differential run: worlds are made from one seed after the other, each judge of a world answers the same cases, and
// what two of them do not agree on is told with the seed and a shrunk plan.
// Invariant: a case that only one judge answers is not counted.
import { ServiceError } from '../../src/errors.ts';
import type { Plan } from '../../src/query/plan.ts';
import { type Answer, assertSame } from './answer.ts';
import { type Case, Cases } from './cases.ts';
import { judgesOf } from './exclusions.ts';
import {
  engineJudge,
  type Judge,
  type JudgeName,
  naiveJudge,
  openSearchJudge,
  workersJudge,
} from './judges.ts';
import { shrunk } from './shrink.ts';
import { randomWorld, type World } from './world.ts';

export interface RunOptions {
  readonly cases: number;
  readonly seed: number;
  /** Where a real OpenSearch listens; without it the naive evaluator and the engine judge. */
  readonly openSearchUrl?: string;
  /** Whether the embedded backend with all its questions in search workers judges, too. */
  readonly workers?: 'judge';
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
}

const CASES_PER_WORLD = 200;
/** Worlds at a time: one is fed while the other is asked. */
const LANES = 2;
/** Cases of one world in flight. */
const IN_FLIGHT = 8;
const FAULTS_MAX = 10;
/** Characters of a document in a fault. */
const DOCUMENT_SHOWN = 1_500;

export async function runDifferential(options: RunOptions): Promise<Progress> {
  const progress: Progress = {
    ...{ cases: 0, telling: 0, refused: 0, faults: [] },
    ...{ byKind: new Map(), byJudge: new Map(), excluded: new Map() },
  };
  const worlds = Math.ceil(options.cases / CASES_PER_WORLD);
  const { faultsMax = FAULTS_MAX } = options;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < worlds && progress.faults.length < faultsMax) {
      const at = next;
      next += 1;
      const cases = Math.min(CASES_PER_WORLD, options.cases - at * CASES_PER_WORLD);
      await judgeWorld(randomWorld(options.seed + at), cases, options, progress);
      options.onProgress?.(progress);
    }
  };
  const lanes = options.openSearchUrl === undefined ? 1 : LANES;
  await Promise.all(Array.from({ length: lanes }, lane));
  return progress;
}

async function judgeWorld(
  world: World,
  wanted: number,
  { openSearchUrl, workers, faultsMax = FAULTS_MAX }: RunOptions,
  progress: Progress,
): Promise<void> {
  const judges = [naiveJudge(world), engineJudge(world)];
  if (workers === 'judge') judges.push(await workersJudge(world));
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
  if (fault === null) return;
  const names = judges.map(({ name }) => name);
  const fails = async (plan: Plan): Promise<boolean> => {
    const smaller = { ...one, plan };
    if (judgesOf(smaller, world, names).judges.length < names.length) return false;
    return (await compared(smaller, world, judges)).fault !== null;
  };
  const plan = await shrunk(one.plan, fails);
  const small = await compared({ ...one, plan }, world, judges);
  progress.faults.push(faultText({ ...one, plan }, number, world, small.fault ?? fault));
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

type Answers = Map<JudgeName, Answer | 'refused'>;

/** The engine is held against the naive evaluator, the others against the engine. */
async function compared(
  one: Case,
  world: World,
  judges: readonly Judge[],
): Promise<{ readonly fault: string | null; readonly answers: Answers }> {
  const answers: Answers = new Map();
  let at: JudgeName = 'engine';
  try {
    for (const judge of judges) {
      at = judge.name;
      const answer = await answerOf(judge, one);
      answers.set(judge.name, answer);
      const before = answers.get(judge.name === 'engine' ? 'naive' : 'engine');
      if (answer === 'refused' || before === undefined || before === 'refused') continue;
      assertSame(answer, before, one.plan, world.change);
    }
    return { fault: null, answers };
  } catch (error) {
    const details = error instanceof ServiceError ? JSON.stringify(error.details) : '';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { fault: `${at}: ${text.slice(0, 2500)} ${details}`, answers };
  }
}

/** OpenSearch gives up on expressions that the engine still takes (docs/differences.md). */
async function answerOf(judge: Judge, one: Case): Promise<Answer | 'refused'> {
  try {
    return await judge.answer(one);
  } catch (error) {
    const limit = error instanceof ServiceError && error.code === 'limit_exceeded';
    if (judge.name === 'openSearch' && limit) return 'refused';
    throw error;
  }
}

function tells(answer: Answer | 'refused' | undefined): boolean {
  if (answer === undefined || answer === 'refused') return false;
  const { all = [], count = 0, values, aggregations } = answer;
  return all.length + count + (values?.total ?? 0) > 0 || aggregations !== undefined;
}

function faultText(one: Case, number: number, world: World, fault: string): string {
  const named = [...world.indexes].flatMap(([index, { documents, mapping }]) =>
    documents
      .filter(({ id }) => fault.includes(`${index} ${id}`))
      .slice(0, 1)
      .map((document) => `${index}: ${JSON.stringify(document)} ${mapping.nestedPaths}`),
  );
  return [
    `--seed ${world.seed} --cases 200, case ${number} (${one.kind}, asks ${one.asks}, documents ${world.change})`,
    `shrunk plan: ${JSON.stringify(one.plan)}`,
    ...(one.request === undefined ? [] : [`request: ${JSON.stringify(one.request)}`]),
    ...named.map((text) => text.slice(0, DOCUMENT_SHOWN)),
    fault,
  ].join('\n');
}
