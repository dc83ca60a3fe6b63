// Compares the results of judges, and reports a difference: the seed, a shrunk plan, and a shrunk
// world as a golden case.
import { ServiceError } from '../../src/errors.ts';
import type { Plan } from '../../src/query/plan.ts';
import { type Answer, assertSame } from './answer.ts';
import { type Case, casesOf } from './cases.ts';
import { engineJudge } from './engine-judge.ts';
import { judgesOf } from './exclusions.ts';
import { goldenText } from './golden-text.ts';
import { type Judge, type JudgeName, naiveJudge } from './judge.ts';
import { shrunk } from './shrink.ts';
import { shrunkWorld } from './shrink-world.ts';
import type { World } from './world.ts';

/** Maximum characters of a document in a report. */
const DOCUMENT_SHOWN = 1_500;

export type Answers = Map<JudgeName, Answer | 'refused'>;

/** The results of the judges for one case, up to the first difference. */
export interface Comparison {
  readonly fault: string | null;
  /** The judge that differs or throws. */
  readonly at: JudgeName;
  readonly answers: Answers;
}

/** Creates the pair of judges that shrinks a world: the naive evaluator and the engine. */
export type MakeJudges = (world: World) => readonly Judge[];

const localJudges: MakeJudges = (world) => [naiveJudge(world), engineJudge(world)];

/** Compares the engine with the naive evaluator, and the other judges with the engine. */
export async function compared(
  one: Case,
  world: World,
  judges: readonly Judge[],
): Promise<Comparison> {
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
    return { fault: null, at, answers };
  } catch (error) {
    const details = error instanceof ServiceError ? JSON.stringify(error.details) : '';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { fault: `${at}: ${text.slice(0, 2500)} ${details}`, at, answers };
  }
}

/** OpenSearch refuses some expressions that the engine accepts (docs/cluster.md). */
/** OpenSearch with one shard and with several refuses expressions that it cannot compile. */
const REFUSING: ReadonlySet<JudgeName> = new Set(['openSearch', 'shards']);

async function answerOf(judge: Judge, one: Case): Promise<Answer | 'refused'> {
  try {
    return await judge.answer(one);
  } catch (error) {
    const limit = error instanceof ServiceError && error.code === 'limit_exceeded';
    if (REFUSING.has(judge.name) && limit) return 'refused';
    throw error;
  }
}

/**
 * Reports a case for which judges differ. Shrinks the plan with these judges, and the world if the
 * naive evaluator and the engine alone show the fault.
 * @param fault the message of `compared`
 * @param makeJudges for tests: creates the pair that shrinks the world
 */
export async function shrunkFault(
  one: Case,
  number: number,
  world: World,
  judges: readonly Judge[],
  fault: string,
  makeJudges: MakeJudges = localJudges,
): Promise<string> {
  const names = judges.map(({ name }) => name);
  const plan = await shrunk(one.plan, async (smaller: Plan): Promise<boolean> => {
    const smallerCase = { ...one, plan: smaller };
    if (judgesOf(smallerCase, world, names).judges.length < names.length) return false;
    return (await compared(smallerCase, world, judges)).fault !== null;
  });
  const small = { ...one, plan };
  const last = await compared(small, world, judges);
  return [
    faultText(small, number, world, last.fault ?? fault),
    await goldenOf(small, world, makeJudges),
  ].join('\n');
}

/** The golden case of a fault, or why there is none. */
async function goldenOf(one: Case, world: World, makeJudges: MakeJudges): Promise<string> {
  const fails = async (smaller: World, smallerCase: Case): Promise<boolean> => {
    const names = judgesOf(smallerCase, smaller, ['naive', 'engine']).judges;
    if (names.length < 2) return false;
    const { fault, at } = await compared(smallerCase, smaller, makeJudges(smaller));
    return fault !== null && at === 'engine';
  };
  const { plan } = one;
  const smallest = await shrunkWorld(world, (smaller) => fails(smaller, one), { plan });
  if (smallest === null) {
    return 'no golden case: on new segments in memory the engine answers as the naive evaluator does';
  }
  const smallestPlan = await shrunk(plan, (smaller) => fails(smallest, { ...one, plan: smaller }));
  const engineAnswer = async (golden: World, goldenCase: Case): Promise<Answer | null> => {
    const { answers } = await compared(goldenCase, golden, makeJudges(golden));
    const answer = answers.get('engine');
    return answer === undefined || answer === 'refused' ? null : answer;
  };
  return await goldenText(smallest, { ...one, plan: smallestPlan }, fails, engineAnswer);
}

function faultText(one: Case, number: number, world: World, fault: string): string {
  const named = [...world.indexes].flatMap(([index, { documents, mapping }]) =>
    documents
      .filter(({ id }) => fault.includes(`${index} ${id}`))
      .slice(0, 1)
      .map((document) => `${index}: ${JSON.stringify(document)} ${mapping.nestedPaths}`),
  );
  return [
    `--seed ${world.seed} --cases ${casesOf(world)}, case ${number} (${one.kind}, asks ${one.asks}, documents ${world.change})`,
    `shrunk plan: ${JSON.stringify(one.plan)}`,
    ...(one.request === undefined ? [] : [`request: ${JSON.stringify(one.request)}`]),
    ...named.map((text) => text.slice(0, DOCUMENT_SHOWN)),
    fault,
  ].join('\n');
}
