// Requests from their text to their results on every search backend, planned as by the service over
// the static mappings. For behaviour that depends on both planning and backend.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import { NearestNames } from '../../src/query/mapping/nearest-name.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { IndexName } from '../../src/query/query.ts';
import { DEFAULT_LIMITS } from '../../src/query/requests/search-request.ts';
import type { SearchBackend } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { planAggregate, planSearch } from '../support/query-context.ts';
import { searchOptions } from '../support/search-options.ts';
import { sourceDocument } from '../support/segments.ts';
import type { BackendHarness } from './backend-world.ts';

const OPTIONS = searchOptions();
const TENANT = 'acme';
const CONTEXT = {
  mapping: (index: IndexName) => staticMapping(index, { name: TENANT, pod: 'cardea' }),
  now: 0,
  limits: DEFAULT_LIMITS,
  nearestNames: new NearestNames(),
};

/** An identity with its access, written as `name:TYPE`, and with accounts as `source created`. */
function identity(name: string, access: readonly string[], accounts: readonly string[] = []) {
  return {
    name,
    access: access.map((one) => {
      const [title, type] = one.split(':');
      return { id: `x-${title}`, name: title, type, privileged: type === 'ROLE' };
    }),
    accounts: accounts.map((one) => {
      const [source, created] = one.split(' ');
      return { id: `${name}-${source}`, source: { name: source }, created };
    }),
  };
}

const IDENTITIES: Readonly<Record<string, object>> = {
  i1: identity(
    'ada',
    ['Mail:ENTITLEMENT', 'Mail:ENTITLEMENT', 'VPN:ENTITLEMENT', 'Auditor:ROLE'],
    ['HR 2024-01-05T00:00:00Z', 'HR 2024-01-20T00:00:00Z', 'AD 2024-03-01T00:00:00Z'],
  ),
  i2: identity('bob', ['Mail:ENTITLEMENT'], ['AD 2024-03-09T00:00:00Z']),
  i3: identity('<tag>', ['Auditor:ROLE', 'Clerk:ROLE'], ['HR 2024-03-07T00:00:00Z']),
  i4: identity('zoe', []),
};
const ENTITLEMENTS: Readonly<Record<string, object>> = {
  e1: {
    name: 'Mail',
    permissions: [
      { target: 'A', rights: ['read', 'write'] },
      { target: 'B', rights: ['read'] },
    ],
  },
  e2: { name: 'VPN', permissions: [{ target: 'A', rights: ['read'] }] },
};

/** Three events in an hour, two of them in the same second. */
const EVENTS: Readonly<Record<string, object>> = {
  v1: { name: 'Login', type: 'AUTH', created: '2026-11-01T00:00:00.000Z' },
  v2: { name: 'Grant', type: 'ACCESS', created: '2026-11-01T00:30:00.500Z' },
  v3: { name: 'Login', type: 'AUTH', created: '2026-11-01T00:30:00.500Z' },
};
const NOW = Date.parse('2026-11-01T01:00:00Z');

/** Bodies as published programs send them to `events`, and the ids of the answer. */
const PROGRAM_BODIES: readonly (readonly [body: object, ids: readonly string[]])[] = [
  [{ query: { query: '*' }, sort: ['+created', 'id'], searchAfter: [] }, ['v1', 'v2', 'v3']],
  [{ query: { query: 'type:* ' }, sort: ['+id'], queryResultFilter: {} }, ['v1', 'v2', 'v3']],
  [
    {
      ...{ queryType: 'SAILPOINT', timeZone: 'America/Chicago', maxEvents: 5 },
      ...{ query: { query: 'created:>2026\\-11\\-01T00\\:00\\:00\\.000Z' }, sort: ['id'] },
    },
    ['v2', 'v3'],
  ],
  [
    {
      ...{ query: { query: 'created: [2026-11-01T00:10:00Z TO now]' }, sort: ['created', 'id'] },
      timeZone: 'GMT',
    },
    ['v2', 'v3'],
  ],
  [{ query: { query: '!type:AUTH' }, sort: ['id'] }, ['v2']],
  [{ query: { query: 'type:AUTH AND !name:Grant' }, sort: ['-id'] }, ['v3', 'v1']],
  [
    {
      ...{ query: { query: '*' }, sort: ['created'] },
      searchAfter: ['2026-11-01T00:00:00.000Z'],
    },
    ['v2', 'v3'],
  ],
  [
    {
      ...{ query: { query: '*' }, sort: ['created', 'id'] },
      searchAfter: ['2026-11-01T00:30:00.500Z', 'v2'],
    },
    ['v3'],
  ],
];

/** Runs the suite on one backend. */
export function searchRequestContract(name: string, create: () => Promise<BackendHarness>): void {
  describe(`search requests: ${name}`, () => {
    let harness: BackendHarness;
    let backend: SearchBackend;

    before(async () => {
      harness = await create();
      backend = await harness.open();
      const changes = [
        ...put('identities', IDENTITIES, 1),
        ...put('entitlements', ENTITLEMENTS, 9),
        ...put('events', EVENTS, 11),
      ];
      harness.lastSequence = 13;
      // Two segments, so that results are combined from both.
      for (const part of [changes.slice(0, 2), changes.slice(2)]) {
        await backend.apply(TENANT, part);
        await backend.refresh();
      }
    });
    after(async () => {
      await backend.close();
      await harness.dispose();
    });

    const run = (plan: Plan) =>
      backend.search(TENANT, JSON.parse(JSON.stringify(plan)) as Plan, OPTIONS);
    const idsOf = async (query: string) => {
      const plan = planSearch({ indices: ['identities'], query: { query } }, {}, CONTEXT);
      return (await run(plan)).hits.map(({ id }) => id);
    };
    const aggregated = async (body: object, indices: IndexName[] = ['identities']) => {
      const { plan } = planAggregate({ indices, ...body }, { limit: '0' }, CONTEXT);
      return (await run(plan)).aggregations?.value();
    };
    const dsl = (aggregationsDsl: object, indices?: IndexName[]) =>
      aggregated({ aggregationsDsl }, indices);

    for (const [body, ids] of PROGRAM_BODIES) {
      test(`answers the body of a program: ${JSON.stringify(body)}`, async () => {
        const sent = { indices: ['events'], ...body };
        const plan = planSearch(sent, { limit: '10000' }, { ...CONTEXT, now: NOW });
        const found = (await run(plan)).hits.map(({ id }) => id);
        assert.deepEqual(found, ids);
      });
    }

    test('treats an escaped < or > as a character of the value', async () => {
      assert.deepEqual(await idsOf('name.exact:\\<tag>'), ['i3']);
      assert.deepEqual(await idsOf('name.exact:\\<tag\\>'), ['i3']);
      assert.deepEqual(await idsOf('name.exact:"<tag>"'), ['i3']);
      // Without the backslash it is a range of all names before `tag>`.
      assert.deepEqual(await idsOf('name.exact:<tag>'), ['i1', 'i2', 'i3']);
    });

    test('boosts change the order only, however large their product is', async () => {
      const large = `^3${'0'.repeat(38)}`;
      const queries = [
        `(name:ada${large} name:bob)${large}`,
        `((name:ada${large} -name:nobody)${large} OR (name:bob^2)^3)${large}`,
        `@access((name:auditor${large} OR name:clerk)${large})${large} OR name:bob`,
        `ada${large} bob`,
      ];
      const [ada, bob] = [
        ['i1', 'i2'],
        ['i2', 'i1'],
      ];
      assert.deepEqual(await idsOf(queries[0] ?? ''), ada);
      assert.deepEqual(await idsOf(queries[1] ?? ''), ada);
      assert.deepEqual(new Set(await idsOf(queries[2] ?? '')), new Set(['i1', 'i2', 'i3']));
      assert.deepEqual(await idsOf(queries[3] ?? ''), ada);
      assert.deepEqual(await idsOf(`ada bob${large}`), bob);
    });

    test('a slop may be of any size', async () => {
      assert.deepEqual(await idsOf('access.name:"vpn mail"~99999999999'), []);
      assert.deepEqual(await idsOf('name:"ada ada"~99999999999'), []);
      assert.deepEqual(await idsOf('access.name:"auditor"~99999999999'), ['i1', 'i3']);
    });

    test('knows a time zone in any case', async () => {
      const months = (time_zone: string) => ({
        months: {
          date_histogram: {
            ...{ field: 'accounts.created', calendar_interval: 'month', time_zone },
            min_doc_count: 1,
          },
        },
      });
      const answer = await dsl(months('america/new_york'));
      assert.deepEqual(answer, await dsl(months('America/New_York')));
      assert.match(JSON.stringify(answer), /"2024-02-01T00:00:00.000-05:00".*"doc_count":1/);
    });

    test('intervals may be as long as all time', async () => {
      const answer = await dsl({
        all: {
          date_histogram: {
            ...{ field: 'accounts.created', fixed_interval: '100000000d', offset: '-1d' },
          },
        },
      });
      assert.match(JSON.stringify(answer), /"doc_count":3/);
    });

    test('counts documents by all element values of a field below a nested path', async () => {
      const answer = await dsl({
        types: { terms: { field: 'access.type' } },
        names: { value_count: { field: 'access.name' } },
        distinct: { cardinality: { field: 'access.name' } },
        without: { missing: { field: 'access.type' } },
        others: { terms: { field: 'access.type', missing: 'NONE', order: { _key: 'asc' } } },
      });
      assert.deepEqual(answer, {
        types: terms({ key: 'ENTITLEMENT', doc_count: 2 }, { key: 'ROLE', doc_count: 2 }),
        names: { value: 6 },
        distinct: { value: 4 },
        without: { doc_count: 1 },
        others: terms(
          { key: 'ENTITLEMENT', doc_count: 2 },
          { key: 'NONE', doc_count: 1 },
          { key: 'ROLE', doc_count: 2 },
        ),
      });
    });

    test('flattens lists in elements', async () => {
      const rights = { terms: { field: 'permissions.rights' } };
      assert.deepEqual(await dsl({ rights }, ['entitlements']), {
        rights: terms({ key: 'read', doc_count: 2 }, { key: 'write', doc_count: 1 }),
      });
    });

    test('has documents in buckets of flattened values for inner aggregations', async () => {
      const answer = await dsl({
        types: {
          terms: { field: 'access.type' },
          aggs: {
            people: { terms: { field: 'name.exact' } },
            sources: { terms: { field: 'accounts.source.name' } },
            elements: { nested: { path: 'access' } },
          },
        },
      });
      const people = (...names: string[]) => terms(...names.map((key) => ({ key, doc_count: 1 })));
      assert.deepEqual(answer, {
        types: terms(
          {
            ...{ key: 'ENTITLEMENT', doc_count: 2, people: people('ada', 'bob') },
            sources: terms({ key: 'AD', doc_count: 2 }, { key: 'HR', doc_count: 1 }),
            elements: { doc_count: 5 },
          },
          {
            ...{ key: 'ROLE', doc_count: 2, people: people('<tag>', 'ada') },
            sources: terms({ key: 'HR', doc_count: 2 }, { key: 'AD', doc_count: 1 }),
            elements: { doc_count: 6 },
          },
        ),
      });
    });

    test('aggregates dates and booleans of elements by document', async () => {
      const day = { format: 'yyyy-MM-dd' };
      const answer = await dsl({
        months: {
          date_histogram: {
            ...{ field: 'accounts.created', calendar_interval: 'month', format: 'yyyy-MM' },
            min_doc_count: 1,
          },
        },
        spans: {
          date_range: {
            ...{ field: 'accounts.created', ...day, keyed: true },
            ranges: [
              { key: 'early', to: '2024-02-01' },
              { key: 'all', from: '2024-01-01' },
            ],
          },
        },
        values: { value_count: { field: 'accounts.created' } },
        first: { min: { field: 'accounts.created' } },
        privileged: { terms: { field: 'access.privileged' } },
        back: {
          nested: { path: 'accounts' },
          aggs: {
            people: { reverse_nested: {}, aggs: { all: { terms: { field: 'access.type' } } } },
          },
        },
        pairs: {
          composite: {
            sources: [
              { source: { terms: { field: 'accounts.source.name' } } },
              { type: { terms: { field: 'access.type', missing_bucket: true } } },
            ],
          },
        },
      });
      const first = Date.parse('2024-01-05');
      assert.deepEqual(answer, {
        months: {
          buckets: [
            { key_as_string: '2024-01', key: Date.parse('2024-01-01'), doc_count: 1 },
            { key_as_string: '2024-03', key: Date.parse('2024-03-01'), doc_count: 3 },
          ],
        },
        spans: {
          buckets: {
            early: { to: Date.parse('2024-02-01'), to_as_string: '2024-02-01', doc_count: 1 },
            all: { from: Date.parse('2024-01-01'), from_as_string: '2024-01-01', doc_count: 3 },
          },
        },
        values: { value: 5 },
        first: { value: first, value_as_string: '2024-01-05T00:00:00.000Z' },
        privileged: terms(
          { key: 0, key_as_string: 'false', doc_count: 2 },
          { key: 1, key_as_string: 'true', doc_count: 2 },
        ),
        back: {
          doc_count: 5,
          people: {
            doc_count: 3,
            all: terms({ key: 'ENTITLEMENT', doc_count: 2 }, { key: 'ROLE', doc_count: 2 }),
          },
        },
        pairs: {
          after_key: { source: 'HR', type: 'ROLE' },
          buckets: [
            { key: { source: 'AD', type: 'ENTITLEMENT' }, doc_count: 2 },
            { key: { source: 'AD', type: 'ROLE' }, doc_count: 1 },
            { key: { source: 'HR', type: 'ENTITLEMENT' }, doc_count: 1 },
            { key: { source: 'HR', type: 'ROLE' }, doc_count: 2 },
          ],
        },
      });
    });

    test('sorts top_hits of documents by the smallest or greatest element value', async () => {
      const sorted = (order: string) => ({
        top_hits: { sort: [{ 'accounts.created': order }], size: 4, _source: false },
      });
      const answer = (await dsl({ up: sorted('asc'), down: sorted('desc') })) as Record<
        string,
        { readonly hits: { readonly hits: readonly { readonly _id: string }[] } }
      >;
      const order = (name: string) => answer[name]?.hits.hits.map(({ _id }) => _id);
      assert.deepEqual(order('up'), ['i1', 'i3', 'i2', 'i4']);
      assert.deepEqual(order('down'), ['i2', 'i3', 'i1', 'i4']);
    });

    test('counts documents by flattened values in the SAILPOINT form, and elements with @', async () => {
      const bucket = (field: string) => ({
        aggregationType: 'SAILPOINT',
        aggregations: {
          bucket: { name: 'Types', field },
          metric: { name: 'Names', field: 'access.name', type: 'UNIQUE_COUNT' },
        },
      });
      assert.deepEqual(await aggregated(bucket('access.type')), {
        Types: terms(
          { key: 'ENTITLEMENT', doc_count: 2, Names: { value: 3 } },
          { key: 'ROLE', doc_count: 2, Names: { value: 4 } },
        ),
      });
      assert.deepEqual(await aggregated(bucket('@access.type')), {
        access: {
          doc_count: 7,
          Types: terms(
            { key: 'ENTITLEMENT', doc_count: 4, Names: { value: 2 } },
            { key: 'ROLE', doc_count: 3, Names: { value: 2 } },
          ),
        },
      });
    });
  });
}

function terms(...buckets: readonly object[]): object {
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets };
}

/** Changes that put documents, by id, with sequence numbers from `first` on. */
function put(
  index: IndexName,
  documents: Readonly<Record<string, object>>,
  first: number,
): DocumentChange[] {
  const { nestedPaths } = CONTEXT.mapping(index);
  return Object.entries(documents).map(([id, members], at) => {
    const { root, nested } = sourceDocument(id, { ...members }, nestedPaths);
    const document = { index, id, root, nested };
    return { sequence: first + at, tenantId: TENANT, index, id, document };
  });
}
