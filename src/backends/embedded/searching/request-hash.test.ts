import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../query/plan.ts';
import type { Query } from '../../../query/query.ts';
import { requestHash } from './request-hash.ts';

const plan = (query: Query, changes: Partial<Plan> = {}): Plan => ({
  ...{ targets: [{ index: 'roles', query }], sort: [], from: 0, size: 10, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
  ...changes,
});
const term = (field: string, value: string): Query => ({
  ...{ kind: 'term', form: 'word' },
  ...{ field, value },
});
const isLarge = (query: Query): boolean =>
  requestHash('acme', { kind: 'search', plan: plan(query) }).isLarge;

test('only equal requests have the same hash', () => {
  const hash = (query: Query, changes: Partial<Plan> = {}, tenant = 'acme'): number =>
    requestHash(tenant, { kind: 'count', plan: plan(query, changes) }).hash;
  const range = (gte: number): Query => ({
    ...{ kind: 'numberRange', field: 'created', column: 'value', gte },
  });
  const terms = (...values: string[]): Query => ({
    ...{ kind: 'terms', field: 'name', form: 'exact', values },
  });
  const hashes = [
    hash(term('name', 'a')),
    hash(term('name', 'b')),
    hash(term('description', 'a')),
    hash(term('name', 'a'), { size: 12 }),
    hash(term('name', 'a'), { from: 9_000 }),
    hash(term('name', 'a'), { sort: [{ field: 'name', order: 'asc', type: 'string' }] }),
    hash(term('name', 'a'), {}, 'globex'),
    requestHash('acme', { kind: 'search', plan: plan(term('name', 'a')) }).hash,
    hash(range(1)),
    hash(range(1.5)),
    hash(terms('a', 'b')),
    hash(terms('ab')),
    hash(terms('a', 'b', 'c')),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(hash(term('name', 'a')), hashes[0]);
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
