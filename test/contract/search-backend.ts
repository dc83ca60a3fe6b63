// The contract of every search backend.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';
import {
  OLD_DOCUMENTS,
  oldDocumentsPlan,
  type RetainedIndex,
} from '../../src/jobs/retention/old-documents.ts';
import type { Query, SortKey, SortValue } from '../../src/query/query.ts';
import { Deadline } from '../../src/scheduling/deadline.ts';
import { hitPages, wholeTenant } from '../../src/service/searching/rows/hit-walk.ts';
import { eventually } from '../support/eventually.ts';
import {
  ALL,
  type BackendHarness,
  backendWorld,
  bytes,
  change,
  fails,
  ids,
  named,
  number,
  OPTIONS,
  planOf,
  text,
} from './backend-world.ts';

/** Runs the suite on one backend. */
export function searchBackendContract(name: string, create: () => Promise<BackendHarness>): void {
  describe(`search backend: ${name}`, () => {
    const { harness, backend, feed, search, idsOf, reopen } = backendWorld(create);

    test('is ready and empty at first', async () => {
      // A backend that is being opened says so after a second.
      await eventually(async () => assert.equal(await backend().unreadyReason(), null));
      assert.equal(await backend().committedSequence(), 0);
      const { hits, total } = await search(planOf());
      assert.deepEqual([hits, total], [[], 0]);
      assert.equal(await backend().count('acme', planOf(), OPTIONS), 0);
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

    test('counts a large page before it is read, and no small one', async () => {
      const name = 'large '.repeat(5_000);
      await feed(...Array.from({ length: 60 }, (_, i) => change(i + 1, number(i), name)));
      let counted = 0;
      const page = (size: number, holdBytes: (bytes: number) => void) =>
        backend().search('acme', planOf({ size }), { ...OPTIONS, memory: { holdBytes } });
      const count = (length: number) => {
        counted += length;
      };
      assert.equal((await page(5, count)).hits.length, 5);
      assert.equal(counted, 0);
      const { hits } = await page(60, count);
      const length = hits.reduce((sum, { root, nested }) => sum + root.length + nested.length, 0);
      assert.ok(counted >= length && counted < 4 * length, `${counted} of ${length}`);
      const refuse = () => {
        throw new ServiceError('unavailable', 'There is no memory.');
      };
      await assert.rejects(page(60, refuse), { message: 'There is no memory.' });
      assert.equal((await page(5, refuse)).hits.length, 5);
    });

    test('leaves out nested members unless the plan requests them', async () => {
      await feed(change(1, 'r1', 'Auditor', { apps: ['SAP'] }));
      const source = { includes: [], excludes: [], nested: false };
      const { hits } = await search(planOf({ source }));
      assert.equal(hits[0]?.nested.length, 0);
    });

    test('a member whose name leads into a nested path belongs to no element', async () => {
      const dotted = {
        'accessProfiles.name': 'Wanderer',
        'accessProfiles.id': 'w',
        name: 'Dotted',
      };
      const root = bytes(JSON.stringify({ id: 'r3', ...dotted }));
      const document = { index: 'roles' as const, id: 'r3', root, nested: bytes('') };
      await feed(
        change(1, 'r1', 'Auditor', { apps: ['SAP', 'ADP'] }),
        change(2, 'r2', 'Clerk', { apps: ['CRM'] }),
        { sequence: 3, tenantId: 'acme', index: 'roles', id: 'r3', document },
      );
      const term = (value: string): Query => ({
        kind: 'nested',
        path: 'accessProfiles',
        scoreMode: 'none',
        query: { kind: 'term', field: 'accessProfiles.name', form: 'word', value },
      });
      assert.deepEqual(await idsOf(term('wanderer')), []);
      assert.deepEqual(await idsOf(term('crm')), ['r2']);
      assert.deepEqual(await idsOf(named('dotted')), ['r3']);
      assert.equal(await backend().count('acme', planOf({ query: term('wanderer') }), OPTIONS), 0);
    });

    test('keeps the later of two versions in one batch', async () => {
      await feed(change(1, 'r1', 'Old'), change(2, 'r1', 'New'));
      assert.deepEqual(await idsOf(named('new')), ['r1']);
      assert.deepEqual(await idsOf(named('old')), []);
    });

    test('replaces, deletes and restores documents', async () => {
      await feed(change(1, 'r1', 'One'), change(2, 'r2', 'Two'));
      await feed(change(3, 'r1', 'Uno'));
      assert.deepEqual(await idsOf(), ['r1', 'r2']);
      assert.deepEqual(await idsOf(named('one')), []);
      await feed(change(4, 'r1', null));
      assert.deepEqual(await idsOf(), ['r2']);
      await feed(change(5, 'r1', 'Again'));
      assert.deepEqual(await idsOf(named('again')), ['r1']);
    });

    test('ignores replays and older versions', async () => {
      const changes = [change(1, 'r1', 'One'), change(2, 'r2', 'Two'), change(3, 'r3', null)];
      await feed(...changes);
      await feed(...changes);
      await feed(change(4, 'r1', 'Uno'));
      await feed(change(1, 'r1', 'One'));
      assert.deepEqual(await idsOf(), ['r1', 'r2']);
      assert.deepEqual(await idsOf(named('uno')), ['r1']);
      await feed(change(5, 'r2', null));
      await backend().commit(5);
      await feed(change(2, 'r2', 'Two'));
      assert.deepEqual(await idsOf(), ['r1']);
    });

    test('isolates tenants', async () => {
      await feed(
        change(1, 'r1', 'Shared', { tenantId: 'acme' }),
        change(2, 'r2', 'Shared', { tenantId: 'globex' }),
      );
      assert.deepEqual(await idsOf(named('shared'), 'acme'), ['r1']);
      assert.deepEqual(await idsOf(named('shared'), 'globex'), ['r2']);
      assert.deepEqual(await idsOf(ALL, 'initech'), []);
      assert.equal(await backend().count('globex', planOf(), OPTIONS), 1);
      await feed(change(3, 'r1', null, { tenantId: 'globex' }));
      assert.deepEqual(await idsOf(ALL, 'acme'), ['r1']);
    });

    test('reports the statistics of one tenant by index', async () => {
      assert.deepEqual(await backend().holdings('acme'), []);
      await feed(
        change(1, 'r1', 'One', { apps: ['a1', 'a2'] }),
        change(2, 'r2', 'Two'),
        change(3, 'i1', 'Ada', { index: 'identities' }),
        change(4, 'r1', 'Theirs', { tenantId: 'globex' }),
      );
      await feed(change(5, 'r2', null));
      await backend().commit(5);
      const held = await backend().holdings('acme');
      assert.deepEqual(held.map(({ index, documents }) => [index, documents]).sort(), [
        ['identities', 1],
        ['roles', 1],
      ]);
      assert.ok(held.every(({ segments }) => segments === null || segments > 0));
      assert.ok(held.every(({ bytesOnDisk }) => bytesOnDisk === null || bytesOnDisk > 0));
      assert.deepEqual(await backend().holdings('initech'), []);
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
      assert.equal(await backend().count('acme', plan, OPTIONS), 3);
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
      const found = async () => {
        const { hits, total } = await search(planOf());
        return { hits, total };
      };
      await feed(...Array.from({ length: 40 }, (_, i) => change(i + 1, number(i), 'Same')));
      await feed(change(41, number(3), null), change(42, number(4), 'Other'));
      await backend().commit(42);
      assert.equal(await backend().committedSequence(), 42);
      const before = await found();
      await reopen();
      assert.equal(await backend().committedSequence(), 42);
      assert.equal(await backend().unreadyReason(), null);
      assert.deepEqual(await found(), before);
      await feed(change(43, number(5), null));
      await backend().commit(43);
      await reopen();
      assert.equal((await idsOf()).length, 38);
      assert.deepEqual(await idsOf(named('other')), [number(4)]);
    });

    test('makes applied changes searchable with a commit', async () => {
      harness().lastSequence = 1;
      await backend().apply('acme', [change(1, 'r1', 'One')]);
      await backend().commit(1);
      assert.deepEqual(await idsOf(), ['r1']);
    });

    test('restores uncommitted changes when they are fed again', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend().commit(1);
      await feed(change(2, 'r1', null), change(3, 'r2', 'Two'));
      await reopen();
      const from = await backend().committedSequence();
      assert.ok(from >= 1 && from <= 3);
      await feed(change(2, 'r1', null), change(3, 'r2', 'Two'));
      assert.deepEqual(await idsOf(), ['r2']);
    });

    test('returns complete documents while others are fed, merged and committed', async () => {
      const size = 120;
      let sequence = 0;
      const round = (n: number) =>
        Array.from({ length: size }, (_, i) => change(++sequence, number(i), `round${n}`));
      await feed(...round(0));
      let feeding = true;
      const asking = (async () => {
        let calls = 0;
        while (feeding) {
          const { hits, total } = await search(planOf({ size: 200 }));
          assert.equal(total, size);
          assert.equal(new Set(ids(hits)).size, size);
          calls += 1;
          // Searches may finish without a turn of the event loop, which the feeding needs.
          await turn();
        }
        return calls;
      })();
      for (let n = 1; n <= 15; n++) {
        const changes = round(n);
        await feed(...changes.slice(0, 40));
        await feed(...changes.slice(40));
        if (n % 5 === 0) await backend().commit(sequence);
      }
      feeding = false;
      assert.ok((await asking) > 0);
      assert.equal((await idsOf(named('round15'))).length, 100);
      await backend().commit(sequence);
      await reopen();
      assert.equal(await backend().count('acme', planOf(), OPTIONS), size);
    });

    test('ends an expired query and a cancelled one with their own errors', async () => {
      await feed(...Array.from({ length: 50 }, (_, i) => change(i + 1, number(i), 'Same')));
      const plan = planOf();
      await fails(
        backend().search('acme', plan, { ...OPTIONS, deadline: new Deadline(0) }),
        'deadline_exceeded',
      );
      await fails(
        backend().count('acme', plan, { ...OPTIONS, deadline: new Deadline(0) }),
        'deadline_exceeded',
      );
      const signal = AbortSignal.abort();
      await fails(backend().search('acme', plan, { ...OPTIONS, signal }), 'cancelled');
      assert.equal((await idsOf()).length, 50);
    });

    test('deletes everything with clear, and restores it by feeding from the start', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend().commit(1);
      await backend().clear();
      assert.equal(await backend().committedSequence(), 0);
      await feed(change(1, 'r1', 'One'));
      assert.deepEqual(await idsOf(), ['r1']);
      assert.equal(await backend().unreadyReason(), null);
      await backend().commit(1);
      await reopen();
      assert.deepEqual(await idsOf(), ['r1']);
    });

    test('continues an interrupted rebuild after reopening until the last change is fed', async () => {
      await feed(change(1, 'r1', 'One'), change(2, 'r2', 'Two'));
      await backend().commit(2);
      assert.equal(await backend().rebuilding(), false);
      await backend().clear();
      assert.equal(await backend().rebuilding(), true);
      await feed(change(1, 'r1', 'One'));
      await backend().commit(1);
      await reopen();
      assert.deepEqual(
        [await backend().rebuilding(), await backend().committedSequence()],
        [true, 1],
      );
      await feed(change(2, 'r2', 'Two'));
      assert.equal(await backend().rebuilding(), false);
      assert.deepEqual(await idsOf(), ['r1', 'r2']);
    });

    test('needs deletions from its commit on, and in a rebuild from the clear on', async () => {
      const covered = () => backend().coveredSequence();
      assert.equal(await covered(), 0);
      await feed(change(1, 'r1', 'One'), change(2, 'r2', 'Two'));
      assert.equal(await covered(), 0);
      await backend().commit(2);
      assert.equal(await covered(), 2);
      await reopen();
      assert.equal(await covered(), 2);
      harness().lastSequence = 5;
      await backend().clear();
      assert.equal(await covered(), 5);
      await feed(change(1, 'r1', 'One'));
      await backend().commit(1);
      await reopen();
      assert.deepEqual([await covered(), await backend().committedSequence()], [5, 1]);
      await feed(change(6, 'r1', 'One'));
      await backend().commit(6);
      assert.equal(await covered(), 6);
    });

    test('finds documents of events and account activities by their age, page by page', async () => {
      const dated = (index: RetainedIndex, id: string, dates: object, sequence: number) => ({
        ...{ sequence, tenantId: 'acme', index, id },
        document: { index, id, root: bytes(JSON.stringify({ id, ...dates })), nested: bytes('') },
      });
      const before = Date.parse('2026-03-01T00:00:00.000Z');
      const [old, young] = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'];
      const many = Array.from({ length: OLD_DOCUMENTS + 1 }, (_, n) =>
        dated('events', number(n), { created: old }, n + 1),
      );
      await feed(
        ...many,
        dated('events', 'young', { created: young, synced: old }, 1001),
        dated('events', 'undated', {}, 1002),
        dated('accountactivities', 'changed', { created: old, modified: young }, 1003),
        dated('accountactivities', 'done', { created: old, modified: old }, 1004),
        dated('accountactivities', 'unchanged', { created: old }, 1005),
        dated('accountactivities', 'new', { created: young }, 1006),
        dated('accountactivities', 'undated', { name: old }, 1007),
      );
      const pages = async (index: RetainedIndex) => {
        const pageIds: string[][] = [];
        const sources = {
          indexes: wholeTenant(backend(), { tenantId: 'acme', ...OPTIONS }),
          options: () => OPTIONS,
        };
        for await (const { hits } of hitPages(oldDocumentsPlan(index, before), sources)) {
          pageIds.push(ids(hits));
        }
        return pageIds;
      };
      assert.deepEqual(await pages('events'), [
        many.slice(0, OLD_DOCUMENTS).map(({ id }) => id),
        [number(OLD_DOCUMENTS)],
      ]);
      assert.deepEqual(await pages('accountactivities'), [['done', 'unchanged']]);
    });

    test('is unavailable after it is closed', async () => {
      await feed(change(1, 'r1', 'One'));
      await backend().close();
      await fails(search(planOf()), 'unavailable');
      assert.notEqual(await backend().unreadyReason(), null);
    });
  });
}
