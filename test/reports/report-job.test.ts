// suite: slow
// The background work of saved searches on one store, with clocks and a search that the test controls.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { Caller } from '../../src/auth/caller.ts';
import { ServiceError } from '../../src/errors.ts';
import { type Mail, NeverDeliverable } from '../../src/jobs/reports/mail-sender.ts';
import {
  ReportJob,
  type ReportOptions,
  type ReportParts,
} from '../../src/jobs/reports/report-job.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { ForwardingStore } from '../../src/service/ports/forwarding-store.ts';
import type { SavedSearch, SearchRun } from '../../src/service/ports/saved-search-records.ts';
import type { Hit } from '../../src/service/ports/search-backend.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { UTC_ZONE } from '../../src/service/saved-searches/local-time.ts';
import { waitingRun } from '../../src/service/saved-searches/saved-searches.ts';
import { ScheduledSearches } from '../../src/service/saved-searches/scheduled-searches.ts';
import { openThrowAwayStore } from '../support/empty-store.ts';
import { eventually } from '../support/eventually.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-report-job-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const AT = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const QUIET = { info: () => {}, warn: () => {} };

let store: Store;
let tenantId: string;
let ownerId: string;
/** The clock of schedules, and that of leases. */
let now: number;
let leaseNow: number;
const leaseClock = { now: () => leaseNow, refresh: async () => {} };
let mails: Mail[];
/** Why the mail server takes nothing; null: it does. */
let mailFault: Error | null;
const jobs: ReportJob[] = [];
let databases = 0;

beforeEach(async () => {
  store = await openThrowAwayStore(join(directory, `${++databases}.db`));
  const tenant = await createTenant(store, { name: 'test' });
  const admin = await createAdmin(store, tenant, { uid: 'admin' });
  [tenantId, ownerId] = [tenant.id, admin.id];
  [now, leaseNow, mails, mailFault] = [AT, AT, [], null];
  const user = { ...admin, id: 'reader', uid: 'reader', email: 'reader@people.test' };
  await store.write(async (records) => {
    await records.putAuthUsers(tenantId, [user]);
    await records.putSavedSearch(tenantId, saved('s1'));
  });
});
afterEach(async () => {
  for (const job of jobs.splice(0)) await job.stop();
  await store.close();
});

function saved(id: string): SavedSearch {
  const created = new Date(AT).toISOString();
  return {
    ...{ id, ownerId, created, modified: created, name: id, description: null, query: '*' },
    ...{ indices: ['roles'], columns: {}, fields: null, sort: null, orderBy: null, filters: null },
    shared: false,
  };
}

const schedule = (hours: string[], rest: object = {}) =>
  store.write((records) =>
    records.putScheduledSearch(tenantId, {
      ...{ ...saved('d1'), savedSearchId: 's1', name: null, recipients: ['reader'] },
      ...{ enabled: true, emailEmptyResults: true, displayQueryDetails: false, nextDue: AT },
      schedule: {
        ...{ type: 'DAILY', months: null, days: null, expiration: null, timeZoneId: null },
        hours: { type: 'LIST', values: hours, interval: null },
      },
      ...rest,
    }),
  );

function hit(id: string): Hit {
  const root = new TextEncoder().encode(JSON.stringify({ id, name: `role ${id}` }));
  return { index: 'roles', id, score: null, sort: [id], root, nested: new Uint8Array(0) };
}

/** A search that finds these pages. */
function pages(...sizes: number[]): ReportParts['search'] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return {
    checker: () => async () => [],
    shownColumns: async () => ['id', 'name'],
    async *walk() {
      for (const [page, size] of sizes.entries()) {
        yield { hits: Array.from({ length: size }, (_, n) => hit(`${page}-${n}`)), total };
      }
    },
  };
}

function job(
  search: ReportParts['search'] = pages(2),
  options: Partial<ReportOptions> = {},
  over: Store = store,
): ReportJob {
  const made = new ReportJob(
    {
      ...{ store: over, search, webhook: null },
      mail: {
        async send(mail) {
          if (mailFault !== null) throw mailFault;
          mails.push(mail);
        },
        close() {},
      },
    },
    {
      ...{ worker: `w${jobs.length}`, log: QUIET, clock: { now: () => now } },
      ...{ leaseClock, zone: UTC_ZONE, baseUrl: () => null },
      limits: { rows: 100, bytes: 100_000, timeMs: 60_000, pageSize: 10 },
      ...{ runsKept: 5, leaseMs: 60_000, ...options },
    },
  );
  jobs.push(made);
  return made;
}

const runs = (): Promise<readonly SearchRun[]> => store.read.searchRuns(tenantId, 's1');

/** Lets a job look until every run and delivery has ended. */
async function settle(...looking: ReportJob[]): Promise<void> {
  await eventually(async () => {
    for (const each of looking) await each.look();
    assert.equal(await store.read.openRunCount(tenantId), 0);
    const deliveries = await store.read.searchDeliveries(tenantId, 's1');
    assert.ok(deliveries.every(({ openAt }) => openAt === null));
  });
}

const request = (rest: Partial<SearchRun> = {}) =>
  store.write(async (records) => {
    const choices = { emailEmptyResults: true, displayQueryDetails: false, recipients: [] };
    const run = { ...choices, savedSearchId: 's1', scheduleId: null, ownerId };
    await records.putSearchRun(tenantId, {
      ...waitingRun({ ...run, created: new Date(AT).toISOString() }),
      ...rest,
    });
  });

test('each due time starts one run, whichever of several nodes looks', async () => {
  await schedule(['0', '1', '2']);
  const [a, b, c] = [job(), job(), job()];
  await Promise.all([a, b, c].map((each) => each.look()));
  await settle(a, b, c);
  for (const hour of [1, 2]) {
    now = AT + hour * HOUR_MS;
    await Promise.all([a, b, c].map((each) => each.look()));
    await settle(a, b, c);
  }
  const dues = (await runs()).map(({ due, state }) => `${due} ${state}`);
  assert.deepEqual(dues, [
    ...['2026-01-01T02:00:00.000Z COMPLETED', '2026-01-01T01:00:00.000Z COMPLETED'],
    '2026-01-01T00:00:00.000Z COMPLETED',
  ]);
  assert.equal(mails.length, 3);
});

test('a change just after a due time does not lose its run, unless it changes the times', async () => {
  await schedule(['0', '1', '2']);
  now = AT + 300;
  const schedules = new ScheduledSearches(store, { clock: { now: () => now } });
  const caller: Caller = {
    ...{
      tenantId,
      views: null,
      current: async () => caller,
      ownerCapabilities: [],
      identityId: ownerId,
      userName: 'admin',
      clientId: 'c',
      tokenId: 't',
    },
    ...{ scopes: ['sp:scopes:all'], capabilities: ['ORG_ADMIN'], personalTokenId: null },
    credentialEnds: Number.POSITIVE_INFINITY,
  };
  const body = (hours: string[]) => ({
    ...{ savedSearchId: 's1', enabled: true, recipients: [{ type: 'IDENTITY', id: 'other' }] },
    schedule: { type: 'DAILY', hours: { type: 'LIST', values: hours } },
  });
  const nextDue = async () => (await store.read.scheduledSearch(tenantId, 'd1'))?.nextDue;
  await schedules.replace(caller, 'd1', body(['0', '1', '2']));
  assert.equal(await nextDue(), AT);
  await settle(job());
  assert.deepEqual(
    (await runs()).map(({ due }) => due),
    ['2026-01-01T00:00:00.000Z'],
  );
  now = AT + HOUR_MS + 300;
  await schedules.replace(caller, 'd1', body(['0', '2']));
  assert.equal(await nextDue(), AT + 2 * HOUR_MS);
});

test('times that passed while no node was running are made up by one run', async () => {
  await schedule(['0', '1', '2']);
  now = AT + 50 * HOUR_MS + 1;
  await settle(job());
  await settle(job());
  assert.deepEqual(
    (await runs()).map(({ due }) => due),
    ['2026-01-01T00:00:00.000Z'],
  );
  assert.equal(mails.length, 1);
  const next = (await store.read.scheduledSearch(tenantId, 'd1'))?.nextDue;
  assert.equal(next, AT + 72 * HOUR_MS);
});

test('a time before the expiration is made up after it, and nothing else is due', async () => {
  const hours = { type: 'LIST', values: ['0'], interval: null } as const;
  await schedule(['0'], {
    schedule: {
      ...{ type: 'DAILY', months: null, days: null, hours, timeZoneId: null },
      expiration: '2026-01-02T12:00:00.000Z',
    },
  });
  now = AT + 100 * HOUR_MS;
  await settle(job());
  assert.equal((await runs()).length, 1);
  assert.equal((await store.read.scheduledSearch(tenantId, 'd1'))?.nextDue, null);
});

test('a run of a node that died is repeated after its lease, and delivered once', async () => {
  await schedule(['0']);
  // A node that loses its database in mid-run, and never comes back.
  const cut = new ForwardingStore(store, {
    write: (work) => (isDead ? Promise.reject(new Error('The node is dead')) : store.write(work)),
  });
  let isDead = false;
  let reached = (): void => {};
  const midRun = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const dying = job(
    {
      checker: () => async () => [],
      shownColumns: async () => ['id', 'name'],
      async *walk() {
        yield { hits: [hit('a')], total: 2 };
        reached();
        await gate;
        yield { hits: [hit('b')], total: 2 };
      },
    },
    {},
    cut,
  );
  await dying.look();
  await midRun;
  isDead = true;
  const other = job();
  await other.look();
  assert.equal((await runs())[0]?.state, 'RUNNING');
  leaseNow += 60_000;
  await settle(other);
  // The first node comes back to life, and finishes its run: it is not its own any more.
  isDead = false;
  release();
  await dying.stop();
  await settle(other);
  const [run, ...rest] = await runs();
  assert.deepEqual([run?.state, run?.attempt, rest.length], ['COMPLETED', 2, 0]);
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['reader@people.test'],
  );
  const lost = { id: run?.id ?? '', attempt: 1 };
  assert.equal(await store.read.runPart(tenantId, lost, 'role', 0), null);
});

test('a run that a wrong clock has taken is not waited for', async () => {
  const [taken, wrong] = [AT + 30_000, AT + 24 * HOUR_MS];
  await request({ state: 'RUNNING', attempt: 1, worker: 'other', openAt: taken });
  await job().look();
  assert.equal((await runs())[0]?.worker, 'other');
  const [run] = await runs();
  assert.ok(run);
  await store.write((records) => records.putSearchRun(tenantId, { ...run, openAt: wrong }));
  await settle(job());
  assert.deepEqual(
    (await runs()).map(({ state, attempt }) => [state, attempt]),
    [['COMPLETED', 2]],
  );
});

test('a node that stops gives its run back at once', async () => {
  await request();
  const slow = job({
    checker: () => async () => [],
    shownColumns: async () => ['id', 'name'],
    async *walk(_caller, _body, { signal }) {
      yield { hits: [hit('a')], total: 9 };
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  await slow.look();
  await eventually(async () => assert.equal((await runs())[0]?.state, 'RUNNING'));
  await slow.stop();
  const [waiting] = await runs();
  assert.deepEqual([waiting?.state, waiting?.attempt, waiting?.openAt], ['WAITING', 0, 0]);
  await settle(job());
  assert.equal((await runs())[0]?.state, 'COMPLETED');
});

test('limits cut the rows, not the count', async () => {
  const limits = { bytes: 100_000, timeMs: 60_000, pageSize: 10 };
  await request();
  await settle(job(pages(10, 10, 3), { limits: { ...limits, rows: 15 } }));
  await request();
  await settle(job(pages(10, 10, 3), { limits: { ...limits, rows: 100, bytes: 60 } }));
  const [bytes, rows] = (await runs()).map(({ results: [result] }) => result);
  assert.deepEqual([rows?.count, rows?.rows, rows?.preview.length], [23, 15, 11]);
  assert.equal(bytes?.count, 23);
  assert.ok((bytes?.rows ?? 99) < 10);
});

test('faults of the search end a run, others are tried again five times', async () => {
  const failing = (error: Error): ReportParts['search'] => ({
    checker: () => async () => [],
    shownColumns: async () => ['id', 'name'],
    // biome-ignore lint/correctness/useYield: it fails before its first page
    async *walk() {
      throw error;
    },
  });
  await request();
  const cause = 'sort[0]: x is not a sortable field';
  await settle(job(failing(new ServiceError('request_invalid', cause, { causes: [cause] }))));
  const [first] = await runs();
  assert.deepEqual([first?.state, first?.reason, first?.attempt], ['FAILED', cause, 1]);
  await request();
  const broken = job(failing(new ServiceError('unavailable', 'The search is away.')));
  await eventually(async () => {
    leaseNow += HOUR_MS;
    await broken.look();
    const [run] = await runs();
    assert.equal(run?.state, 'FAILED');
    assert.match(run?.reason ?? '', /Each of 5 attempts failed: The search is away/);
  });
});

test('a run that takes longer than its time fails', async () => {
  await request();
  const limits = { rows: 100, bytes: 100_000, timeMs: -1, pageSize: 10 };
  await settle(job(pages(1, 1), { limits }));
  assert.deepEqual((await runs())[0]?.reason, 'The run took too long.');
});

test('a recipient who unsubscribed in mid-run gets no e-mail', async () => {
  await schedule(['0']);
  await settle(
    job({
      checker: () => async () => [],
      shownColumns: async () => ['id', 'name'],
      async *walk() {
        const before = await store.read.scheduledSearch(tenantId, 'd1');
        assert.ok(before);
        await store.write((records) =>
          records.putScheduledSearch(tenantId, { ...before, recipients: [] }),
        );
        yield { hits: [hit('a')], total: 1 };
      },
    }),
  );
  assert.equal((await runs())[0]?.state, 'COMPLETED');
  assert.equal(mails.length, 0);
});

test('a search that was deleted in mid-run leaves nothing', async () => {
  await schedule(['0']);
  const deleting = job({
    checker: () => async () => [],
    shownColumns: async () => ['id', 'name'],
    async *walk() {
      await store.write((records) => records.deleteSavedSearch(tenantId, 's1'));
      yield { hits: [hit('a')], total: 1 };
    },
  });
  await deleting.look();
  await eventually(async () => assert.deepEqual(await runs(), []));
  await deleting.stop();
  assert.deepEqual(await store.read.inconsistencies(), []);
  assert.equal(mails.length, 0);
});

test('tenants take turns', async () => {
  const busy = await createTenant(store, { name: 'busy' });
  const admin = await createAdmin(store, busy, { uid: 'busy' });
  const order: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    await store.write(async (records) => {
      await records.putSavedSearch(busy.id, { ...saved('s2'), ownerId: admin.id });
      const choices = { emailEmptyResults: true, displayQueryDetails: false, recipients: [] };
      const run = { ...choices, savedSearchId: 's2', scheduleId: null, ownerId: admin.id };
      await records.putSearchRun(busy.id, waitingRun({ ...run, created: saved('x').created }));
    });
  }
  await request();
  await request();
  const fair = job(
    {
      checker: () => async () => [],
      shownColumns: async () => ['id', 'name'],
      async *walk({ tenantId: of }) {
        order.push(of === busy.id ? 'busy' : 'other');
        yield { hits: [], total: 0 };
      },
    },
    { runsMax: 1 },
  );
  await eventually(async () => {
    await fair.look();
    assert.equal(order.length, 6);
  });
  assert.equal(order.slice(0, 4).filter((each) => each === 'other').length, 2, order.join());
});

test('tenants with many deliveries do not hold up those of another one', async () => {
  const tenants = await Promise.all(['a', 'b', 'c'].map((name) => createTenant(store, { name })));
  const ids = tenants.map(({ id }) => id).toSorted();
  // The database lists the quiet one last, and its delivery is due last.
  const [quiet = ''] = ids.slice(-1);
  await store.write(async (records) => {
    const admin = await store.read.authUser(tenantId, ownerId);
    assert.ok(admin);
    for (const of of ids) {
      const email = of === quiet ? 'quiet@people.test' : 'busy@people.test';
      await records.putAuthUsers(of, [admin, { ...admin, id: 'reader', uid: 'reader', email }]);
      await records.putSavedSearch(of, saved('s1'));
      const created = saved('x').created;
      const run = waitingRun({
        ...{ savedSearchId: 's1', scheduleId: null, ownerId, recipients: [], created },
        ...{ emailEmptyResults: true, displayQueryDetails: false },
      });
      await records.putSearchRun(of, { ...run, state: 'COMPLETED', openAt: null });
      for (let n = 0; n < (of === quiet ? 1 : 10); n += 1) {
        await records.putSearchDelivery(of, {
          ...{ id: `${n}`, runId: run.id, savedSearchId: 's1', channel: 'EMAIL', created },
          ...{ recipientId: 'reader', address: null, state: 'WAITING', attempts: 0 },
          ...{ delivered: null, reason: null, openAt: of === quiet ? AT : AT - 1_000 },
        });
      }
    }
  });
  const fair = job();
  await eventually(async () => {
    await fair.look();
    assert.equal(mails.length, 21);
  });
  const order = mails.map(({ to }) => to);
  assert.ok(order.indexOf('quiet@people.test') < 10, order.join());
});

test('runs of a tenant wait while too many of its deliveries do', async () => {
  mailFault = new Error('The mail server is away');
  let walks = 0;
  const counted: ReportParts['search'] = {
    checker: () => async () => [],
    shownColumns: async () => ['id', 'name'],
    async *walk() {
      walks += 1;
      yield { hits: [hit('a')], total: 1 };
    },
  };
  const bounded = job(counted, { openDeliveriesMax: 2 });
  await request({ recipients: ['reader', 'reader'] });
  await eventually(async () => {
    await bounded.look();
    const waiting = await store.read.searchDeliveries(tenantId, 's1');
    assert.deepEqual(
      waiting.map(({ state, attempts }) => [state, attempts]),
      [
        ['WAITING', 1],
        ['WAITING', 1],
      ],
    );
  });
  await request();
  await bounded.look();
  await bounded.stop();
  assert.equal(walks, 1);
  mailFault = null;
  leaseNow += HOUR_MS;
  await settle(job(counted, { openDeliveriesMax: 2 }));
  assert.equal(walks, 2);
});

test('a due time starts no run while the last one of its schedule waits', async () => {
  await schedule(['0', '1', '2']);
  const busy = job(pages(1), { runsMax: 0 });
  for (const hour of [0, 1, 2]) {
    now = AT + hour * HOUR_MS;
    await busy.look();
  }
  assert.deepEqual(
    (await runs()).map(({ due }) => due),
    ['2026-01-01T00:00:00.000Z'],
  );
  await settle(job());
  now = AT + 24 * HOUR_MS;
  await settle(job());
  assert.equal((await runs()).length, 2);
});

test('a run is kept until its deliveries have ended, though newer ones push it out', async () => {
  mailFault = new Error('The mail server is away');
  const only = job(pages(2), { runsKept: 1 });
  for (const total of [1, 2]) {
    await request({ recipients: ['reader'] });
    await eventually(async () => {
      await only.look();
      const waiting = await store.read.searchDeliveries(tenantId, 's1');
      assert.deepEqual(
        waiting.map(({ state, attempts }) => [state, attempts]),
        Array.from({ length: total }, () => ['WAITING', 1]),
      );
    });
  }
  mailFault = null;
  leaseNow += HOUR_MS;
  await settle(only);
  assert.equal(mails.length, 2);
  assert.equal((await runs()).length, 1);
});

test('a delivery that failed is attempted again with the same id, until it is refused for good', async () => {
  await schedule(['0']);
  let attempts = 0;
  const ids: string[] = [];
  const made = new ReportJob(
    {
      ...{ store, search: pages(1), webhook: null },
      mail: {
        async send({ id }) {
          ids.push(id);
          attempts += 1;
          if (attempts === 1) throw new Error('connection lost');
          if (attempts === 2) throw new NeverDeliverable('no such mailbox');
        },
        close() {},
      },
    },
    {
      ...{ worker: 'w', log: QUIET, clock: { now: () => now }, zone: UTC_ZONE },
      ...{ leaseClock, baseUrl: () => null, runsKept: 5 },
      limits: { rows: 100, bytes: 100_000, timeMs: 60_000, pageSize: 10 },
    },
  );
  jobs.push(made);
  await eventually(async () => {
    await made.look();
    leaseNow += 1_000;
    const [delivery] = await store.read.searchDeliveries(tenantId, 's1');
    assert.equal(delivery?.state, 'FAILED');
    assert.deepEqual([delivery.attempts, delivery.reason], [2, 'no such mailbox']);
  });
  assert.equal(new Set(ids).size, 1);
});

test('a run sees what its owner sees when it starts', async () => {
  const rules = { indices: { roles: 'name:clerk' }, hide: ['description'] };
  const created = new Date(AT).toISOString();
  const seen: unknown[] = [];
  const search: ReportParts['search'] = {
    checker(reader) {
      return async () => {
        seen.push(reader.views);
        return [];
      };
    },
    async shownColumns(reader) {
      seen.push(reader.views);
      return ['name'];
    },
    async *walk(reader) {
      seen.push(reader.views);
      yield { hits: [hit('a')], total: 1 };
    },
  };
  for (const view of ['clerks', 'gone', null]) {
    seen.length = 0;
    await store.write(async (records) => {
      await records.putView(tenantId, {
        ...{ name: 'clerks', description: '', ...rules, created, modified: created },
      });
      await records.setUserView(tenantId, ownerId, view);
    });
    await request();
    await settle(job(search));
    const shown = view === 'gone' ? { indices: {}, hide: [] } : rules;
    const expected = view === null ? null : [{ name: view, ...shown }];
    assert.ok(seen.length > 0, String(view));
    for (const views of seen) assert.deepEqual(views, expected);
  }
});
