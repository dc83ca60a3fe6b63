import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { callerOf, type TestTenant, testTenant } from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { ForwardingStore, withRecords } from '../ports/forwarding-store.ts';
import type { SavedSearch } from '../ports/saved-search-records.ts';
import { waitingRun } from './saved-searches.ts';
import { SearchRuns } from './search-runs.ts';

const CREATED = '2026-01-01T00:00:00.000Z';
const PARTS = ['id\r\n', 'a\r\n', 'b\r\n'];

let world: TestTenant;
let caller: Caller;
let runs: SearchRuns;
/** The parts that were read. */
let read: number[];

before(async () => {
  world = await testTenant();
  const { store, tenant, admin } = world;
  caller = callerOf(tenant, admin);
  const search: SavedSearch = {
    ...{ id: 's1', ownerId: admin.id, created: CREATED, modified: CREATED, name: 's1' },
    ...{ description: null, query: '*', indices: ['roles'], columns: {}, fields: null, sort: null },
    ...{ orderBy: null, filters: null, shared: false },
  };
  await store.write((records) => records.putSavedSearch(tenant.id, search));
  const counting = withRecords(store.read, {
    runPart(tenantId, run, type, part) {
      read.push(part);
      return store.read.runPart(tenantId, run, type, part);
    },
  });
  runs = new SearchRuns(new ForwardingStore(store, { read: counting }));
});
after(() => world.store.close());

beforeEach(async () => {
  const { store, tenant, admin } = world;
  read = [];
  const choices = { emailEmptyResults: true, displayQueryDetails: false, recipients: [] };
  const run = { ...choices, savedSearchId: 's1', scheduleId: null, ownerId: admin.id };
  await store.write(async (records) => {
    await records.putSearchRun(tenant.id, {
      ...{ ...waitingRun({ ...run, created: CREATED }), id: 'r1', state: 'COMPLETED', attempt: 1 },
      ...{ openAt: null, results: [{ type: 'role', count: 2, rows: 2, preview: [] }] },
    });
    for (const [part, text] of PARTS.entries()) {
      const bytes = gzipSync(text);
      await records.addRunPart(tenant.id, { runId: 'r1', attempt: 1, type: 'role', part, bytes });
    }
  });
});

const removeRun = () =>
  world.store.write((records) => records.deleteSearchRun(world.tenant.id, 'r1'));

test('reads each part of the CSV when the one before it was taken', async () => {
  const texts: string[] = [];
  for await (const piece of await runs.csv(caller, 's1', 'r1')) {
    texts.push(String(piece));
    assert.equal(read.length, texts.length);
  }
  assert.deepEqual(texts, PARTS);
  await removeRun();
});

test('does not end the CSV of a run that is deleted meanwhile as if it were whole', async () => {
  const pieces = await runs.csv(caller, 's1', 'r1');
  assert.equal(String((await pieces.next()).value), PARTS[0]);
  await removeRun();
  await assert.rejects(pieces.next(), { code: 'not_found' });
});
