import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import { isLargePlan, QueryCosts, shapeOf } from './query-costs.ts';
import type { Question } from './question.ts';
import { questionTextSteps, readQuestion } from './question-text.ts';

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
  shapeOf(tenant, { kind: 'search', plan: plan(query, changes) });

test('a plan that is asked with again keeps its shape, and has another for another tenant or use', () => {
  const kept = plan(term('name', 'a'));
  const asked = (kind: 'search' | 'count', tenant: string) => shapeOf(tenant, { kind, plan: kept });
  for (const [kind, tenant] of [
    ['search', 'acme'] as const,
    ['search', 'globex'] as const,
    ['count', 'acme'] as const,
  ]) {
    const fresh = shapeOf(tenant, { kind, plan: plan(term('name', 'a')) });
    for (let times = 0; times < 3; times++) assert.equal(asked(kind, tenant), fresh);
  }
});

test('questions that differ in values have one shape, others another', () => {
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
    shapeOf('acme', { kind: 'count', plan: plan(term('name', 'a')) }),
  ];
  assert.equal(new Set([one, ...others]).size, others.length + 1);
});

test('a guess follows what is measured, and one pause of the machine does not change it much', () => {
  const costs = new QueryCosts();
  assert.equal(costs.guess(1), undefined);
  costs.learn(1, 0.1);
  assert.equal(costs.guess(1), 0.1);
  costs.learn(1, 80);
  assert.ok((costs.guess(1) ?? 0) < 0.2);
  for (let n = 0; n < 50; n += 1) costs.learn(1, 5);
  assert.ok(Math.abs((costs.guess(1) ?? 0) - 5) < 0.1);
});

test('shapes that nobody bounds are forgotten', () => {
  const costs = new QueryCosts();
  for (let n = 0; n < 5_000; n += 1) costs.learn(n, 1);
  assert.equal(costs.guess(0), undefined);
  assert.equal(costs.guess(4_999), 1);
});

test('a plan of many clauses or values is large, and its shape is made of a part of it', () => {
  const terms = (count: number): Query => ({
    ...{ kind: 'terms', field: 'name', form: 'word' },
    values: Array.from({ length: count }, (_, n) => `v${n}`),
  });
  const any = (count: number): Query => ({
    kind: 'disMax',
    queries: Array.from({ length: count }, (_, n) => term('name', `v${n}`)),
    tieBreaker: 0,
  });
  for (const small of [terms(4_000), any(500)]) assert.equal(isLargePlan(plan(small)), false);
  for (const large of [terms(5_000), any(5_000)]) assert.equal(isLargePlan(plan(large)), true);
});

test('the text of a question is its JSON, made in steps', () => {
  const values = Array.from({ length: 1000 }, (_, n) => `värde "${n}"`);
  const lists: Query[] = [{ kind: 'ids', values }, term('name', 'a'), { kind: 'ids', values: [] }];
  const targets = (['roles', 'events', 'identities'] as const).map((index) => {
    return { index, query: { kind: 'bool', must: [], filter: [], should: lists, mustNot: [] } };
  }) satisfies Plan['targets'];
  const sort = [{ field: 'name', order: 'asc', type: 'string' }] as const;
  const question = {
    ...{ kind: 'explain', plan: plan(term('name', 'a'), { targets, sort }) },
    document: { index: 'roles', id: 'a' },
  } as const satisfies Question;
  const steps = questionTextSteps(question);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  assert.ok(count > 15, String(count));
  assert.deepEqual(readQuestion(step.value), question);
  assert.equal(Buffer.from(step.value).toString(), JSON.stringify(question));
});
