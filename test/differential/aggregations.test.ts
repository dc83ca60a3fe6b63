// Compares the aggregations of the engine with those of the naive evaluator: over small worlds with
// all combinations, and over larger ones with full blocks, merged dictionaries and counts from
// postings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../src/query/plan.ts';
import { caseCount } from '../support/case-count.ts';
import { assertSame } from './answer.ts';
import { engineJudge } from './engine-judge.ts';
import { judgesOf } from './exclusions.ts';
import { naiveJudge } from './judge.ts';
import { Random } from './random.ts';
import { randomDocument } from './random-documents.ts';
import { type Step, survivors } from './random-history.ts';
import { randomMapping } from './random-mapping.ts';
import { randomRequest } from './random-requests.ts';
import { mappingsOf, randomWorld, type World } from './world.ts';

const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_122);
const WORLDS = caseCount(2, 40);
const LARGE_WORLDS = caseCount(1, 4);
const NAMES = ['naive', 'engine'] as const;

/** More than a thousand documents in several segments, some of them replaced or deleted. */
function largeWorld(seed: number): World {
  const random = new Random(seed);
  const mapping = randomMapping(random, 'identities');
  const id = (): string => `d${random.int(1_500)}`;
  const steps = random.list(2, 5, (): Step => {
    const puts = random.list(50, 900, id).map((one) => randomDocument(random, mapping, one));
    const unique = new Map(puts.map((document) => [document.id, document]));
    const deletes = random.list(0, 20, id).filter((one) => !unique.has(one));
    return { kind: 'flush', puts: [...unique.values()], deletes };
  });
  if (random.chance(0.5)) steps.push({ kind: 'merge', parts: [0, 1] });
  const index = { mapping, steps, documents: survivors(steps) };
  return { seed, change: 'often', size: 'medium', indexes: new Map([['identities', index]]) };
}

function smallWorlds(count: number): World[] {
  const worlds: World[] = [];
  for (let seed = SEED; worlds.length < count; seed++) {
    const world = randomWorld(seed);
    if (world.size === 'small') worlds.push(world);
  }
  return worlds;
}

async function judge(world: World, cases: number): Promise<number> {
  const judges = [naiveJudge(world), engineJudge(world)] as const;
  let telling = 0;
  for (let number = 0; number < cases; number++) {
    const random = new Random(Math.imul(world.seed, 0x9e3779b1) + number);
    random.next();
    const kind = random.chance(0.8) ? 'aggregationsDsl' : 'aggregationsSailpoint';
    const { plan, request } = randomRequest(random, kind, mappingsOf(world));
    const sent = JSON.parse(JSON.stringify(plan)) as Plan;
    const one = { kind, asks: 'search', plan: sent, request } as const;
    if (judgesOf(one, world, NAMES).judges.length < NAMES.length) continue;
    const [expected, found] = await Promise.all(judges.map((each) => each.answer(one)));
    try {
      assertSame(found!, expected!, sent, world.change);
    } catch (error) {
      const sent = JSON.stringify(request);
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`World ${world.seed}, case ${number}: ${text}: ${sent}`);
    }
    if (JSON.stringify(found).includes('"doc_count":')) telling += 1;
  }
  return telling;
}

test('aggregates small worlds of all kinds as the naive evaluator does', async () => {
  let telling = 0;
  for (const world of smallWorlds(WORLDS)) telling += await judge(world, 20);
  assert.ok(telling > (WORLDS * 20) / 2, `only ${telling} told something`);
});

test('aggregates larger worlds as the naive evaluator does', async () => {
  let telling = 0;
  for (let at = 0; at < LARGE_WORLDS; at++) telling += await judge(largeWorld(SEED + at), 25);
  assert.ok(telling > (LARGE_WORLDS * 25) / 2, `only ${telling} told something`);
});
