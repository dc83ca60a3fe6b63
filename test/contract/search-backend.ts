// The contract of every search backend. A harness opens the backend over the state of the last one,
// so that a test can close and reopen it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';
import type { Hit, SearchBackend, SearchOptions } from '../../src/identity/ports/search-backend.ts';
import type { DocumentChange } from '../../src/identity/ports/store.ts';
import type {
  Aggregation,
  Aggregations,
  ValueSource,
} from '../../src/query/aggregation/aggregation.ts';
import type { Plan, Target, Typeahead, TypeaheadField } from '../../src/query/plan.ts';
import type { IndexName, Query, SortKey, SortValue } from '../../src/query/query.ts';

export interface BackendHarness {
  /** Opens the backend over the committed state, with the static mappings. */
  open(): Promise<SearchBackend>;
  /** The last sequence of the store. */
  lastSequence: number;
  /** Deletes all state. */
  dispose(): Promise<void>;
}

const OPTIONS: SearchOptions = { timeoutMs: 10_000 };
const ALL: Query = { kind: 'matchAll' };

/** A plan over roles that returns everything, in index order. */
export function planOf(
  changes: Partial<Plan> & { query?: Query; indexes?: IndexName[] } = {},
): Plan {
  const { query = ALL, indexes = ['roles'], ...rest } = changes;
  return {
    targets: indexes.map((index) => ({ index, query })),
    sort: [],
    from: 0,
    size: 100,
    trackTotal: true,
    source: { includes: [], excludes: [], nested: true },
    ...rest,
  };
}

/** A change that puts a role, or removes it when `name` is null. */
export function change(
  sequence: number,
  id: string,
  name: string | null,
  more: { tenantId?: string; index?: IndexName; count?: number; apps?: string[] } = {},
): DocumentChange {
  const { tenantId = 'acme', index = 'roles', count = 0, apps = [] } = more;
  const nested =
    apps.length === 0
      ? ''
      : `"accessProfiles":${JSON.stringify(apps.map((app) => ({ id: app, name: app })))}`;
  const document = {
    index,
    id,
    root: bytes(JSON.stringify({ id, name, entitlementCount: count })),
    nested: bytes(nested),
  };
  return { sequence, tenantId, index, id, document: name === null ? null : document };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);
const ids = (hits: readonly Hit[]): string[] => hits.map((hit) => hit.id);
const number = (i: number): string => String(i).padStart(5, '0');

/** Runs the suite on one backend. */
export function searchBackendContract(name: string, create: () => Promise<BackendHarness>): void {
  describe(`search backend: ${name}`, () => {
    let harness: BackendHarness;
    let backend: SearchBackend;

    beforeEach(async () => {
      harness = await create();
      backend = await harness.open();
    });
    afterEach(async () => {
      await backend.close();
      await harness.dispose();
    });

    const feed = async (...changes: DocumentChange[]): Promise<void> => {
      for (const one of changes) {
        harness.lastSequence = Math.max(harness.lastSequence, one.sequence);
      }
      for (const tenantId of new Set(changes.map((one) => one.tenantId))) {
        await backend.apply(
          tenantId,
          changes.filter((one) => one.tenantId === tenantId),
        );
      }
      await backend.refresh();
    };
    const search = (plan: Plan, tenantId = 'acme') =>
      backend.search(tenantId, JSON.parse(JSON.stringify(plan)) as Plan, OPTIONS);
    const found = async (query: Query = ALL, tenantId = 'acme') =>
      ids((await search(planOf({ query }), tenantId)).hits);
    const named = (value: string): Query => ({
      kind: 'term',
      field: 'name',
      form: 'folded',
      value,
    });
    const reopen = async (): Promise<void> => {
      await backend.close();
      backend = await harness.open();
    };
    const fails = (work: Promise<unknown>, code: string) =>
      assert.rejects(work, (error) => error instanceof ServiceError && error.code === code);

    test('is ready and empty at first', async () => {
      assert.equal(await backend.unreadyReason(), null);
      assert.equal(await backend.committedSequence(), 0);
      assert.deepEqual(await search(planOf()), { hits: [], total: 0 });
      assert.equal(await backend.count('acme', planOf(), OPTIONS), 0);
    });

    test('finds applied documents after a refresh, with unchanged bytes', async () => {
      await feed(change(1, 'r1', 'Auditor', { apps: ['SAP', 'ADP'] }), change(2, 'r2', 'Clerk'));
      const { hits, total } = await search(planOf());
      assert.equal(total, 2);
      assert.deepEqual(ids(hits), ['r1', 'r2']);
      assert.deepEqual(
        hits.map((hit) => [hit.index, text(hit.root), text(hit.nested)]),
        [
          [
            'roles',
            '{"id":"r1","name":"Auditor","entitlementCount":0}',
            '"accessProfiles":[{"id":"SAP","name":"SAP"},{"id":"ADP","name":"ADP"}]',
          ],
          ['roles', '{"id":"r2","name":"Clerk","entitlementCount":0}', ''],
        ],
      );
    });

    test('leaves out nested members unless the plan requests them', async () => {
      await feed(change(1, 'r1', 'Auditor', { apps: ['SAP'] }));
      const source = { includes: [], excludes: [], nested: false };
      const { hits } = await search(planOf({ source }));
      assert.equal(hits[0]?.nested.length, 0);
    });

    test('keeps the later of two versions in one batch', async () => {
      await feed(change(1, 'r1', 'Old'), change(2, 'r1', 'New'));
      assert.deepEqual(await found(named('new')), ['r1']);
      assert.deepEqual(await found(named('old')), []);
    });

    test('replaces, deletes and restores documents', async () => {
      await feed(change(1, 'r1', 'One'), change(2, 'r2', 'Two'));
      await feed(change(3, 'r1', 'Uno'));
      assert.deepEqual(await found(), ['r1', 'r2']);
      assert.deepEqual(await found(named('one')), []);
      await feed(change(4, 'r1', null));
      assert.deepEqual(await found(), ['r2']);
      await feed(change(5, 'r1', 'Again'));
      assert.deepEqual(await found(named('again')), ['r1']);
    });

    test('ignores replays and older versions', async () => {
      const changes = [change(1, 'r1', 'One'), change(2, 'r2', 'Two'), change(3, 'r3', null)];
      await feed(...changes);
      await feed(...changes);
      await feed(change(4, 'r1', 'Uno'));
      await feed(change(1, 'r1', 'One'));
      assert.deepEqual(await found(), ['r1', 'r2']);
      assert.deepEqual(await found(named('uno')), ['r1']);
      await feed(change(5, 'r2', null));
      await backend.commit(5);
      await feed(change(2, 'r2', 'Two'));
      assert.deepEqual(await found(), ['r1']);
    });

    test('isolates tenants', async () => {
      await feed(
        change(1, 'r1', 'Shared', { tenantId: 'acme' }),
        change(2, 'r2', 'Shared', { tenantId: 'globex' }),
      );
      assert.deepEqual(await found(named('shared'), 'acme'), ['r1']);
      assert.deepEqual(await found(named('shared'), 'globex'), ['r2']);
      assert.deepEqual(await found(ALL, 'initech'), []);
      assert.equal(await backend.count('globex', planOf(), OPTIONS), 1);
      await feed(change(3, 'r1', null, { tenantId: 'globex' }));
      assert.deepEqual(await found(ALL, 'acme'), ['r1']);
    });

    test('reports the statistics of one tenant by index', async () => {
      assert.deepEqual(await backend.holdings('acme'), []);
      await feed(
        change(1, 'r1', 'One', { apps: ['a1', 'a2'] }),
        change(2, 'r2', 'Two'),
        change(3, 'i1', 'Ada', { index: 'identities' }),
        change(4, 'r1', 'Theirs', { tenantId: 'globex' }),
      );
      await feed(change(5, 'r2', null));
      await backend.commit(5);
      const held = await backend.holdings('acme');
      assert.deepEqual(held.map(({ index, documents }) => [index, documents]).sort(), [
        ['identities', 1],
        ['roles', 1],
      ]);
      assert.ok(held.every(({ segments }) => segments === null || segments > 0));
      assert.ok(held.every(({ bytesOnDisk }) => bytesOnDisk === null || bytesOnDisk > 0));
      assert.deepEqual(await backend.holdings('initech'), []);
    });

    test('searches and counts several indexes together, in name order', async () => {
      await feed(
        change(1, 'x', 'Role'),
        change(2, 'x', 'Entitlement', { index: 'entitlements' }),
        change(3, 'a', 'Role'),
      );
      const plan = planOf({ indexes: ['entitlements', 'roles'] });
      const { hits, total } = await search(plan);
      assert.deepEqual(
        hits.map((hit) => `${hit.index} ${hit.id}`),
        ['entitlements x', 'roles a', 'roles x'],
      );
      assert.equal(total, 3);
      assert.equal(await backend.count('acme', plan, OPTIONS), 3);
    });

    test('returns an exact total on request, else null', async () => {
      await feed(...Array.from({ length: 50 }, (_, i) => change(i + 1, number(i), 'Same')));
      assert.equal((await search(planOf({ size: 5 }))).total, 50);
      assert.equal((await search(planOf({ size: 5, trackTotal: false }))).total, null);
      assert.deepEqual((await search(planOf({ from: 50 }))).hits, []);
    });

    test('returns slices of the sorted hits by from and size', async () => {
      const changes = Array.from({ length: 60 }, (_, i) =>
        change(i + 1, number((i * 37) % 60), `n${(i * 7) % 10}`, { count: i % 4 }),
      );
      await feed(...changes.slice(0, 20));
      await feed(...changes.slice(20));
      const sort: SortKey[] = [
        { field: 'entitlementCount', order: 'desc', type: 'number' },
        { field: 'name', order: 'asc', type: 'string' },
      ];
      const whole = (await search(planOf({ sort }))).hits;
      const keys = whole.map((hit) => `${9 - Number(hit.sort[0])} ${hit.sort[1]} ${hit.id}`);
      assert.deepEqual(keys, [...keys].sort());
      assert.equal(whole.length, 60);
      for (const from of [0, 7, 55]) {
        const page = await search(planOf({ sort, from, size: 10 }));
        assert.deepEqual(ids(page.hits), ids(whole.slice(from, from + 10)));
      }
    });

    test('returns every document exactly once with searchAfter', async () => {
      await feed(
        ...Array.from({ length: 250 }, (_, i) =>
          change(i + 1, number(i), 'Same', { count: i % 3 }),
        ),
      );
      const sort: SortKey[] = [
        { field: 'entitlementCount', order: 'asc', type: 'number' },
        { field: 'id', order: 'asc', type: 'string' },
      ];
      const seen: string[] = [];
      let searchAfter: readonly SortValue[] | undefined;
      for (;;) {
        const after = searchAfter === undefined ? {} : { searchAfter };
        const { hits } = await search(planOf({ sort, size: 33, ...after }));
        if (hits.length === 0) break;
        seen.push(...ids(hits));
        searchAfter = hits.at(-1)?.sort;
      }
      assert.equal(seen.length, 250);
      assert.equal(new Set(seen).size, 250);
    });

    test('keeps a commit and its sequence after reopening', async () => {
      await feed(...Array.from({ length: 40 }, (_, i) => change(i + 1, number(i), 'Same')));
      await feed(change(41, number(3), null), change(42, number(4), 'Other'));
      await backend.commit(42);
      assert.equal(await backend.committedSequence(), 42);
      const before = await search(planOf());
      await reopen();
      assert.equal(await backend.committedSequence(), 42);
      assert.equal(await backend.unreadyReason(), null);
      assert.deepEqual(await search(planOf()), before);
      await feed(change(43, number(5), null));
      await backend.commit(43);
      await reopen();
      assert.equal((await found()).length, 38);
      assert.deepEqual(await found(named('other')), [number(4)]);
    });

    test('makes applied changes searchable with a commit', async () => {
      harness.lastSequence = 1;
      await backend.apply('acme', [change(1, 'r1', 'One')]);
      await backend.commit(1);
      assert.deepEqual(await found(), ['r1']);
    });

    test('restores uncommitted changes when they are fed again', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend.commit(1);
      await feed(change(2, 'r1', null), change(3, 'r2', 'Two'));
      await reopen();
      const from = await backend.committedSequence();
      assert.ok(from >= 1 && from <= 3);
      await feed(change(2, 'r1', null), change(3, 'r2', 'Two'));
      assert.deepEqual(await found(), ['r2']);
    });

    test('returns complete documents while others are fed, merged and committed', async () => {
      const size = 120;
      let sequence = 0;
      const round = (n: number) =>
        Array.from({ length: size }, (_, i) => change(++sequence, number(i), `round${n}`));
      await feed(...round(0));
      let feeding = true;
      const asking = (async () => {
        let asked = 0;
        while (feeding) {
          const { hits, total } = await search(planOf({ size: 200 }));
          assert.equal(total, size);
          assert.equal(new Set(ids(hits)).size, size);
          asked += 1;
          // Searches may finish without a turn of the event loop, which the feeding needs.
          await turn();
        }
        return asked;
      })();
      for (let n = 1; n <= 15; n++) {
        const changes = round(n);
        await feed(...changes.slice(0, 40));
        await feed(...changes.slice(40));
        if (n % 5 === 0) await backend.commit(sequence);
      }
      feeding = false;
      assert.ok((await asking) > 0);
      assert.equal((await found(named('round15'))).length, 100);
      await backend.commit(sequence);
      await reopen();
      assert.equal(await backend.count('acme', planOf(), OPTIONS), size);
    });

    test('ends an expired query and a cancelled one with their own errors', async () => {
      await feed(...Array.from({ length: 50 }, (_, i) => change(i + 1, number(i), 'Same')));
      const plan = planOf();
      await fails(backend.search('acme', plan, { timeoutMs: 0 }), 'deadline_exceeded');
      await fails(backend.count('acme', plan, { timeoutMs: 0 }), 'deadline_exceeded');
      const signal = AbortSignal.abort();
      await fails(backend.search('acme', plan, { timeoutMs: 1000, signal }), 'cancelled');
      assert.equal((await found()).length, 50);
    });

    test('deletes everything with clear, and restores it by feeding from the start', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend.commit(1);
      await backend.clear();
      assert.equal(await backend.committedSequence(), 0);
      await feed(change(1, 'r1', 'One'));
      assert.deepEqual(await found(), ['r1']);
      assert.equal(await backend.unreadyReason(), null);
      await backend.commit(1);
      await reopen();
      assert.deepEqual(await found(), ['r1']);
    });

    test('continues an interrupted rebuild after reopening until the last change is fed', async () => {
      await feed(change(1, 'r1', 'One'), change(2, 'r2', 'Two'));
      await backend.commit(2);
      assert.equal(await backend.rebuilding(), false);
      await backend.clear();
      assert.equal(await backend.rebuilding(), true);
      await feed(change(1, 'r1', 'One'));
      await backend.commit(1);
      await reopen();
      assert.deepEqual([await backend.rebuilding(), await backend.committedSequence()], [true, 1]);
      await feed(change(2, 'r2', 'Two'));
      assert.equal(await backend.rebuilding(), false);
      assert.deepEqual(await found(), ['r1', 'r2']);
    });

    test('returns elements in the order of their documents for innerHit', async () => {
      await feed(
        change(1, 'r1', 'one', { apps: ['a', 'b', 'c'] }),
        change(2, 'r2', 'two', { apps: ['b'] }),
        change(3, 'r3', 'three'),
      );
      const path = 'accessProfiles';
      const field = 'accessProfiles.name';
      const query: Query = { kind: 'terms', field, form: 'exact', values: ['b', 'c'] };
      const owns: Query = { kind: 'nested', path, query, scoreMode: 'none' };
      const targets: Target[] = [{ index: 'roles', query: owns, innerHit: { path, query } }];
      const all = await search(planOf({ targets }));
      assert.deepEqual(
        all.hits.map((hit) => [hit.id, JSON.parse(text(hit.root)).id, hit.elementOf]),
        [
          ['r1', 'b', path],
          ['r1', 'c', path],
          ['r2', 'b', path],
        ],
      );
      assert.equal(all.total, 3);
      const plan = planOf({ targets, from: 1, size: 2, trackTotal: false });
      const page = await search(plan);
      assert.deepEqual(
        page.hits.map((hit) => [hit.id, JSON.parse(text(hit.root)).id]),
        [
          ['r1', 'c'],
          ['r2', 'b'],
        ],
      );
      assert.equal(page.total, null);
      assert.equal(await backend.count('acme', plan, OPTIONS), 3);
    });

    test('returns the values that complete a type-ahead text, with their documents', async () => {
      await feed(
        change(1, 'r1', 'John Doe', { apps: ['Alpha one', 'Beta'] }),
        change(2, 'r2', 'Ann Jones', { apps: ['Alpha one', 'Alpha one'] }),
        change(3, 'r3', 'John Doe'),
        change(4, 'r4', 'Ann Smith', { apps: ['Alpine'] }),
      );
      const complete = async (
        asked: Partial<TypeaheadField>,
        how: Partial<Typeahead> = {},
      ): Promise<[string, number][]> => {
        const form = 'word';
        const at = { field: 'name', nested: null, form, terms: ['jo'], filter: ALL } as const;
        const typeahead = { size: 10, order: 'desc', by: 'count', maxExpansions: 10 } as const;
        const plan: Plan = {
          ...planOf(),
          targets: [{ index: 'roles', query: ALL, typeahead: { ...at, ...asked } }],
          typeahead: { ...typeahead, ...how },
        };
        const { values, total } = await backend.typeahead('acme', plan, OPTIONS);
        assert.ok(total >= values.length);
        return values.map(({ value, count }) => [value, count]);
      };
      assert.deepEqual(await complete({}), [
        ['John Doe', 2],
        ['Ann Jones', 1],
      ]);
      assert.deepEqual(await complete({}, { by: 'value', size: 1 }), [['John Doe', 2]]);
      assert.deepEqual(await complete({ terms: ['john', 'd'] }), [['John Doe', 2]]);
      const one: Query = { kind: 'ids', values: ['r2'] };
      assert.deepEqual(await complete({ filter: one }), [['Ann Jones', 1]]);
      const nested = { field: 'accessProfiles.name', nested: 'accessProfiles', terms: ['al'] };
      assert.deepEqual(await complete(nested), [
        ['Alpha one', 2],
        ['Alpine', 1],
      ]);
      assert.deepEqual(await complete(nested, { maxExpansions: 1 }), [['Alpha one', 2]]);
      await feed(change(5, 'r2', 'Ann Jones'), change(6, 'r1', null));
      assert.deepEqual(await complete(nested, { maxExpansions: 1 }), [['Alpine', 1]]);
    });

    test('explains a document in agreement with the search, with matching elements', async () => {
      await feed(
        change(1, 'r1', 'Auditor', { apps: ['a', 'b'] }),
        change(2, 'r2', 'Auditor of all'),
        change(3, 'r3', 'Clerk'),
        change(4, 'r3', null),
      );
      const field = 'accessProfiles.name';
      const value = (of: string): Query => ({ kind: 'term', field, form: 'exact', value: of });
      const both: Query = {
        kind: 'bool',
        must: [value('a'), value('b')],
        should: [],
        filter: [],
        mustNot: [],
      };
      const auditor: Query = { kind: 'term', field: 'name', form: 'word', value: 'auditor' };
      const query: Query = {
        kind: 'bool',
        must: [auditor],
        should: [{ kind: 'nested', path: 'accessProfiles', query: both, scoreMode: 'max' }],
        filter: [],
        mustNot: [],
      };
      const plan = planOf({ query });
      const { hits } = await search(plan);
      for (const { id, score } of hits) {
        const told = await backend.explain('acme', plan, { index: 'roles', id }, OPTIONS);
        assert.equal(told?.matched, true, id);
        assert.ok(Math.abs((told?.score ?? -1) - (score ?? -2)) < 1e-5, `${told?.score} ${score}`);
      }
      const told = await backend.explain('acme', plan, { index: 'roles', id: 'r1' }, OPTIONS);
      const [word, nested] = told?.clauses.children ?? [];
      assert.deepEqual([word?.matched, nested?.matched, nested?.elementCount], [true, false, 2]);
      assert.deepEqual(
        nested?.children?.[0]?.children?.map(({ elements }) => elements),
        [[0], [1]],
      );
      for (const [tenant, index, id] of [
        ['acme', 'roles', 'r3'],
        ['acme', 'roles', 'r9'],
        ['acme', 'events', 'r1'],
        ['globex', 'roles', 'r1'],
      ] as const) {
        assert.equal(await backend.explain(tenant, plan, { index, id }, OPTIONS), null);
      }
      await fails(
        backend.explain('acme', plan, { index: 'roles', id: 'r1' }, { timeoutMs: 0 }),
        'deadline_exceeded',
      );
    });

    test('aggregates all matching documents, independent of the page', async () => {
      await feed(
        change(1, 'r1', 'Auditor', { count: 3, apps: ['SAP', 'ADP'] }),
        change(2, 'r2', 'Clerk', { count: 4, apps: ['SAP'] }),
      );
      await feed(change(3, 'r3', 'Clerk', { count: 5, apps: ['SAP'] }), change(4, 'r1', null));
      const aggregations: Aggregations = {
        names: {
          kind: 'terms',
          source: { kind: 'strings', field: 'name' },
          size: 10,
          minDocCount: 1,
          order: [{ by: 'count', order: 'desc' }],
          aggregations: {
            most: {
              kind: 'max',
              source: { kind: 'numbers', field: 'entitlementCount', column: 'value', type: 'long' },
            },
          },
        },
        profiles: {
          kind: 'nested',
          path: 'accessProfiles',
          aggregations: {
            ids: { kind: 'cardinality', source: { kind: 'strings', field: 'accessProfiles.id' } },
          },
        },
      };
      const plan = planOf({ size: 1 });
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const found = await search({ ...plan, targets, maxBuckets: 100 });
      assert.equal(found.hits.length, 1);
      assert.deepEqual(found.aggregations?.value(), {
        names: {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: 0,
          buckets: [{ key: 'Clerk', doc_count: 2, most: { value: 5 } }],
        },
        profiles: { doc_count: 2, ids: { value: 1 } },
      });
      assert.equal((await search(plan)).aggregations, undefined);
      const other = await search({ ...plan, targets, maxBuckets: 100 }, 'another-tenant');
      assert.deepEqual(other.aggregations?.value()['profiles'], {
        doc_count: 0,
        ids: { value: 0 },
      });
    });

    test('returns sorted hits in aggregations, with scores, elements and sources', async () => {
      await feed(
        change(1, 'r2', 'Auditor of all', { apps: ['b', 'a'] }),
        change(2, 'r1', 'Auditor', { apps: ['a'] }),
      );
      await feed(change(3, 'r0', 'Clerk', { apps: ['a'] }));
      const hits = (sort: SortKey[], size = 10): Aggregation => ({
        ...{ kind: 'topHits', from: 0, size, sort },
        sourceFilter: { includes: ['name', 'accessProfiles.name'], excludes: [], nested: true },
      });
      const byName: SortKey = { field: 'accessProfiles.name', order: 'desc', type: 'string' };
      const aggregations: Aggregations = {
        best: hits([]),
        backwards: hits([{ field: '_doc', order: 'desc', type: 'doc' }], 1),
        all: { kind: 'global', aggregations: { hits: hits([], 1) } },
        profiles: {
          kind: 'nested',
          path: 'accessProfiles',
          aggregations: {
            best: hits([byName]),
            owners: {
              ...{ kind: 'terms', source: { kind: 'id' }, size: 10, minDocCount: 1, order: [] },
              aggregations: {},
            },
          },
        },
      };
      const query: Query = { kind: 'term', field: 'name', form: 'word', value: 'auditor' };
      const plan = planOf({ query });
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const { aggregations: text, hits: found } = await search({
        ...plan,
        targets,
        maxBuckets: 100,
      });
      const told = text?.value();
      const hitsOf = (name: string, inside: unknown = told) =>
        (inside as Record<string, { hits: { hits: Record<string, unknown>[] } }>)[name]?.hits;
      const best = hitsOf('best');
      assert.deepEqual(
        best?.hits.map(({ _index, _id, _source }) => [_index, _id, _source]),
        [
          ['roles', 'r1', { name: 'Auditor', accessProfiles: [{ name: 'a' }] }],
          [
            'roles',
            'r2',
            { name: 'Auditor of all', accessProfiles: [{ name: 'b' }, { name: 'a' }] },
          ],
        ],
      );
      for (const [at, { score }] of found.entries()) {
        assert.ok(Math.abs(Number(best?.hits[at]?.['_score']) - (score ?? 0)) < 1e-5);
      }
      const backwards = hitsOf('backwards')?.hits;
      assert.deepEqual(
        backwards?.map(({ _id, _score, sort }) => [_id, _score, sort]),
        [['r2', null, [null]]],
      );
      const all = hitsOf('hits', told?.['all']);
      assert.deepEqual(all && { ...all, hits: all.hits.map(({ _id, _score }) => [_id, _score]) }, {
        total: { value: 3, relation: 'eq' },
        max_score: 1,
        hits: [['r0', 1]],
      });
      const profiles = told?.['profiles'] as Record<string, { buckets: unknown }>;
      assert.deepEqual(
        hitsOf('best', profiles)?.hits.map(({ _id, _nested, sort }) => [_id, _nested, sort]),
        [
          ['r2', { field: 'accessProfiles', offset: 0 }, ['b']],
          ['r1', { field: 'accessProfiles', offset: 0 }, ['a']],
          ['r2', { field: 'accessProfiles', offset: 1 }, ['a']],
        ],
      );
      assert.deepEqual(profiles['owners']?.buckets, [
        { key: 'r1', doc_count: 1 },
        { key: 'r2', doc_count: 2 },
      ]);
    });

    test('pages through composite buckets, and computes percentiles', async () => {
      await feed(
        ...[3, 1, 1, 2].map((count, at) =>
          change(at + 1, `r${at}`, at === 0 ? 'Clerk' : 'Auditor', {
            count,
            apps: at === 1 ? [] : ['a', 'b'],
          }),
        ),
      );
      const counts: ValueSource = {
        kind: 'numbers',
        field: 'entitlementCount',
        column: 'value',
        type: 'long',
      };
      const page = (after?: readonly (string | number)[]): Aggregation => ({
        kind: 'composite',
        sources: [
          {
            ...{ kind: 'terms', name: 'name', order: 'desc', missingBucket: false },
            source: { kind: 'strings', field: 'name' },
          },
          {
            ...{ kind: 'histogram', name: 'half', order: 'asc', missingBucket: true, interval: 2 },
            source: counts,
          },
        ],
        size: 2,
        ...(after && { after }),
        aggregations: {},
      });
      const aggregations: Aggregations = {
        first: page(),
        second: page(['Auditor', 0]),
        median: { kind: 'percentiles', source: counts, percents: [0, 50, 100], keyed: true },
      };
      const plan = planOf();
      const targets = plan.targets.map((target) => ({ ...target, aggregations }));
      const { aggregations: told } = await search({ ...plan, targets, maxBuckets: 100 });
      assert.deepEqual(told?.value(), {
        first: {
          after_key: { name: 'Auditor', half: 0 },
          buckets: [
            { key: { name: 'Clerk', half: 2 }, doc_count: 1 },
            { key: { name: 'Auditor', half: 0 }, doc_count: 2 },
          ],
        },
        second: {
          after_key: { name: 'Auditor', half: 2 },
          buckets: [{ key: { name: 'Auditor', half: 2 }, doc_count: 1 }],
        },
        median: { values: { '0.0': 1, '50.0': 2, '100.0': 3 } },
      });
    });

    test('is unavailable after it is closed', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend.close();
      await fails(search(planOf()), 'unavailable');
      assert.notEqual(await backend.unreadyReason(), null);
    });
  });
}
