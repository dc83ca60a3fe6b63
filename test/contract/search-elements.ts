// The contract of every search backend about elements in an order of their own (`elementOrder`), and
// about pages far from the first.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Plan } from '../../src/query/plan.ts';
import type { Query, SortKey, SortValue } from '../../src/query/query.ts';
import type { Hit } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import {
  ALL,
  type BackendHarness,
  backendWorld,
  bytes,
  change,
  ids,
  number,
  OPTIONS,
  planOf,
  text,
} from './backend-world.ts';

type Key = readonly [field: string, order: 'asc' | 'desc', type?: SortKey['type']];

/** Identities and their accounts, in two batches. */
const FIRST: Readonly<Record<string, object>> = {
  i2: {
    name: 'Bob',
    accounts: [account('bob', '2024-03-09', 'AD'), account('bob', null, 'HR', { disabled: true })],
  },
  i1: {
    name: 'Ada',
    accounts: [
      account('ada', '2024-01-05', 'HR'),
      account(['zada', 'aada'], '2024-01-20', 'HR'),
      account(null, '2024-03-01', 'AD'),
    ],
  },
  i5: { name: 'Gone', accounts: [account('gone', '2024-02-02', 'AD')] },
};
const SECOND: Readonly<Record<string, object>> = {
  i3: { name: 'Ada', accounts: [account('\u{1f600}', '2024-03-09', 'HR')] },
  i4: { accounts: [account('\uffee', '2024-03-09', 'AD'), account('bob', '2023-12-31', null)] },
  i6: { name: 'None', accounts: [] },
};

function account(name: unknown, day: string | null, source: string | null, more: object = {}) {
  return {
    ...(name !== null && { name }),
    ...(day !== null && { created: `${day}T00:00:00Z` }),
    ...(source !== null && { source: { id: source } }),
    ...more,
  };
}

const BY_NAME: Key = ['accounts.name', 'asc', 'string'];
const NAME: Key = ['name', 'asc', 'string'];
const CREATED: Key = ['accounts.created', 'asc', 'number'];
const reversed = ([field, , type = 'string']: Key): Key => [field, 'desc', type];

/** Orders, with the elements in that order as id and position. */
const ORDERS: readonly (readonly [keys: readonly Key[], elements: string])[] = [
  [[], 'i1:0 i1:1 i1:2 i2:0 i2:1 i3:0 i4:0 i4:1'],
  [[BY_NAME], 'i1:1 i1:0 i2:0 i2:1 i4:1 i4:0 i3:0 i1:2'],
  [[reversed(BY_NAME)], 'i3:0 i4:0 i1:1 i2:0 i2:1 i4:1 i1:0 i1:2'],
  [[CREATED], 'i4:1 i1:0 i1:1 i1:2 i2:0 i3:0 i4:0 i2:1'],
  [[reversed(CREATED)], 'i2:0 i3:0 i4:0 i1:2 i1:1 i1:0 i4:1 i2:1'],
  [[NAME], 'i1:0 i1:1 i1:2 i3:0 i2:0 i2:1 i4:0 i4:1'],
  [[reversed(NAME)], 'i2:0 i2:1 i1:0 i1:1 i1:2 i3:0 i4:0 i4:1'],
  [[NAME, reversed(CREATED)], 'i3:0 i1:2 i1:1 i1:0 i2:0 i2:1 i4:0 i4:1'],
  [[BY_NAME, CREATED], 'i1:1 i1:0 i4:1 i2:0 i2:1 i4:0 i3:0 i1:2'],
  [[reversed(CREATED), reversed(NAME), BY_NAME], 'i2:0 i3:0 i4:0 i1:2 i1:1 i1:0 i4:1 i2:1'],
  [
    [['accounts.disabled', 'asc', 'number'], reversed(NAME)],
    'i2:1 i2:0 i1:0 i1:1 i1:2 i3:0 i4:0 i4:1',
  ],
  [
    [['accounts.source.id', 'desc', 'string'], NAME, CREATED],
    'i1:0 i1:1 i3:0 i2:1 i1:2 i2:0 i4:0 i4:1',
  ],
  [[['id', 'desc', 'string'], reversed(BY_NAME)], 'i4:0 i4:1 i3:0 i2:0 i2:1 i1:1 i1:0 i1:2'],
  [
    [
      ['accounts.locked', 'asc', 'number'],
      ['_type', 'desc', 'string'],
    ],
    'i1:0 i1:1 i1:2 i2:0 i2:1 i3:0 i4:0 i4:1',
  ],
];

/** Runs the suite on one backend. */
export function searchElementsContract(name: string, create: () => Promise<BackendHarness>): void {
  describe(`elements of a search backend: ${name}`, () => {
    const { backend, feed, search } = backendWorld(create);

    const feedIdentities = async () => {
      await feed(...identities(FIRST, 1));
      await feed(...identities(SECOND, 11), change(20, 'i5', null, { index: 'identities' }));
    };
    const found = async (plan: Plan) => (await search(plan)).hits.map(placeOf);

    test('returns elements in the order of their own fields and those of documents', async () => {
      await feedIdentities();
      for (const [keys, expected] of ORDERS) {
        const plan = elementPlan({ keys });
        const where = JSON.stringify(keys);
        const { hits, total } = await search(plan);
        assert.equal(hits.map(placeOf).join(' '), expected, where);
        assert.equal(total, 8);
        // Again, as an order may be kept.
        for (const from of [0, 3, 7, 8]) {
          const page = await found({ ...plan, from, size: 3 });
          assert.deepEqual(
            page,
            expected.split(' ').slice(from, from + 3),
            `${where} from ${from}`,
          );
        }
      }
    });

    test('returns the document of each element, with its sort values, id and position', async () => {
      await feedIdentities();
      const plan = elementPlan({
        keys: [
          ['accounts.name', 'asc'],
          ['accounts.created', 'desc', 'number'],
          ['name', 'asc'],
        ],
      });
      const { hits } = await search({ ...plan, size: 2 });
      assert.deepEqual(
        hits.map(({ index, id, score, elements, sort }) => ({ index, id, score, elements, sort })),
        [
          {
            ...{ index: 'identities', id: 'i1', score: null, elements: [1] },
            sort: ['aada', Date.parse('2024-01-20'), 'Ada', 'i1', 1],
          },
          {
            ...{ index: 'identities', id: 'i1', score: null, elements: [0] },
            sort: ['ada', Date.parse('2024-01-05'), 'Ada', 'i1', 0],
          },
        ],
      );
      const [{ root, nested } = assert.fail('no hit')] = hits;
      assert.equal(JSON.parse(text(root)).name, 'Ada');
      assert.equal(JSON.parse(`{${text(nested)}}`).accounts.length, 3);
      const last = await search({ ...plan, from: 7 });
      assert.deepEqual(last.hits[0]?.sort, [null, Date.parse('2024-03-01'), 'Ada', 'i1', 2]);
      const bare = await search({
        ...plan,
        size: 1,
        source: { includes: [], excludes: [], nested: false },
      });
      assert.equal(bare.hits[0]?.nested.length, 0);
    });

    test('continues after every element, and skips from there', async () => {
      await feedIdentities();
      for (const [keys, expected] of ORDERS) {
        const plan = elementPlan({ keys, trackTotal: false });
        const all = expected.split(' ');
        const { hits } = await search(plan);
        for (const [at, { sort }] of hits.entries()) {
          const where = `${JSON.stringify(keys)} after ${JSON.stringify(sort)}`;
          const rest = { ...plan, searchAfter: sort };
          assert.deepEqual(await found(rest), all.slice(at + 1), where);
          assert.deepEqual(
            await found({ ...rest, from: 2, size: 2 }),
            all.slice(at + 3, at + 5),
            where,
          );
        }
        for (const size of [1, 2, 7]) {
          assert.deepEqual((await walked(plan, size)).map(placeOf), all, `pages of ${size}`);
        }
      }
    });

    test('continues at an element that is gone, and counts all of them', async () => {
      await feedIdentities();
      const plan = elementPlan({ keys: [['accounts.name', 'asc']] });
      const after = async (...searchAfter: SortValue[]) => {
        const { hits, total } = await search({ ...plan, searchAfter, size: 2 });
        assert.equal(total, 8);
        return hits.map(placeOf);
      };
      assert.deepEqual(await after('bob', 'i2', 0), ['i2:1', 'i4:1']);
      assert.deepEqual(await after('bob', 'i2', 7), ['i4:1', 'i4:0']);
      assert.deepEqual(await after('bob', 'i20', 0), ['i4:1', 'i4:0']);
      assert.deepEqual(await after('bab', 'i9', 0), ['i2:0', 'i2:1']);
      assert.deepEqual(await after('', '', 0), ['i1:1', 'i1:0']);
      assert.deepEqual(await after(null, 'i0', 0), ['i1:2']);
      assert.deepEqual(await after(null, 'i1', 2), []);
    });

    test('selects elements by both queries, and counts them', async () => {
      await feedIdentities();
      const ad: Query = { kind: 'term', field: 'accounts.source.id', form: 'exact', value: 'AD' };
      const ada: Query = { kind: 'term', field: 'name', form: 'exact', value: 'Ada' };
      const rows: readonly (readonly [documents: Query, elements: Query, expected: string])[] = [
        [ALL, ad, 'i4:0 i2:0 i1:2'],
        [ada, ALL, 'i3:0 i1:1 i1:0 i1:2'],
        [ada, ad, 'i1:2'],
        [{ kind: 'ids', values: ['i4', 'i5', 'i9'] }, ALL, 'i4:0 i4:1'],
        [ALL, { kind: 'matchNone' }, ''],
        [{ kind: 'matchNone' }, ALL, ''],
      ];
      for (const [documents, elements, all] of rows) {
        const keys = [reversed(BY_NAME), CREATED];
        const plan = elementPlan({ documents, elements, keys });
        const expected = all.split(' ').filter((place) => place !== '');
        const where = JSON.stringify([documents, elements]);
        const { hits, total } = await search(plan);
        assert.deepEqual(hits.map(placeOf), expected, where);
        assert.equal(total, expected.length, where);
        assert.equal(await backend().count('acme', plan, OPTIONS), expected.length, where);
        assert.equal((await search({ ...plan, size: 0 })).total, expected.length, where);
        assert.equal((await search({ ...plan, trackTotal: false })).total, null, where);
        assert.deepEqual((await walked(plan, 1)).map(placeOf), expected, where);
      }
      const other = await search(elementPlan({}), 'globex');
      assert.deepEqual([other.hits, other.total], [[], 0]);
    });

    test('orders many elements that tie, of documents with many', async () => {
      const many = (id: number) =>
        Array.from({ length: 300 }, (_, at) => ({
          name: `n${(at * 7 + id) % 5}`,
          source: { id: `s${at % 3}` },
        }));
      const documents = Array.from({ length: 12 }, (_, id) => {
        return [number(id), { name: `N${id % 2}`, accounts: many(id) }] as const;
      });
      const all = identities(Object.fromEntries(documents), 1);
      await feed(...all.slice(0, 5));
      await feed(...all.slice(5));
      const expected = documents
        .flatMap(([id, { accounts, name: owner }]) =>
          accounts.map(({ name, source }, at) => [name, owner, source.id, id, at] as const),
        )
        .sort(
          (a, b) =>
            compare(a[0], b[0]) ||
            compare(b[1], a[1]) ||
            compare(a[2], b[2]) ||
            compare(a[3], b[3]) ||
            a[4] - b[4],
        );
      const plan = elementPlan({
        keys: [
          ['accounts.name', 'asc'],
          ['name', 'desc'],
          ['accounts.source.id', 'asc'],
        ],
        trackTotal: false,
      });
      for (const [from, size] of [
        [0, 10],
        [711, 40],
        [715, 1],
        [2_000, 250],
        [3_599, 5],
        [3_600, 5],
      ] as const) {
        const { hits } = await search({ ...plan, from, size });
        assert.deepEqual(
          hits.map(({ sort }) => sort),
          expected.slice(from, from + size),
          `from ${from}`,
        );
      }
      const after = { ...plan, searchAfter: expected[1_234]! };
      const { hits } = await search({ ...after, from: 100, size: 50 });
      assert.deepEqual(
        hits.map(({ sort }) => sort),
        expected.slice(1_335, 1_385),
      );
      assert.deepEqual(
        (await walked(plan, 500)).map(({ sort }) => sort),
        expected,
      );
    });

    test('returns pages beyond the first ten thousand documents', async () => {
      const count = 12_345;
      const changes = Array.from({ length: count }, (_, at) =>
        change(at + 1, number((at * 7_919) % count), `n${at % 7}`, { count: at % 3 }),
      );
      for (let at = 0; at < count; at += 3_000) await feed(...changes.slice(at, at + 3_000));
      const documents = changes
        .map(({ id, document }) => ({
          id,
          ...(JSON.parse(text(document!.root)) as { name: string; entitlementCount: number }),
        }))
        .sort((a, b) => compare(a.id, b.id));
      const orders: readonly (readonly [SortKey[], readonly string[]])[] = [
        [[], documents.map(({ id }) => id)],
        [
          [
            { field: 'entitlementCount', order: 'desc', type: 'number' },
            { field: 'name', order: 'asc', type: 'string' },
          ],
          documents
            .toSorted((a, b) => b.entitlementCount - a.entitlementCount || compare(a.name, b.name))
            .map(({ id }) => id),
        ],
        [[{ field: 'modified', order: 'asc', type: 'number' }], documents.map(({ id }) => id)],
      ];
      for (const [sort, expected] of orders) {
        for (const from of [9_990, 10_000, 12_340, 12_345, 1_000_000]) {
          const { hits, total } = await search(planOf({ sort, from, size: 20 }));
          assert.deepEqual(
            ids(hits),
            expected.slice(from, from + 20),
            `${sort[0]?.field} from ${from}`,
          );
          assert.equal(total, count);
          assert.ok(hits.every(({ root }) => root.length > 2));
        }
      }
      const wide = await search(planOf({ from: 500, size: 11_000, trackTotal: false }));
      assert.deepEqual(ids(wide.hits), documents.map(({ id }) => id).slice(500, 11_500));
    });

    /** All hits, by pages. */
    async function walked(plan: Plan, size: number): Promise<Hit[]> {
      const hits: Hit[] = [];
      for (let rest: Plan = { ...plan, size }; ; ) {
        const page = (await search(rest)).hits;
        hits.push(...page);
        const last = page.at(-1);
        if (last === undefined || page.length < size) return hits;
        rest = { ...rest, searchAfter: last.sort };
      }
    }
  });
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const placeOf = ({ id, elements }: Hit): string => `${id}:${elements?.join()}`;

/** A plan for accounts; by default all, by document and position. */
function elementPlan({
  documents = ALL,
  elements = ALL,
  keys = [],
  ...page
}: Partial<Plan> & { documents?: Query; elements?: Query; keys?: readonly Key[] }): Plan {
  const sort = keys.map(([field, order, type = 'string']): SortKey => ({ field, order, type }));
  const innerHit = { path: 'accounts', query: elements };
  const targets = [{ index: 'identities', query: documents, innerHit } as const];
  return { ...planOf({ targets, sort, ...page }), elementOrder: true };
}

/** Changes that put identities by id, with sequence numbers from `first` on. */
function identities(members: Readonly<Record<string, object>>, first: number): DocumentChange[] {
  return Object.entries(members).map(
    ([id, { accounts, ...root }]: [string, { accounts?: object[] }], at) => {
      const document = {
        ...{ index: 'identities' as const, id },
        root: bytes(JSON.stringify({ id, ...root })),
        nested: bytes(accounts === undefined ? '' : `"accounts":${JSON.stringify(accounts)}`),
      };
      return { sequence: first + at, tenantId: 'acme', index: 'identities', id, document };
    },
  );
}
