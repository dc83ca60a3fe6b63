// Prints a shrunk fault as a golden case for test/golden/search-cases.ts.
import { isDeepStrictEqual } from 'node:util';
import type { FieldType } from '../../src/query/mapping/mapping.ts';
import type { Plan } from '../../src/query/plan.ts';
import {
  caseOf,
  changeOf,
  type GoldenCase,
  INDEX,
  namedPart,
  worldOf,
} from '../golden/search-cases.ts';
import type { Answer } from './answer.ts';
import type { Case } from './cases.ts';
import { naiveJudge } from './judge.ts';
import type { Step } from './random-history.ts';
import type { World } from './world.ts';

/** Maximum characters of a printed case. */
const SHOWN_MAX = 20_000;

/**
 * @param fails true if the engine and the naive evaluator differ for a case in a world
 * @param engineAnswer the engine's result for a case in a world; null if it throws
 * @returns the golden case as TypeScript, or why there is none
 */
export async function goldenText(
  world: World,
  one: Case,
  fails: (world: World, one: Case) => Promise<boolean>,
  engineAnswer: (world: World, one: Case) => Promise<Answer | null>,
): Promise<string> {
  const [index, ...others] = world.indexes;
  const [target, ...rest] = one.plan.targets;
  if (index === undefined || target === undefined || others.length + rest.length > 0) {
    return 'no golden case: it holds one index, and this fault needs more than one';
  }
  const [name, { mapping, steps }] = index;
  if (target.index !== name) return 'no golden case: the index that is searched has no documents';
  const { aggregations, innerHit, typeahead } = target;
  const bare: GoldenCase = {
    sentence: `(say what is right; found by seed ${world.seed})`,
    fields: Object.fromEntries(
      [...mapping.fields.values()].map(({ path, type, dynamic }) => {
        return [path, (dynamic ? `${type}?` : type) as FieldType];
      }),
    ),
    nested: mapping.nestedPaths,
    ...segmentsOf(steps),
    ...(one.asks !== 'search' && { asks: one.asks }),
    query: target.query,
    plan: {},
    ...(aggregations && { aggregations }),
    ...(innerHit && { innerHit }),
    ...(typeahead && { typeahead }),
    expected: {},
  };
  const draft = { ...bare, plan: planOf(one.plan, caseOf(bare).plan) };
  const goldenWorld = worldOf(draft);
  if (!(await fails(goldenWorld, caseOf(draft)))) {
    return `no golden case: the fault needs the constants or field weights of the mapping, or the name ${name} instead of ${INDEX}`;
  }
  const expected = expectedOf(await naiveJudge(goldenWorld).answer(caseOf(draft)));
  const golden: GoldenCase = { ...draft, expected };
  const answer = await engineAnswer(goldenWorld, caseOf(draft));
  const same = answer !== null && isDeepStrictEqual(namedPart(answer, golden), expected);
  const warning = same ? ' (add what differs to expected: scores or sources)' : '';
  const text = JSON.stringify(golden);
  if (text.length > SHOWN_MAX) return `no golden case: its ${text.length} characters are too many`;
  return `golden case${warning}:\n${text},`;
}

/** The first flushes as segments, if they only put documents; the later steps as history. */
function segmentsOf(steps: readonly Step[]): Pick<GoldenCase, 'segments' | 'history'> {
  const end = steps.findIndex((step, at) => {
    return step.kind === 'merge' || changeOf(steps.slice(0, at + 1)) === 'often';
  });
  const plain = end < 0 ? steps : steps.slice(0, end);
  return {
    segments: plain.flatMap((step) => (step.kind === 'flush' ? [step.puts] : [])),
    ...(end >= 0 && { history: steps.slice(end) }),
  };
}

/** The members of a plan that differ from the defaults of a golden case. */
function planOf({ targets: _, ...plan }: Plan, usual: Plan): Partial<Plan> {
  const defaults = Object.entries(usual);
  const isUsual = (name: string, value: unknown) =>
    defaults.some(([other, one]) => name === other && isDeepStrictEqual(value, one));
  return Object.fromEntries(Object.entries(plan).filter(([name, one]) => !isUsual(name, one)));
}

/** Leaves out scores, since those of two judges differ in their last digits. */
function expectedOf({ rows, total, aggregations, count, values }: Answer): GoldenCase['expected'] {
  return {
    ...(rows && { rows: rows.map(({ id, sort }) => [id, ...sort] as const) }),
    ...(typeof total === 'number' && { total }),
    ...(aggregations !== undefined && { aggregations }),
    ...(count !== undefined && { count }),
    ...(values && { values }),
  };
}
