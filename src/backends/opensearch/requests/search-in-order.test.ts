import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import type { Plan } from '../../../query/plan.ts';
import type { IndexName } from '../../../query/query.ts';
import { idKeys } from './id-keys.ts';
import type { OpenTarget } from './plan-to-body.ts';
import { searchInOrder } from './search-in-order.ts';
import type { SearchFunction, SearchResponse } from './search-response.ts';

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

interface Found {
  readonly score: number;
  readonly index: string;
  readonly id: string;
}

const hit = (score: number, index: string, id: string): Found => ({ score, index, id });
const PAGES: Readonly<Record<string, { readonly total: number; readonly hits: Found[] }>> = {
  identities: {
    total: 7,
    hits: [hit(3, 'identities', 'c'), hit(2, 'identities', 'a'), hit(1, 'identities', 'b')],
  },
  roles: { total: 2, hits: [hit(2, 'roles', 'x'), hit(0.5, 'roles', 'y')] },
};

type Sent = Readonly<{
  from: number;
  size: number;
  sort: readonly object[];
  search_after?: readonly unknown[];
}>;

/** Searches pages that are in order; returns the requests and the sort values and ids of the hits. */
async function searched(
  targets: readonly OpenTarget[],
  plan: Plan,
  { pages = PAGES, window = 10_000 } = {},
) {
  const requests: { readonly indexes: readonly string[]; readonly body: Sent }[] = [];
  const search: SearchFunction = async (some, body) => {
    const sent = { from: 0, sort: [], ...body } as unknown as Sent;
    requests.push({ indexes: some.map(({ index }) => index), body: sent });
    const { total, hits } = pages[some[0]?.index ?? ''] ?? { total: 0, hits: [] };
    const after = sent.search_after?.at(-1);
    const first = sent.from + hits.findIndex(({ id }) => id === after) + 1;
    const byId = lastKey(sent) === '%id';
    const indexNames = JSON.stringify(sent.sort).includes('%index');
    return {
      ...{ timed_out: false, _shards: { failed: 0 } },
      hits: {
        total: { value: total },
        hits: hits.slice(first, first + sent.size).map(({ score, index, id }) => ({
          _id: id,
          sort: [score, ...(indexNames ? [index] : []), ...(byId ? [id] : idKeys(id))],
        })),
      },
    } satisfies SearchResponse;
  };
  const limits = { window, documents: 1, elements: 1, elementsBefore: 1 };
  const searches = { search, searchUncounted: search, limits };
  const { answer } = await searchInOrder({ ...plan, targets }, targets, searches);
  return { requests, answer };
}

function lastKey({ sort }: Sent): string {
  return Object.keys(sort.at(-1) ?? {})[0] ?? '';
}

test('searches indexes of one shard together', async () => {
  const targets = [targetOf('identities', 1), targetOf('roles', 1)];
  const { requests } = await searched(targets, PLAN);
  assert.deepEqual(
    requests.map(({ indexes }) => indexes),
    [['identities', 'roles']],
  );
});

test('scores an index of several shards by itself and merges the pages', async () => {
  const targets = [targetOf('identities', 2), targetOf('roles', 1)];
  const { requests, answer } = await searched(targets, PLAN);
  assert.deepEqual(
    requests.map(({ indexes, body: { from, size } }) => [indexes, from, size]),
    [
      [['identities'], 0, 4],
      [['roles'], 0, 4],
    ],
  );
  assert.equal(answer.hits.total?.value, 9);
  assert.deepEqual(
    answer.hits.hits.map(({ _id, sort }) => [...sort.slice(0, 2), _id]),
    [
      [2, 'identities', 'a'],
      [2, 'roles', 'x'],
      [1, 'identities', 'b'],
    ],
  );
});

test('searches by the ids themselves if hits have the same keys, or an unknown id', async () => {
  const long = 'x'.repeat(100);
  const plan: Plan = { ...PLAN, sort: [{ field: 'name', order: 'desc', type: 'string' }] };
  const cases: readonly (readonly [hits: readonly Found[], requests: readonly unknown[]])[] = [
    // Of the page and its neighbours, no two have the same keys.
    [['a', 'b', 'c', 'd', 'e'].map((id) => hit(1, 'identities', id)), [[0, 5, '%key3']]],
    [[3, 2, 1].map((score) => hit(score, 'identities', `${long}a`)), [[0, 5, '%key3']]],
    // The hit before the page has the same keys as its first one.
    [
      [`${long}a`, `${long}b`, 'y'].map((id) => hit(1, 'identities', id)),
      [
        [0, 5, '%key3'],
        [1, 3, '%id'],
      ],
    ],
    // The hit after the page has the same keys as its last one.
    [
      ['a', 'b', 'c', `${long}a`, `${long}b`].map((id) => hit(1, 'identities', id)),
      [
        [0, 5, '%key3'],
        [1, 3, '%id'],
      ],
    ],
    [
      [hit(1, 'identities', 'a'), hit(0.5, 'identities', `x~sha256-${'0'.repeat(64)}`)],
      [
        [0, 5, '%key3'],
        [1, 3, '%id'],
      ],
    ],
  ];
  for (const [hits, expected] of cases) {
    const pages = { identities: { total: hits.length, hits: [...hits] } };
    const { requests, answer } = await searched([targetOf('identities', 1)], plan, { pages });
    assert.deepEqual(
      requests.map(({ body }) => [body.from, body.size, lastKey(body)]),
      expected,
    );
    assert.deepEqual(
      answer.hits.hits.map(({ _id }) => _id),
      hits.slice(1, 4).map(({ id }) => id),
    );
  }
});

test('searches together where the order does not depend on scores', async () => {
  const targets = [targetOf('identities', 2), targetOf('roles', 2)];
  const sort = [{ field: 'name', order: 'asc', type: 'string' }] as const;
  const { requests } = await searched(targets, { ...PLAN, sort });
  assert.equal(requests.length, 1);
});

test('small pages of scores are ordered by ids, larger ones by their keys', async () => {
  const last = async (size: number) => {
    const { requests } = await searched([targetOf('identities', 1)], { ...PLAN, size });
    return requests.map(({ body }) => lastKey(body));
  };
  assert.deepEqual(await last(49), ['%id']);
  assert.deepEqual(await last(50), ['%key3']);
});

test('reaches a page far from the start in steps of the window', async () => {
  const hits = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => hit(1, 'identities', id));
  const cases: readonly (readonly [
    page: Partial<Plan>,
    requests: readonly (readonly [after: unknown, size: number])[],
    ids: string,
  ])[] = [
    [{ from: 1, size: 2 }, [[undefined, 4]], 'bc'],
    [
      { from: 2, size: 2 },
      [
        [undefined, 2],
        ['b', 2],
      ],
      'cd',
    ],
    [
      { from: 5, size: 2 },
      [
        [undefined, 3],
        ['c', 2],
        ['e', 2],
      ],
      'f',
    ],
    [
      { from: 7, size: 2 },
      [
        [undefined, 3],
        ['c', 3],
        ['f', 1],
        [undefined, 0],
      ],
      '',
    ],
  ];
  const sort = [{ field: 'name', order: 'asc', type: 'string' }] as const;
  for (const [page, expected, ids] of cases) {
    const pages = { identities: { total: hits.length, hits } };
    const targets = [targetOf('identities', 1)];
    const options = { pages, window: 3 };
    const { requests, answer } = await searched(targets, { ...PLAN, sort, ...page }, options);
    const sent = requests.map(({ body }) => [body.search_after?.at(-1), body.size]);
    assert.deepEqual(sent, expected);
    assert.equal(answer.hits.hits.map(({ _id }) => _id).join(''), ids);
    assert.equal(answer.hits.total?.value, hits.length);
  }
});
