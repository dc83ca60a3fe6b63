// A cached plan is reused only when nothing it depends on can have changed: body, parameters,
// tenant, fields, time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTime } from '../../query/dates/request-time.ts';
import { INDEX_NAMES, staticMapping } from '../../query/mapping/document-types.ts';
import { NearestNames } from '../../query/mapping/nearest-name.ts';
import type { Plan } from '../../query/plan.ts';
import { DEFAULT_LIMITS, planSearch } from '../../query/search-request.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import { PlanCache, type PlanKey } from './plan-cache.ts';

const TENANT = { id: 't1', name: 'acme', pod: 'local', created: '2026-01-01T00:00:00.000Z' };
const mappings = (): Mappings =>
  Object.fromEntries(INDEX_NAMES.map((index) => [index, staticMapping(index, TENANT)])) as Mappings;
const FIELDS = mappings();

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const bodyOf = (query: string, more: object = {}) =>
  frozen({ indices: ['identities'], query: { query }, ...more });

/** Plans requests at the hour `now` and counts the plans made. */
class CountingPlanner {
  readonly #cache = new PlanCache();
  planned = 0;
  now = Date.parse('2026-05-01T12:00:00Z');

  async plan(body: unknown, change: Partial<PlanKey> = {}): Promise<Plan> {
    const key: PlanKey = {
      ...{ operation: 'search', tenantId: 't1', body, parameters: {}, mappings: FIELDS },
      ...change,
    };
    const { plan } = await this.#cache.getOrPlan(key, async () => {
      this.planned += 1;
      const now = new RequestTime(this.now);
      const context = {
        mapping: () => key.mappings.identities,
        now,
        limits: DEFAULT_LIMITS,
        nearestNames: new NearestNames(),
      };
      const planned = { plan: planSearch(body, key.parameters, context) };
      return { planned, usesNow: now.wasRead };
    });
    return plan;
  }
}

test('plans the same request once', async () => {
  const planner = new CountingPlanner();
  const body = bodyOf('name:ada');
  const plan = await planner.plan(body);
  assert.equal(await planner.plan(body), plan);
  assert.equal(planner.planned, 1);
});

const OTHERS: readonly [string, Partial<PlanKey>][] = [
  ['another use', { operation: 'count' }],
  ['another tenant', { tenantId: 't2' }],
  ['another page', { parameters: { offset: '10' } }],
  ['another size', { parameters: { limit: '10' } }],
  ['a count', { parameters: { count: 'true' } }],
  ['other fields', { mappings: mappings() }],
];
for (const [name, change] of OTHERS) {
  test(`plans again for ${name}`, async () => {
    const planner = new CountingPlanner();
    const body = bodyOf('name:ada');
    await planner.plan(body);
    const plan = await planner.plan(body, change);
    assert.equal(planner.planned, 2);
    assert.equal(await planner.plan(body, change), plan);
    assert.equal(planner.planned, 2);
  });
}

test('a plan for new fields replaces the old one', async () => {
  const planner = new CountingPlanner();
  const body = bodyOf('name:ada');
  await planner.plan(body);
  await planner.plan(body, { mappings: mappings() });
  await planner.plan(body);
  assert.equal(planner.planned, 3);
});

test('does not share plans between equal bodies, nor cache them for mutable ones', async () => {
  const planner = new CountingPlanner();
  await planner.plan(bodyOf('name:ada'));
  await planner.plan(bodyOf('name:ada'));
  const open = { indices: ['identities'], query: { query: 'name:ada' } };
  await planner.plan(open);
  open.query.query = 'name:grace';
  const plan = await planner.plan(open);
  assert.equal(planner.planned, 4);
  assert.match(JSON.stringify(plan), /grace/);
});

const RELATIVE: readonly [string, unknown][] = [
  ['of a query', bodyOf('created:[now-1d TO now]')],
  ['of a query with escapes', bodyOf('created:[n\\ow-1d TO *]')],
  [
    'of a filter',
    bodyOf('*', { filters: { created: { type: 'RANGE', range: { lower: { value: 'now-1d' } } } } }),
  ],
  [
    'of the query language',
    frozen({
      indices: ['identities'],
      queryType: 'DSL',
      queryDsl: { range: { created: { gte: 'now/d' } } },
    }),
  ],
];
for (const [name, body] of RELATIVE) {
  test(`plans again for a date relative to now: ${name}`, async () => {
    const planner = new CountingPlanner();
    const first = await planner.plan(body);
    planner.now += 86_400_000;
    assert.notDeepEqual(await planner.plan(body), first);
    assert.equal(planner.planned, 2);
  });
}

test('caches plans with a fixed date, and with the word now in other places', async () => {
  for (const query of ['created:[2026-01-01 TO 2026-02-01]', 'displayName:now', '"right now"']) {
    const planner = new CountingPlanner();
    const body = bodyOf(query);
    await planner.plan(body);
    await planner.plan(body);
    assert.equal(planner.planned, 1, query);
  }
});

test('an invalid request is planned and rejected each time', async () => {
  const planner = new CountingPlanner();
  const body = bodyOf('name:(');
  for (const planned of [1, 2]) {
    await assert.rejects(planner.plan(body), { name: 'ServiceError', code: 'query_malformed' });
    assert.equal(planner.planned, planned);
  }
});

test('caches a limited number of pages per body, the most recent ones', async () => {
  const planner = new CountingPlanner();
  const body = bodyOf('*');
  for (let page = 0; page < 100; page += 1) {
    await planner.plan(body, { parameters: { offset: String(page) } });
  }
  await planner.plan(body, { parameters: { offset: '99' } });
  assert.equal(planner.planned, 100);
  await planner.plan(body, { parameters: { offset: '0' } });
  assert.equal(planner.planned, 101);
});
