// Shrinks worlds for judges with deliberate faults, and prints their golden cases.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';
import { caseOf, type GoldenCase, worldOf } from '../golden/search-cases.ts';
import type { Answer } from './answer.ts';
import type { Case } from './cases.ts';
import { compared, type MakeJudges, shrunkFault } from './fault.ts';
import { type Judge, naiveJudge } from './judge.ts';
import { type Step, survivors } from './random-history.ts';
import { shrunkWorld } from './shrink-world.ts';
import { randomWorld, type World } from './world.ts';

/** An engine that misses documents with a word. */
function forgetful(world: World, word: string): Judge {
  const right = naiveJudge(world);
  const isFound = ({ source }: { readonly source: string }) => !source.includes(word);
  return {
    ...right,
    name: 'engine',
    async answer(one): Promise<Answer> {
      const answer = await right.answer(one);
      const { rows = [], all = [] } = answer;
      return { ...answer, rows: rows.filter(isFound), all: all.filter(isFound) };
    },
  };
}

const forgetsLovelace: MakeJudges = (world) => [naiveJudge(world), forgetful(world, 'lovelace')];

/** Matches all documents, with two clauses that do not matter for the fault. */
const PLAN: Plan = {
  targets: [{ index: 'identities', query: boolOf({ kind: 'matchAll' }, { kind: 'matchAll' }) }],
  sort: [{ field: 'id', order: 'asc', type: 'string' }],
  ...{ from: 0, size: 10_000, trackTotal: false },
  source: { includes: [], excludes: [], nested: true },
};
const ALL: Case = { kind: 'plan', asks: 'search', plan: PLAN };

function boolOf(...filter: Query[]): Query {
  return { kind: 'bool', must: [], should: [], mustNot: [], filter };
}

const MEDIUM = 20_261_124;

function stepsOf({ indexes }: World): readonly Step[] {
  return [...indexes.values()].flatMap(({ steps }) => steps);
}

test('shrinks hundreds of documents to the one document, step and member of the fault', async () => {
  const world = randomWorld(MEDIUM);
  assert.equal(world.size, 'medium');
  const fails = async (one: World) =>
    (await compared(ALL, one, forgetsLovelace(one))).fault !== null;
  const before = JSON.stringify(stepsOf(world));
  const smallest = await shrunkWorld(world, fails, { plan: PLAN });
  assert.equal(JSON.stringify(stepsOf(world)), before, 'the given world is as it was');
  const [step, ...steps] = stepsOf(smallest!);
  assert.ok(step?.kind === 'flush' && steps.length === 0);
  const [{ id, ...members }, ...documents] = step.puts as [{ id: string }];
  assert.deepEqual(documents, []);
  assert.match(id, /^d\d+$/);
  assert.deepEqual(members, { name: 'lovelace' });
});

test('keeps a merge that the fault needs, with two documents', async () => {
  const world = worldWith([
    { kind: 'flush', puts: documentsOf(0, 40), deletes: [] },
    { kind: 'flush', puts: documentsOf(40, 80), deletes: ['d3', 'd5'] },
    { kind: 'merge', parts: [0, 1] },
    { kind: 'flush', puts: documentsOf(80, 90), deletes: [] },
  ]);
  const fails = async (one: World): Promise<boolean> => {
    const ids = survivors(stepsOf(one)).map((document) => document.id);
    return (
      stepsOf(one).some(({ kind }) => kind === 'merge') && ids.includes('d7') && ids.includes('d44')
    );
  };
  const smallest = await shrunkWorld(world, fails);
  const steps = stepsOf(smallest!);
  assert.equal(JSON.stringify(steps.filter(({ kind }) => kind === 'merge').length), '1');
  assert.deepEqual(survivors(steps), [{ id: 'd44' }, { id: 'd7' }]);
  assert.ok(steps.every((step) => step.kind === 'merge' || step.deletes.length === 0));
});

test('stops after the given number of attempts', async () => {
  let attempts = 0;
  const world = await shrunkWorld(
    randomWorld(MEDIUM),
    async () => {
      attempts += 1;
      return attempts === 1;
    },
    { attemptsMax: 12 },
  );
  assert.equal(attempts, 13);
  assert.equal(world?.size, 'medium');
});

test('returns no world for a fault that is not reproducible', async () => {
  assert.equal(await shrunkWorld(randomWorld(MEDIUM), async () => false), null);
});

test('reports a fault with a golden case that shows it', async () => {
  const world = randomWorld(MEDIUM);
  const judges = forgetsLovelace(world);
  const { fault } = await compared(ALL, world, judges);
  const report = await shrunkFault(ALL, 3, world, judges, fault!, forgetsLovelace);
  assert.match(report, /--seed 20261124 .*case 3/);
  const golden = goldenIn(report);
  assert.equal(golden.segments.flat().length, 1);
  assert.deepEqual(golden.query, { kind: 'matchAll' });
  assert.deepEqual(golden.expected.rows?.length, 1);
  const own = worldOf(golden);
  const comparison = await compared(caseOf(golden), own, forgetsLovelace(own));
  assert.equal(comparison.at, 'engine');
  assert.notEqual(comparison.fault, null);
});

test('reports why a fault has no golden case', async () => {
  const world = randomWorld(MEDIUM);
  const rightPair: MakeJudges = (one) => [naiveJudge(one), { ...naiveJudge(one), name: 'engine' }];
  const report = await shrunkFault(ALL, 0, world, forgetsLovelace(world), 'x', rightPair);
  assert.match(report, /no golden case: on new segments/);
});

function goldenIn(report: string): GoldenCase {
  const text = report.split('golden case:\n')[1]!;
  return JSON.parse(text.trim().replace(/,$/, '')) as GoldenCase;
}

function documentsOf(from: number, to: number) {
  return Array.from({ length: to - from }, (_, at) => ({ id: `d${from + at}`, name: 'ada bob' }));
}

function worldWith(history: readonly Step[]): World {
  const fields = { id: 'keyword', name: 'text' } as const;
  return worldOf({ sentence: '', fields, segments: [], history, plan: {}, expected: {} });
}
