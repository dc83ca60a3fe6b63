// The part of the store contract that saved searches, their schedules, runs and deliveries use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  SavedSearch,
  ScheduledSearch,
  SearchDelivery,
  SearchRun,
} from '../../src/service/ports/saved-search-records.ts';
import { ACME, encoder, type OpenStore, OTHER, withStore } from './store-records.ts';

const AT = '2026-01-01T00:00:00.000Z';

function saved(id: string, ownerId = 'u1', changed: Partial<SavedSearch> = {}): SavedSearch {
  return {
    ...{ id, ownerId, created: AT, modified: AT, name: id, description: null, query: '*' },
    ...{ indices: ['identities'], columns: {}, fields: null, sort: ['id'], orderBy: null },
    ...{ shared: false, filters: { 'source.name': { type: 'TERMS', terms: ['ÿ'] } }, ...changed },
  };
}

function scheduled(
  id: string,
  savedSearchId: string,
  changed: Partial<ScheduledSearch> = {},
): ScheduledSearch {
  const hours = { type: 'LIST', values: ['9'], interval: null } as const;
  return {
    ...{ id, savedSearchId, ownerId: 'u1', created: AT, modified: AT, name: null },
    schedule: {
      ...{ type: 'DAILY', months: null, days: null, hours, expiration: null, timeZoneId: null },
    },
    ...{ description: null, recipients: ['i1'], enabled: true, emailEmptyResults: false },
    ...{ displayQueryDetails: false, nextDue: null, ...changed },
  };
}

function run(id: string, savedSearchId: string, changed: Partial<SearchRun> = {}): SearchRun {
  return {
    ...{ id, savedSearchId, scheduleId: null, ownerId: 'u1', due: null, created: AT },
    ...{ started: null, ended: null, state: 'WAITING', reason: null, attempt: 0, worker: null },
    ...{ openAt: 0, recipients: [], emailEmptyResults: false, displayQueryDetails: false },
    ...{ results: [], views: null, ...changed },
  };
}

function delivery(id: string, runId: string, openAt: number | null): SearchDelivery {
  return {
    ...{ id, runId, savedSearchId: 's1', channel: 'EMAIL', recipientId: 'i1', address: null },
    ...{ state: 'WAITING', attempts: 0, created: AT, delivered: null, reason: null, openAt },
  };
}

/** Later than any time that a process sets. */
const LATEST = 10_000;
const PAGE = { offset: 0, limit: 100 };
const ANY = { ownerId: null, savedSearchId: null };
const ALL = { ownerId: null, readerId: null };
const by = (ownerId: string) => ({ ownerId, readerId: null });
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

/** Registers the tests. */
export function savedSearches(open: OpenStore): void {
  describe('saved searches', () => {
    const held = withStore(open, 'saved-searches');

    test('are read as written, by owner and by page, only in their tenant', async () => {
      const { store } = held;
      const second = saved('s2', 'u2', { shared: true });
      const [first, third] = [saved('s1'), saved('s3')];
      await store.write(async (r) => {
        for (const search of [third, first, second]) await r.putSavedSearch(ACME.id, search);
      });
      assert.deepEqual(await store.read.savedSearch(ACME.id, 's1'), first);
      assert.equal(await store.read.savedSearch(OTHER.id, 's1'), null);
      const some = await store.read.savedSearchesById(ACME.id, ['s3', 's9', 's1']);
      assert.deepEqual(ids(some).sort(), ['s1', 's3']);
      assert.deepEqual(await store.read.savedSearchesById(ACME.id, []), []);
      assert.deepEqual(await store.read.savedSearchesById(OTHER.id, ['s1']), []);
      assert.deepEqual(await store.read.savedSearches(ACME.id, ALL, PAGE), [first, second, third]);
      assert.deepEqual(ids(await store.read.savedSearches(ACME.id, by('u1'), PAGE)), ['s1', 's3']);
      for (const [readerId, ownerId, seen] of [
        ['u1', null, ['s1', 's2', 's3']],
        ['u2', null, ['s2']],
        ['u2', 'u1', []],
        ['u3', 'u2', ['s2']],
      ] as const) {
        const filter = { ownerId, readerId };
        assert.deepEqual(ids(await store.read.savedSearches(ACME.id, filter, PAGE)), seen);
        assert.equal(await store.read.savedSearchCount(ACME.id, filter), seen.length);
      }
      const page = await store.read.savedSearches(ACME.id, ALL, { offset: 1, limit: 1 });
      assert.deepEqual(ids(page), ['s2']);
      assert.equal(await store.read.savedSearchCount(ACME.id, by('u1')), 2);
      assert.equal(await store.read.savedSearchCount(OTHER.id, ALL), 0);
      const changed = saved('s1', 'u1', {
        ...{ name: 'new', modified: '2026-02-01T00:00:00.000Z', shared: true },
      });
      await store.write((r) => r.putSavedSearch(ACME.id, changed));
      assert.deepEqual(await store.read.savedSearch(ACME.id, 's1'), changed);
    });

    test('have schedules, which are found by owner, saved search and time', async () => {
      const { store } = held;
      const daily = scheduled('d1', 's1', { nextDue: 2_000 });
      await store.write(async (r) => {
        await r.putScheduledSearch(ACME.id, daily);
        await r.putScheduledSearch(
          ACME.id,
          scheduled('d2', 's2', { ownerId: 'u2', nextDue: 1_000 }),
        );
        await r.putScheduledSearch(ACME.id, scheduled('d3', 's1'));
        await r.putScheduledSearch(OTHER.id, scheduled('d1', 's9', { nextDue: 3_000 }));
      });
      const { read } = store;
      assert.deepEqual(await read.scheduledSearch(ACME.id, 'd1'), daily);
      const listed = (filter: object) =>
        read.scheduledSearches(ACME.id, { ...ANY, ...filter }, PAGE).then(ids);
      assert.deepEqual(await listed({}), ['d1', 'd2', 'd3']);
      assert.deepEqual(await listed({ savedSearchId: 's1' }), ['d1', 'd3']);
      assert.deepEqual(await listed({ savedSearchId: 's1', ownerId: 'u2' }), []);
      assert.equal(await read.scheduledSearchCount(ACME.id, { ...ANY, ownerId: 'u1' }), 2);
      const due = async (now: number, limit = 10) =>
        (await read.dueSchedules(now, limit)).map(({ tenantId, schedule }) => [
          tenantId,
          schedule.id,
        ]);
      assert.deepEqual(await due(999), []);
      assert.deepEqual(await due(3_000), [
        [ACME.id, 'd2'],
        [ACME.id, 'd1'],
        [OTHER.id, 'd1'],
      ]);
      assert.deepEqual(await due(3_000, 1), [[ACME.id, 'd2']]);
      await store.write((r) => r.putScheduledSearch(ACME.id, { ...daily, nextDue: null }));
      assert.deepEqual(await due(2_500), [[ACME.id, 'd2']]);
      assert.equal(await store.write((r) => r.deleteScheduledSearch(ACME.id, 'd3')), true);
      assert.equal(await store.write((r) => r.deleteScheduledSearch(ACME.id, 'd3')), false);
    });

    test('have runs, of which the oldest open one of each tenant may be taken', async () => {
      const { store } = held;
      const { read } = store;
      const first = run('r1', 's1', { recipients: ['i1'] });
      await store.write(async (r) => {
        await r.putSearchRun(ACME.id, first);
        await r.putSearchRun(ACME.id, run('r0', 's2'));
        await r.putSearchRun(OTHER.id, run('r1', 's9', { openAt: 500 }));
      });
      const open = async (now: number) =>
        (await read.openRuns({ now, latest: LATEST })).map(({ tenantId, run: { id } }) => [
          tenantId,
          id,
        ]);
      assert.deepEqual(await read.searchRun(ACME.id, 'r1'), first);
      assert.deepEqual(await open(499), [[ACME.id, 'r1']]);
      assert.deepEqual(await open(500), [
        [ACME.id, 'r1'],
        [OTHER.id, 'r1'],
      ]);
      assert.equal(await read.openRunCount(ACME.id), 2);
      const taken = { ...first, state: 'RUNNING', attempt: 1, worker: 'w', openAt: 900 } as const;
      await store.write((r) => r.putSearchRun(ACME.id, taken));
      assert.deepEqual(await open(899), [
        [ACME.id, 'r0'],
        [OTHER.id, 'r1'],
      ]);
      assert.deepEqual((await open(900))[0], [ACME.id, 'r1']);
      await store.write((r) => r.putSearchRun(ACME.id, { ...taken, openAt: LATEST + 1 }));
      assert.deepEqual((await open(0))[0], [ACME.id, 'r1']);
      await store.write((r) => r.putSearchRun(ACME.id, { ...taken, openAt: null }));
      assert.deepEqual((await open(9_999))[0], [ACME.id, 'r0']);
      await store.write((r) => r.putSearchRun(ACME.id, run('a9', 's1')));
      assert.deepEqual(ids(await read.searchRuns(ACME.id, 's1')), ['a9', 'r1']);
    });

    test('keep the CSV of the attempt that ended the run', async () => {
      const { store } = held;
      const part = (attempt: number, type: string, number: number, text: string) => {
        const bytes = encoder.encode(text);
        return { runId: 'r1', attempt, type, part: number, bytes };
      };
      await store.write(async (r) => {
        await r.addRunPart(ACME.id, part(1, 'identity', 0, 'lost'));
        await r.addRunPart(ACME.id, part(2, 'identity', 1, 'b'));
        await r.addRunPart(ACME.id, part(2, 'identity', 0, 'a'));
        await r.addRunPart(ACME.id, part(2, 'role', 0, 'c'));
        await r.keepRunParts(ACME.id, { id: 'r1', attempt: 2 });
      });
      const textOf = async (attempt: number, type: string, number: number) => {
        const bytes = await store.read.runPart(ACME.id, { id: 'r1', attempt }, type, number);
        return bytes && new TextDecoder().decode(bytes);
      };
      assert.equal(await textOf(2, 'identity', 0), 'a');
      assert.equal(await textOf(2, 'identity', 1), 'b');
      assert.equal(await textOf(2, 'identity', 2), null);
      assert.equal(await textOf(2, 'role', 0), 'c');
      assert.equal(await textOf(1, 'identity', 0), null);
    });

    test('have deliveries, which are due in order until they have ended', async () => {
      const { store } = held;
      const { read } = store;
      const [a, b, c] = [
        delivery('a', 'r1', 20),
        delivery('b', 'r1', 10),
        delivery('c', 'r2', null),
      ];
      await store.write(async (r) => {
        for (const each of [a, b, c]) await r.putSearchDelivery(ACME.id, each);
      });
      const due = async (now: number, limit = 10) =>
        ids(await read.dueDeliveries(ACME.id, { now, latest: LATEST }, limit));
      assert.deepEqual(await read.searchDelivery(ACME.id, 'a'), a);
      assert.equal(await read.searchDelivery(OTHER.id, 'a'), null);
      assert.deepEqual(await due(19), ['b']);
      assert.deepEqual(await due(20), ['b', 'a']);
      assert.deepEqual(await due(20, 1), ['b']);
      await store.write((r) => r.putSearchDelivery(ACME.id, { ...a, openAt: LATEST + 1 }));
      assert.deepEqual(await due(0), ['a']);
      await store.write((r) => r.putSearchDelivery(ACME.id, a));
      const ended = { ...b, state: 'DELIVERED', address: 'a@b.test', openAt: null } as const;
      await store.write((r) => r.putSearchDelivery(ACME.id, ended));
      assert.deepEqual(await due(99), ['a']);
      assert.deepEqual(await read.searchDeliveries(ACME.id, 's1'), [a, ended, c]);
    });

    test('have open deliveries, which are found by tenant and by run', async () => {
      const { store } = held;
      const { read } = store;
      for (const [tenantId, runId, isOpen] of [
        [ACME.id, 'r1', true],
        [ACME.id, 'r2', false],
        [OTHER.id, 'r1', false],
      ] as const) {
        assert.equal(await read.hasOpenDeliveries(tenantId, runId), isOpen, runId);
      }
      const tenants = async (now: number) =>
        (await read.tenantsWithDueDeliveries({ now, latest: LATEST })).toSorted();
      assert.deepEqual(await tenants(19), []);
      assert.deepEqual(await tenants(20), [ACME.id]);
      await store.write(async (r) => {
        await r.putSearchDelivery(OTHER.id, delivery('a', 'r1', 15));
        await r.putSearchDelivery(OTHER.id, delivery('b', 'r1', LATEST + 1));
      });
      assert.deepEqual(await tenants(0), [OTHER.id]);
      assert.deepEqual(await tenants(20), [ACME.id, OTHER.id].toSorted());
      assert.equal(await read.openDeliveryCount(ACME.id), 1);
      assert.equal(await read.openDeliveryCount(OTHER.id), 2);
    });

    test('take all that belongs to them along when they are deleted', async () => {
      const { store } = held;
      const { read } = store;
      await store.write((r) => r.deleteSearchRun(ACME.id, 'a9'));
      assert.deepEqual(ids(await read.searchRuns(ACME.id, 's1')), ['r1']);
      assert.equal(await store.write((r) => r.deleteSavedSearch(OTHER.id, 's1')), false);
      assert.equal(await store.write((r) => r.deleteSavedSearch(ACME.id, 's1')), true);
      assert.equal(await read.savedSearch(ACME.id, 's1'), null);
      assert.deepEqual(await read.scheduledSearches(ACME.id, ANY, PAGE).then(ids), ['d2']);
      assert.equal(await read.searchRun(ACME.id, 'r1'), null);
      assert.equal(await read.runPart(ACME.id, { id: 'r1', attempt: 2 }, 'identity', 0), null);
      assert.deepEqual(await read.searchDeliveries(ACME.id, 's1'), []);
      assert.equal((await read.searchRun(ACME.id, 'r0'))?.id, 'r0');
    });
  });
}
