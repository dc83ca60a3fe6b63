import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import { type OpenTarget, searchBody } from './plan-to-body.ts';
import { searchInOrder } from './search-in-order.ts';
import type { SearchResponse } from './search-response.ts';

const TENANT = { name: 'acme', pod: 'cardea' };

function targetOf(index: IndexName, shards: number): OpenTarget {
  const query = { kind: 'term', field: 'name', form: 'words', value: 'a' } as const;
  return {
    ...{ index, shards, query: query as unknown as OpenTarget['query'] },
    ...{ concreteIndex: index, mapping: staticMapping(index, TENANT) },
  };
}

const PLAN: Plan = {
  ...{ targets: [], sort: [{ field: '_score', order: 'desc', type: 'score' }] },
  ...{ from: 1, size: 3, trackTotal: true },
  source: { includes: [], excludes: [], nested: false },
};

const hit = (score: number, index: string, id: string) => ({ sort: [score, index, id] });
const PAGES: Readonly<Record<string, SearchResponse['hits']>> = {
  identities: {
    total: { value: 7 },
    hits: [hit(3, 'identities', 'c'), hit(2, 'identities', 'a'), hit(1, 'identities', 'b')],
  },
  roles: { total: { value: 2 }, hits: [hit(2, 'roles', 'x'), hit(0.5, 'roles', 'y')] },
};

/** Runs a search over both; returns the requested indexes and bodies with the result. */
async function searched(targets: readonly OpenTarget[], plan: Plan) {
  const request = searchBody({ ...plan, targets }, targets);
  const requests: { readonly indexes: readonly string[]; readonly body: object }[] = [];
  const answer = await searchInOrder(request, plan, targets, async (some, body) => {
    requests.push({ indexes: some.map(({ index }) => index), body: body as object });
    const { hits = { hits: [] } } = { hits: PAGES[some[0]?.index ?? ''] };
    return { timed_out: false, _shards: { failed: 0 }, hits };
  });
  return { request, requests, answer };
}

test('searches indexes of one shard together', async () => {
  const targets = [targetOf('identities', 1), targetOf('roles', 1)];
  const { request, requests } = await searched(targets, PLAN);
  assert.deepEqual(requests, [{ indexes: ['identities', 'roles'], body: request.body }]);
});

test('scores an index of several shards by itself and merges the pages', async () => {
  const targets = [targetOf('identities', 2), targetOf('roles', 1)];
  const { requests, answer } = await searched(targets, PLAN);
  assert.deepEqual(
    requests.map(({ indexes, body }) => {
      const { from, size } = body as { readonly from: number; readonly size: number };
      return [indexes, from, size];
    }),
    [
      [['identities'], 0, 4],
      [['roles'], 0, 4],
    ],
  );
  assert.equal(answer.hits.total?.value, 9);
  assert.deepEqual(
    answer.hits.hits.map(({ sort }) => sort),
    [
      [2, 'identities', 'a'],
      [2, 'roles', 'x'],
      [1, 'identities', 'b'],
    ],
  );
});

test('searches together where the order does not depend on scores', async () => {
  const targets = [targetOf('identities', 2), targetOf('roles', 2)];
  const sort = [{ field: 'name', order: 'asc', type: 'string' }] as const;
  const { requests } = await searched(targets, { ...PLAN, sort });
  assert.equal(requests.length, 1);
});
