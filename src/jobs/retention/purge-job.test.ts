// The purge on a real store and the embedded search: what is old goes, from both, and nothing else.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryStore } from '../../../test/support/tenant.ts';
import { openEmbeddedBackend } from '../../backends/embedded/embedded-backend.ts';
import { Indexer } from '../../backends/indexer.ts';
import { ServiceError } from '../../errors.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import { createAdmin, createTenant } from '../../service/accounts/provisioning.ts';
import { LOCAL_OPERATOR, recordAuditEvents } from '../../service/audit/audit-event.ts';
import { verifyAudit } from '../../service/audit/audit-verification.ts';
import { byOperator } from '../../service/audit/operator-event.ts';
import { ForwardingStore } from '../../service/ports/forwarding-store.ts';
import type { SearchBackend } from '../../service/ports/search-backend.ts';
import type { Store, WritableRecords } from '../../service/ports/store.ts';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { compareIndex } from '../../service/searching/index-comparison.ts';
import { PurgeJob, type PurgeOptions, type PurgeParts } from './purge-job.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const SILENT = { info: () => {}, warn: () => {} };
const NOTHING = {
  ...{ events: 0, accountactivities: 0, tombstones: 0 },
  ...{ personal_access_tokens: 0, revoked_tokens: 0, refresh_tokens: 0 },
};
/** Rows of one transaction. */
const BATCH = 100;

let directory: string;
let store: Store;
let backend: SearchBackend;
let indexer: Indexer;
let tenantId: string;
let now: number;
let lines: unknown[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-purge-'));
  store = await temporaryStore();
  tenantId = (await createTenant(store, { name: 'acme' }, byOperator({ now: () => NOW }))).id;
  [now, lines] = [NOW, []];
  await openSearch();
});
afterEach(async () => {
  await closeSearch();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function openSearch(): Promise<void> {
  backend = await openEmbeddedBackend({
    path: directory,
    mapping: (_tenant, index) => staticMapping(index, { name: 'acme', pod: 'cardea' }),
    lastSequence: () => store.read.lastSequence(),
  });
  indexer = new Indexer(store, backend, { pollMs: 10, batchSize: 100, log: SILENT });
  indexer.start();
}

async function closeSearch(): Promise<void> {
  await indexer.stop();
  await backend.close();
}

/** A job that deletes documents older than a day, without pauses. */
function job(options: Partial<PurgeOptions> = {}, parts: Partial<PurgeParts> = {}): PurgeJob {
  return new PurgeJob(
    { store, backend, indexer, ...parts },
    {
      ...{ eventRetentionMs: DAY, pauseMs: 0, clock: { now: () => now } },
      log: { info: (figures) => lines.push(figures), warn: () => {} },
      ...options,
    },
  );
}

/** @param days age at NOW of each date, which is left out when undefined */
function dated(
  index: IndexName,
  id: string,
  { created, modified }: { created?: number; modified?: number },
): StoredDocument {
  const date = (days: number | undefined) =>
    days === undefined ? undefined : new Date(NOW - days * DAY).toISOString();
  const root = JSON.stringify({ id, created: date(created), modified: date(modified) });
  return { index, id, root: Buffer.from(root), nested: new Uint8Array(0) };
}

async function put(...documents: readonly StoredDocument[]): Promise<void> {
  await store.write((records) => records.putDocuments(tenantId, documents));
  await searchable();
}

const searchable = async () => indexer.waitFor(await store.read.lastSequence(), 60_000);

/** Records audit events of the given ages in days, with ids `r1`, `r2`, … */
async function record(...ages: readonly number[]): Promise<void> {
  const events = ages.map((days, i) => ({
    ...{ id: `r${i + 1}`, created: new Date(NOW - days * DAY).toISOString() },
    ...{ actor: LOCAL_OPERATOR, target: 't', act: 'AUTH_USER_PATCH' as const, attributes: {} },
  }));
  await store.write((records) => recordAuditEvents(records, tenantId, events));
  await searchable();
}

/** The ids of the stored documents, after checking that the search has the same ones. */
async function ids(index: IndexName): Promise<string[]> {
  await searchable();
  assert.deepEqual((await compareIndex(store, backend, () => {})).differences, []);
  const changes = await store.read.changesAfter(0, 10_000);
  return changes
    .filter((change) => change.index === index && change.document !== null)
    .map(({ id }) => id)
    .sort();
}

const old = (count: number) =>
  Array.from({ length: count }, (_, n) => dated('events', `e${n}`, { created: 2 }));

const tombstones = async () =>
  (await store.read.changesAfter(0, 10_000)).filter(({ document }) => document === null).length;

/** Passes each write on after calling `before` with its number, from 1. */
function watched(before: (write: number) => Promise<void> | void): Store {
  let writes = 0;
  return new ForwardingStore(store, {
    write: async <T>(work: (records: WritableRecords) => Promise<T>) => {
      await before(++writes);
      return store.write(work);
    },
  });
}

test('deletes events by their creation and activities by their last change', async () => {
  await put(
    dated('events', 'old', { created: 1.01 }),
    dated('events', 'young', { created: 0.99 }),
    dated('events', 'undated', {}),
    dated('accountactivities', 'done', { created: 3, modified: 2 }),
    dated('accountactivities', 'active', { created: 3, modified: 0.5 }),
    dated('accountactivities', 'unchanged', { created: 3 }),
    dated('roles', 'role', { created: 100, modified: 100 }),
  );
  const own = (await ids('events')).filter((id) => id.length === 32);
  const counts = await job().run();
  assert.deepEqual(counts, { ...NOTHING, events: 1, accountactivities: 2 });
  assert.deepEqual(lines, [{ events: 1, accountactivities: 2 }]);
  assert.deepEqual(await ids('events'), [...own, 'undated', 'young'].sort());
  assert.deepEqual(await ids('accountactivities'), ['active']);
  assert.deepEqual(await ids('roles'), ['role']);
});

test('a second run finds nothing to do and logs nothing', async () => {
  await put(...old(3));
  await job().run();
  await searchable();
  lines = [];
  assert.deepEqual(await job().run(), NOTHING);
  assert.deepEqual(lines, []);
});

test('without a retention every document stays', async () => {
  await put(dated('events', 'old', { created: 1_000 }));
  assert.deepEqual(await job({ eventRetentionMs: null }).run(), NOTHING);
  assert.ok((await ids('events')).includes('old'));
});

test('keeps recorded events in the trail, which is verified without their documents', async () => {
  await record(3, 2, 0.5);
  const head = await store.read.auditHead(tenantId);
  assert.equal((await job().run()).events, 2);
  const stored = await ids('events');
  assert.deepEqual(
    ['r1', 'r2', 'r3'].map((id) => stored.includes(id)),
    [false, false, true],
  );
  const { faults, events, purgedBefore } = await verifyAudit(store.read, tenantId);
  assert.deepEqual(faults, []);
  assert.equal(purgedBefore, new Date(NOW - DAY).toISOString());
  assert.deepEqual(await store.read.auditHead(tenantId), head);
  const exported = await store.read.auditEventsAfter(0, 100);
  assert.equal(exported.length, events);
  assert.ok(['r1', 'r2', 'r3'].every((id) => exported.some((event) => event.id === id)));
});

test('deletes a hundred documents per transaction', async () => {
  await put(...old(2 * BATCH + 50));
  const sizes: number[] = [];
  let last = await store.read.documentCounts(tenantId);
  const counted = watched(async () => {
    const counts = await store.read.documentCounts(tenantId);
    sizes.push(last.events - counts.events);
    last = counts;
  });
  assert.equal((await job({}, { store: counted }).run()).events, 2 * BATCH + 50);
  assert.deepEqual(
    sizes.filter((size) => size > 0),
    [BATCH, BATCH, 50],
  );
});

test('a run that ends between two transactions leaves the rest to the next one', async () => {
  await put(...old(2 * BATCH + 100));
  await record(5);
  const before = (await store.read.documentCounts(tenantId)).events;
  const stopping = watched(async () => {
    const { events } = await store.read.documentCounts(tenantId);
    // Its transaction, the second deletion, is completed.
    if (events < before) await interrupted.stop();
  });
  const interrupted = job({}, { store: stopping });
  assert.equal((await interrupted.run()).events, 2 * BATCH);
  assert.deepEqual((await verifyAudit(store.read, tenantId)).faults, []);
  await searchable();
  assert.equal((await job().run()).events, 101);
  assert.deepEqual((await verifyAudit(store.read, tenantId)).faults, []);
});

/** A search after which the event `a` changes, if it was found. */
const changing: PurgeParts['backend'] = {
  coveredSequence: () => backend.coveredSequence(),
  async search(...args) {
    const result = await backend.search(...args);
    const [hit] = result.hits;
    if (hit?.id === 'a') await put(dated('events', 'a', { created: 0.1 }));
    return result;
  },
};

test('keeps a document that changes between the search and its deletion', async () => {
  await put(...['a', 'b'].map((id) => dated('events', id, { created: 2 })));
  assert.equal((await job({}, { backend: changing }).run()).events, 1);
  const stored = await ids('events');
  assert.deepEqual([stored.includes('a'), stored.includes('b')], [true, false]);
});

test('no purge of events is noted where none was deleted', async () => {
  await put(dated('events', 'a', { created: 2 }));
  assert.deepEqual(await job({}, { backend: changing }).run(), NOTHING);
  assert.equal(await store.read.eventsPurgedBefore(tenantId), null);
});

test('purges tokens thirty days after they expired', async () => {
  const day = { short: NOW - 30 * DAY - 1, kept: NOW - 30 * DAY + 1, valid: NOW + 1 };
  await store.write(async (records) => {
    for (const [id, expires] of Object.entries(day)) {
      await records.revokeToken(tenantId, { id, expires });
    }
    const created = '2026-01-01T00:00:00.000Z';
    const token = { clientId: 'c', secretHash: 'h', scope: null, created };
    for (const [id, expires] of Object.entries(day)) {
      const text = new Date(expires).toISOString();
      await records.addRefreshToken(tenantId, { ...token, id, expires: text });
    }
  });
  const counts = await job({ eventRetentionMs: null }).run();
  assert.deepEqual(counts, { ...NOTHING, revoked_tokens: 1, refresh_tokens: 1 });
  assert.equal(await store.read.isRevoked(tenantId, 'short', null), false);
  assert.equal(await store.read.isRevoked(tenantId, 'kept', null), true);
  const left = (await store.read.refreshTokensOf(tenantId, 'c')).map(({ id }) => id);
  assert.deepEqual(left.sort(), ['kept', 'valid']);
});

test('deletes personal access tokens that have expired by the clocks of the node and of the store', async () => {
  const tenant = (await store.read.tenantById(tenantId)) ?? assert.fail();
  const admin = await createAdmin(store, tenant, { uid: 'ada' }, byOperator({ now: () => NOW }));
  await store.write(async (records) => {
    for (let n = 0; n < 25; n++) {
      const token = {
        kind: 'pat',
        ...{ id: `p${n}`, ownerId: admin.id, name: `p${n}`, secretHash: 'h', scope: [] },
        ...{ accessTokenValiditySeconds: 60, userAwareTokenNeverExpires: true, managed: false },
        expires: new Date(NOW + (n < 24 ? 0 : 1)).toISOString(),
        ...{ created: '2026-01-01T00:00:00.000Z', lastUsed: null, parentId: null, view: null },
      } as const;
      await records.addCredential(tenantId, token);
    }
  });
  const slow = new (class extends ForwardingStore {
    override now = async () => NOW - 1;
  })(store, {});
  assert.deepEqual(await job({ eventRetentionMs: null }, { store: slow }).run(), NOTHING);
  const counts = await job({ eventRetentionMs: null }).run();
  assert.deepEqual(counts, { ...NOTHING, personal_access_tokens: 24 });
  const left = await store.read.credentialsOf(tenantId, 'pat');
  assert.deepEqual(
    left.map(({ id }) => id),
    ['p24'],
  );
  assert.deepEqual((await verifyAudit(store.read, tenantId)).faults, []);
});

describe('a clock that is far ahead', () => {
  const AHEAD = 400 * DAY;
  const HOUR = DAY / 24;

  /** What a run by the clock that is ahead would delete. */
  async function putYoung(): Promise<void> {
    await store.write(async (records) => {
      await records.revokeToken(tenantId, { id: 'revoked', expires: NOW + DAY });
      const token = {
        clientId: 'c',
        secretHash: 'h',
        scope: null,
        created: '2026-01-01T00:00:00Z',
      };
      const expires = new Date(NOW + DAY).toISOString();
      await records.addRefreshToken(tenantId, { ...token, id: 'refresh', expires });
    });
    await put(dated('events', 'young', { created: 0 }));
  }

  test('purges nothing that is not old, once it is right again', async () => {
    await searchable();
    await job().run();
    await putYoung();
    for (const clock of [NOW + AHEAD, NOW + HOUR, NOW + AHEAD, NOW + 2 * HOUR]) {
      now = clock;
      assert.deepEqual(await job().run(), NOTHING);
    }
    assert.equal(await store.read.isRevoked(tenantId, 'revoked', null), true);
    assert.ok((await ids('events')).includes('young'));
  });

  test('is believed by the run after it, as after a long stop', async () => {
    await searchable();
    await job().run();
    await putYoung();
    now = NOW + AHEAD;
    assert.deepEqual(await job().run(), NOTHING);
    now += HOUR;
    const counts = await job().run();
    assert.equal(counts.revoked_tokens, 1);
    assert.equal(counts.refresh_tokens, 1);
    assert.ok(counts.events >= 1);
  });
});

test('tokens are purged while the search is down, and the failure is reported', async () => {
  await store.write((r) => r.revokeToken(tenantId, { id: 't', expires: NOW - 31 * DAY }));
  const down = (): Promise<never> => Promise.reject(new ServiceError('unavailable', 'down'));
  const failing = job({}, { backend: { search: down, coveredSequence: down } });
  await assert.rejects(failing.run(), { code: 'unavailable' });
  assert.equal(failing.counts.revoked_tokens, 1);
});

test('two processes that purge at the same time delete each row once', async () => {
  await put(...old(2 * BATCH + 1));
  const both = await Promise.all([job().run(), job().run()]);
  assert.equal(both[0].events + both[1].events, 2 * BATCH + 1);
  assert.deepEqual(
    (await ids('events')).filter((id) => /^e\d+$/.test(id)),
    [],
  );
  assert.deepEqual((await verifyAudit(store.read, tenantId)).faults, []);
});

test('a tombstone is purged one to two weeks after the deletion', async () => {
  await put(...old(3), dated('roles', 'last', {}));
  const remove = (id: string) =>
    store.write((records) => records.deleteDocument(tenantId, 'events', id));
  await remove('e0');
  await job({ eventRetentionMs: null }).run();
  now += DAY;
  await remove('e1');
  await put(dated('roles', 'more', {}));
  await closeSearch();
  await openSearch();
  const purge = job({ eventRetentionMs: null });
  const left: number[] = [];
  for (let day = 1; day <= 15; day++) {
    await purge.run();
    left.push(await tombstones());
    now += DAY;
  }
  // The first run marked e0, and the run of day 7 purges it and marks e1.
  assert.deepEqual(left, [...Array(6).fill(2), ...Array(7).fill(1), 0, 0]);
  assert.equal(purge.counts.tombstones, 2);
});

test('no tombstone is purged that the own index may still need', async () => {
  await put(...old(2), dated('roles', 'last', {}));
  await store.write((records) => records.deleteDocument(tenantId, 'events', 'e0'));
  await put(dated('roles', 'more', {}));
  let covered = 0;
  const behind: PurgeParts['backend'] = {
    search: (...args) => backend.search(...args),
    coveredSequence: async () => covered,
  };
  const purge = job({ eventRetentionMs: null }, { backend: behind });
  await purge.run();
  now += 8 * DAY;
  assert.deepEqual(await purge.run(), NOTHING);
  covered = await store.read.lastSequence();
  assert.equal((await purge.run()).tombstones, 1);
});

test('a mark that a wrong clock set in the future is replaced', async () => {
  await put(...old(1));
  const mark = { markedSequence: 0, markedAt: NOW + 1_000 * DAY };
  await store.write((records) => records.setPurgeMark(mark));
  await job({ eventRetentionMs: null }).run();
  const { markedAt, markedSequence } = (await store.read.purgeMark()) ?? {};
  assert.deepEqual([markedAt, markedSequence], [NOW, await store.read.lastSequence()]);
});

test('an index that was away during deletions and their purge ends with the same documents', async () => {
  await put(...old(20), dated('roles', 'kept', {}));
  await closeSearch();
  const ended = await store.read.lastSequence();
  await store.write(async (records) => {
    for (let n = 0; n < 10; n++) await records.deleteDocument(tenantId, 'events', `e${n}`);
  });
  await store.write((records) => records.putDocuments(tenantId, [dated('roles', 'new', {})]));
  await store.write((records) => records.purgeTombstones(ended + 10, 100));
  assert.equal(await tombstones(), 0);
  await openSearch();
  const events = await ids('events');
  assert.deepEqual([events.includes('e9'), events.includes('e10')], [false, true]);
  assert.deepEqual(await ids('roles'), ['kept', 'new']);
});

test('runs soon after the start and again and again; a failure is a warning until a run succeeds', async () => {
  const runs: string[] = [];
  let failing = false;
  const flaky = watched(() => {
    if (failing) throw new ServiceError('unavailable', 'down');
    runs.push('write');
  });
  const purge = job({ firstMs: 1, everyMs: 1, retryMs: 1 }, { store: flaky });
  assert.equal(purge.warning, null);
  purge.start();
  try {
    await eventually(() => assert.ok(runs.length > 10));
    failing = true;
    await eventually(() => assert.match(purge.warning ?? '', /could not be purged/));
    failing = false;
    await eventually(() => assert.equal(purge.warning, null));
  } finally {
    await purge.stop();
  }
});
