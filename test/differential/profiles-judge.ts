// Compares advanced search with the naive evaluator on a database: random rules over random
// profiles, from the request to the ids of a page, from CARDEA_SEED.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProfileOrder } from '../../src/service/ports/profile-records.ts';
import type { ProfileSearch } from '../../src/service/ports/profile-search.ts';
import type { Store } from '../../src/service/ports/store.ts';
import {
  conditionsOf,
  resolveSentRules,
} from '../../src/service/profiles/rules/advanced-search-request.ts';
import { ruleSubjects } from '../../src/service/profiles/rules/rule-subjects.ts';
import { dayOf } from '../../src/service/profiles/values/date-format.ts';
import type { PlainWorld } from './plain-world.ts';
import { naiveSearch } from './profiles-naive.ts';
import { putWorld } from './put-world.ts';
import { Random } from './random.ts';
import { randomRequest, randomWorld } from './random-profiles.ts';

const CASES = process.env['CARDEA_DIFFERENTIAL_CASES'];
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);
const REQUESTS_PER_WORLD = 200;
/** Enough profiles that conditions match more than an index may lead. */
const LARGE = 4600;

/**
 * Adds the test for a database, with CARDEA_DIFFERENTIAL_CASES rule sets.
 * @param count rule sets without this setting
 * @param largeEvery interval of large worlds; 0: none, since inserts into PostgreSQL are slow
 */
export function findsTheSameProfiles(
  database: string,
  count: number,
  largeEvery: number,
  open: () => Promise<Store>,
): void {
  test(`finds the same profiles as the naive evaluator on ${database}`, async () => {
    const store = await open();
    let matches = 0;
    try {
      const cases = CASES === undefined ? count : Number(CASES);
      for (let world = 0; world * REQUESTS_PER_WORLD < cases; world++) {
        const large = largeEvery > 0 && world % largeEvery === 1;
        matches += await agreeIn(store, SEED + world, `tenant-${world}`, large);
      }
    } finally {
      await store.close();
    }
    assert.ok(matches > 1000, `${matches} profiles matches prove little`);
  });
}

async function agreeIn(
  store: Store,
  seed: number,
  tenantId: string,
  large: boolean,
): Promise<number> {
  const random = new Random(seed);
  const world = randomWorld(random, large ? LARGE : 5 + random.int(60));
  await putWorld(store, tenantId, world);
  let matches = 0;
  for (let request = 0; request < REQUESTS_PER_WORLD; request++) {
    const asked = randomRequest(random, world);
    const all = naiveSearch(world, asked.rules, asked.order);
    const expected = {
      ids: all.slice(asked.offset, asked.offset + asked.limit),
      total: asked.total ? all.length : null,
    };
    const label = `CARDEA_SEED=${seed}, request ${request}: ${JSON.stringify(asked)}`;
    const answer = await searched(store, tenantId, world, asked).catch((error) => {
      throw new Error(label, { cause: error });
    });
    assert.deepEqual(answer, expected, label);
    matches += answer.ids.length;
  }
  return matches;
}

async function searched(
  store: Store,
  tenantId: string,
  { today }: PlainWorld,
  asked: ReturnType<typeof randomRequest>,
) {
  const context = {
    subjects: ruleSubjects(store.read, tenantId),
    today: dayOf(today, 'yyyy-mm-dd') ?? 0,
  };
  const { order, offset, limit, total } = asked;
  const search: ProfileSearch = {
    conditions: conditionsOf(await resolveSentRules(asked.rules, context, 'run')),
    order: order.replace(/_./g, ([, letter]) => letter!.toUpperCase()) as ProfileOrder,
    ...{ archived: false, offset, limit, total },
  };
  return store.read.matchingProfiles(tenantId, JSON.parse(JSON.stringify(search)), async () => {});
}
