import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import { QueryCosts, shapeOf } from './query-costs.ts';
import type { QueryRequest } from './query-request.ts';
import { parseRequest, requestJsonSteps } from './request-json.ts';

const plan = (query: Query, changes: Partial<Plan> = {}): Plan => ({
  ...{ targets: [{ index: 'roles', query }], sort: [], from: 0, size: 10, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
  ...changes,
});
const term = (field: string, value: string): Query => ({
  ...{ kind: 'term', form: 'word' },
  ...{ field, value },
});
const shape = (query: Query, changes: Partial<Plan> = {}, tenant = 'acme'): number =>
  shapeOf(tenant, { kind: 'search', plan: plan(query, changes) }).hash;
const isLarge = (query: Query): boolean =>
  shapeOf('acme', { kind: 'search', plan: plan(query) }).isLarge;

test('a plan has the same shape every time, and another for another tenant or kind of request', () => {
  const reused = plan(term('name', 'a'));
  const shapeOfReused = (kind: 'search' | 'count', tenant: string) =>
    shapeOf(tenant, { kind, plan: reused }).hash;
  for (const [kind, tenant] of [
    ['search', 'acme'] as const,
    ['search', 'globex'] as const,
    ['count', 'acme'] as const,
  ]) {
    const fresh = shapeOf(tenant, { kind, plan: plan(term('name', 'a')) }).hash;
    for (let times = 0; times < 3; times++) assert.equal(shapeOfReused(kind, tenant), fresh);
  }
});

test('requests that differ only in values have the same shape', () => {
  const one = shape(term('name', 'a'));
  assert.equal(shape(term('name', 'b')), one);
  assert.equal(shape(term('name', 'a'), { size: 12 }), one);
  const others = [
    shape(term('description', 'a')),
    shape(term('name', 'a'), { size: 250 }),
    shape(term('name', 'a'), { from: 9_000 }),
    shape(term('name', 'a'), { sort: [{ field: 'name', order: 'asc', type: 'string' }] }),
    shape({ kind: 'disMax', queries: [term('name', 'a')], tieBreaker: 0 }),
    shape({ kind: 'disMax', queries: [term('name', 'a'), term('name', 'b')], tieBreaker: 0 }),
    shape(term('name', 'a'), {}, 'globex'),
    shapeOf('acme', { kind: 'count', plan: plan(term('name', 'a')) }).hash,
  ];
  assert.equal(new Set([one, ...others]).size, others.length + 1);
});

test('only equal requests have the same request hash', () => {
  const requestHash = (query: Query, tenant = 'acme'): number =>
    shapeOf(tenant, { kind: 'count', plan: plan(query) }).requestHash;
  const range = (gte: number): Query => ({
    ...{ kind: 'numberRange', field: 'created', column: 'value', gte },
  });
  const terms = (...values: string[]): Query => ({
    ...{ kind: 'terms', field: 'name', form: 'exact', values },
  });
  const hashes = [
    requestHash(term('name', 'a')),
    requestHash(term('name', 'b')),
    requestHash(term('name', 'a'), 'globex'),
    requestHash(range(1)),
    requestHash(range(1.5)),
    requestHash(terms('a', 'b')),
    requestHash(terms('ab')),
    requestHash(terms('a', 'b', 'c')),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(requestHash(term('name', 'a')), hashes[0]);
});

test('an estimate follows the measurements, and one pause of the machine does not change it much', () => {
  const costs = new QueryCosts();
  assert.equal(costs.estimate(1), undefined);
  costs.record(1, 0.1);
  assert.equal(costs.estimate(1), 0.1);
  costs.record(1, 80);
  assert.ok((costs.estimate(1) ?? 0) < 0.2);
  for (let n = 0; n < 50; n += 1) costs.record(1, 5);
  assert.ok(Math.abs((costs.estimate(1) ?? 0) - 5) < 0.1);
});

test('the main thread finishes a request once after a worker took less time than it had tried', () => {
  const costs = new QueryCosts();
  for (const [tookMs, triedMs, unfinished] of [
    [0.3, 0, false],
    [3, 2, false],
    [0.3, 4, true],
  ] as const) {
    costs.record(1, tookMs, triedMs);
    assert.equal(costs.takeUnfinished(2), false);
    assert.equal(costs.takeUnfinished(1), unfinished, `${tookMs} ms after ${triedMs} ms`);
    assert.equal(costs.takeUnfinished(1), false);
  }
});

test('the number of shapes is limited', () => {
  const costs = new QueryCosts();
  for (let n = 0; n < 5_000; n += 1) costs.record(n, 1);
  assert.equal(costs.estimate(0), undefined);
  assert.equal(costs.estimate(4_999), 1);
});

test('a plan with many clauses or values is large', () => {
  const terms = (count: number): Query => ({
    ...{ kind: 'terms', field: 'name', form: 'word' },
    values: Array.from({ length: count }, (_, n) => `v${n}`),
  });
  const any = (count: number): Query => ({
    kind: 'disMax',
    queries: Array.from({ length: count }, (_, n) => term('name', `v${n}`)),
    tieBreaker: 0,
  });
  for (const small of [terms(4_000), any(500)]) assert.equal(isLarge(small), false);
  for (const large of [terms(5_000), any(5_000)]) assert.equal(isLarge(large), true);
});

test('serializes a request to JSON in steps', () => {
  const values = Array.from({ length: 1000 }, (_, n) => `värde "${n}"`);
  const lists: Query[] = [{ kind: 'ids', values }, term('name', 'a'), { kind: 'ids', values: [] }];
  const targets = (['roles', 'events', 'identities'] as const).map((index) => {
    return { index, query: { kind: 'bool', must: [], filter: [], should: lists, mustNot: [] } };
  }) satisfies Plan['targets'];
  const sort = [{ field: 'name', order: 'asc', type: 'string' }] as const;
  const request = {
    ...{ kind: 'explain', plan: plan(term('name', 'a'), { targets, sort }) },
    document: { index: 'roles', id: 'a' },
  } as const satisfies QueryRequest;
  const steps = requestJsonSteps(request);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  assert.ok(count > 15, String(count));
  assert.deepEqual(parseRequest(step.value), request);
  assert.equal(Buffer.from(step.value).toString(), JSON.stringify(request));
});
