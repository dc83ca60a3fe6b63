// suite: slow, alone
// cardea mirror against a Cardea that behaves like the public service: rate limit, index lag, and a
// part of all requests that fail. Both sides must answer the same documents, byte for byte.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer, type TestTenant } from 'cardea/testing';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import {
  assertNowhere,
  assertSameDocuments,
  FAULTS,
  mirrored,
  mirrorOf,
  serveMirror,
  startMirror,
} from '../support/remote-tenant.ts';
import { TestClient } from '../testing/client.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The limit of the public service, and the rate of the mirror, five times as fast. */
const LIMIT = '100/2';
const RATE = ['--rate', '90/2'];

let limited: TestServer;
let server: TestServer;
before(async () => {
  limited = await startServer({ rateLimit: LIMIT, indexLag: '200ms' });
  server = await startServer({ indexLag: '50ms' });
});
after(() => Promise.all([limited.close(), server.close()]));

/** Changes of a tenant, with their time, as a service makes them. */
function changed(id: string, index: number): Record<string, unknown> {
  const now = new Date().toISOString();
  return { _type: 'role', id, name: `Role ${index}`, created: now, modified: now, synced: now };
}

describe('a mirror', () => {
  const dataDir = join(directory, 'life');
  let tenant: TestTenant;
  let remote: TestClient;
  const run = async (...flags: string[]) => {
    await tenant.faults.set({ seed: 3, faults: FAULTS });
    const report = await mirrored(tenant, dataDir, [...RATE, ...flags]);
    await tenant.faults.clear();
    return report;
  };
  const assertSame = async () => {
    const here = await serveMirror(dataDir, tenant.credentials.tenant);
    try {
      return await assertSameDocuments(here, tenant);
    } finally {
      await here.close();
    }
  };

  before(async () => {
    tenant = await limited.createTenant({ identities: 120, seed: 5 });
    remote = new TestClient(tenant);
  });

  test('copies every document at first, with the name and pod of the tenant', async () => {
    const report = await run();
    assert.deepEqual([report.code, report.outcome, report.faults], [0, 'complete', []], report.err);
    assert.equal(report.tenant, tenant.credentials.tenant);
    const count = await assertSame();
    assert.ok(count > 400, String(count));
    assert.deepEqual(report.counts, {
      ...{ created: count, updated: 0, unchanged: 0, deleted: 0, refused: 0 },
    });
  });

  test('lists the accounts, sources and roles of the remote tenant', async () => {
    const here = await serveMirror(dataDir, tenant.credentials.tenant);
    try {
      const ours = new TestClient(here);
      for (const path of ['/v2026/accounts?limit=250', '/v2026/sources', '/v2026/roles']) {
        const [mirrored, original] = await Promise.all(
          [ours, remote].map(async (client) => (await client.call('GET', path)).json()),
        );
        assert.deepEqual(mirrored, original);
        assert.ok((original as unknown[]).length > 10, path);
      }
    } finally {
      await here.close();
    }
  });

  test('brings additions, changes and deletions with the next runs, and only those', async () => {
    await tenant.seed([changed('a1', 1), changed('a2', 2)]);
    const first = await run();
    assert.deepEqual([first.code, first.counts.created, first.counts.deleted], [0, 2, 0]);
    assert.ok(first.documents < 3_000, 'the sweep reads ids, the increment a few documents');
    const [victim = ''] = await remote.ids('identities', '*');
    await remote.call('DELETE', `/admin/v1/documents/identities/${victim}?refresh=wait`);
    await tenant.seed([changed('a2', 3)]);
    const second = await run('--sweep-every', '0s');
    assert.deepEqual(
      [second.code, second.counts.created, second.counts.updated, second.counts.deleted],
      [0, 0, 1, 1],
    );
    // Some documents have no modification time before their first change.
    const { modified: _, ...fresh } = changed('n1', 5);
    await tenant.seed([fresh]);
    const third = await run();
    assert.deepEqual([third.code, third.counts.created], [0, 1]);
    await assertSame();
  });

  test('keeps its own audit trail, and leaves that of the remote tenant alone', async () => {
    const here = await serveMirror(dataDir, tenant.credentials.tenant);
    try {
      const client = new TestClient(here);
      const body = { indices: ['events'], query: { query: 'action:MirrorTenant' } };
      const answer = await client.call('POST', '/v2024/search?limit=250', body);
      const events = (await answer.json()) as { attributes: { created: number } }[];
      assert.equal(events.length, 4, 'one for each run that changed something');
      const status = (await (await client.call('GET', '/admin/v1/mirror')).json()) as {
        mirror: { copiedAt: string; parts: unknown[]; runs: unknown[] };
      };
      assert.ok(Date.parse(status.mirror.copiedAt) > Date.now() - 600_000);
      assert.deepEqual([status.mirror.parts.length, status.mirror.runs.length], [6, 4]);
    } finally {
      await here.close();
    }
    const verified = commandLine(['audit', 'verify', '--data-dir', dataDir], {});
    assert.equal(await verified.ended, 0, verified.err());
  });

  test('finds no difference with --verify, then one in a field and a missing document', async () => {
    const equal = await run('--verify', '--sample', 'all');
    assert.deepEqual([equal.code, equal.equal, equal.differing], [0, true, 0], equal.err);
    const name = tenant.credentials.tenant;
    const file = join(directory, 'planted.ndjson');
    // It was modified long ago, so no increment mends it.
    const search = { indices: ['identities'], query: { query: '*' }, sort: ['id'] };
    const answer = await remote.call('POST', '/v2024/search?limit=1', search);
    const [old] = (await answer.json()) as [{ id: string; displayName: string }];
    writeFileSync(file, JSON.stringify({ ...old, displayName: 'Planted' }));
    const planted = commandLine(['import', file, '--tenant', name, '--data-dir', dataDir]);
    assert.equal(await planted.ended, 0, planted.err());
    // It appears there later than the last run, so only the comparison can tell.
    await tenant.seed([{ ...changed('a3', 4), modified: '2020-01-01T00:00:00Z' }]);
    await eventually(async () => assert.deepEqual(await remote.ids('roles', 'id:a3'), ['a3']));
    const differs = await run('--verify', '--sample', 'all');
    assert.deepEqual([differs.code, differs.equal], [1, false]);
    const fields = differs.differences.map(({ id, field }: { id: string; field: string }) => {
      return `${id} ${field}`;
    });
    assert.deepEqual(fields, [`${old.id} displayName`, 'a3 ']);
    const lines = startMirror(tenant, dataDir, ['--verify', '--sample', 'all']);
    assert.equal(await lines.ended, 1);
    assert.match(lines.out(), /identities \w+ displayName: here "Planted", there "[^"]+"\n/);
    assert.match(lines.out(), /roles: \d+ here ≠ \d+ there/);
  });

  test('copies what the increments missed with a sweep, and everything with --full', async () => {
    const swept = await run('--sweep-every', '0s');
    assert.deepEqual([swept.code, swept.counts.created, swept.counts.updated], [0, 1, 0]);
    const full = await run('--full');
    assert.deepEqual([full.code, full.counts.updated], [0, 1]);
    assert.equal((await run('--verify', '--sample', 'all')).equal, true);
    await assertSame();
  });

  test('shows its age, counts and runs with --status, without the remote tenant', async () => {
    const { args } = mirrorOf(tenant, dataDir, ['--status']);
    const status = commandLine([...args], {});
    assert.equal(await status.ended, 0, status.err());
    const out = status.out();
    assert.match(out, /mirrors http:\/\/127\.0\.0\.1:\d+\/: \d+s old/);
    assert.match(out, /\n {2}identities: 1\d\d here, 1\d\d there; swept /);
    assert.match(
      out,
      /\n {2}run of .*: complete, [\d,]+ created, [\d,]+ updated, [\d,]+ deleted\n/,
    );
    assert.match(out, /\n {2}note: .*deleted in the remote tenant/);
  });

  test('copies the auth users, and sends no more requests than the rate', async () => {
    await tenant.forgetRequests();
    const report = await mirrored(tenant, dataDir, [...RATE, '--auth-users', 'all']);
    assert.deepEqual([report.code, report.counts.refused], [0, 0]);
    assert.ok(report.counts.created > 0);
    const times = (await tenant.requests()).map(({ at }) => Date.parse(at));
    assert.ok(times.length > 120, String(times.length));
    for (const [i, time] of times.entries()) {
      const inWindow = times.slice(i).filter((other) => other < time + 2_000).length;
      // Requests are as late at the other side as the machine is busy.
      assert.ok(inWindow <= 99, String(inWindow));
    }
    const tokens = (await tenant.requests()).filter(({ path }) => path === '/oauth/token');
    assert.equal(tokens.length, 1);
    const verified = await run('--verify');
    assert.deepEqual([verified.code, verified.equal], [0, true]);
    const users = verified.parts.find(({ part }: { part: string }) => part === 'auth-users');
    assert.ok(users.here > 0 && users.compared > 0);
    await tenant.forgetRequests();
    assert.equal((await run('--verify', '--sample', 'all')).equal, true);
    const compared = (await tenant.requests())
      .filter(({ path, status }) => path.includes('/auth-users/') && status === 200)
      .map(({ path }) => path);
    assert.equal(compared.length, users.here);
    assert.equal(new Set(compared).size, users.here, 'each is asked for once');
  });

  test('writes no secret to the data directory, and none to its output', async () => {
    const { clientSecret } = tenant.credentials;
    assertNowhere(dataDir, clientSecret);
    const wrong = startMirror(
      { ...tenant, credentials: { ...tenant.credentials, clientSecret: 'wrong-secret' } },
      dataDir,
    );
    assert.equal(await wrong.ended, 1);
    assert.match(wrong.err(), /oauth\/token answered 401/);
    assert.doesNotMatch(wrong.err() + wrong.out(), /wrong-secret/);
  });
});

/** For tests that are not about rates. */
const AT_ONCE = ['--rate', 'off'];

describe('a mirror of a tenant that is served', () => {
  test('keeps running with --watch until a signal, while a server makes it searchable', async () => {
    const dataDir = join(directory, 'watch');
    const tenant = await server.createTenant({ identities: 10, seed: 9 });
    assert.equal((await mirrored(tenant, dataDir, AT_ONCE)).code, 0);
    const here = await serveMirror(dataDir, tenant.credentials.tenant);
    try {
      const flags = [...AT_ONCE, '--watch', '1s', '--sweep-every', '0s', '--json'];
      const watch = startMirror(tenant, dataDir, flags);
      await tenant.seed([changed('w1', 1)]);
      const client = new TestClient(here);
      await eventually(async () => assert.deepEqual(await client.ids('roles', 'id:w1'), ['w1']));
      const second = startMirror(tenant, dataDir);
      assert.equal(await second.ended, 2);
      assert.match(second.err(), /Another process mirrors /);
      await eventually(() => assert.ok(watch.out().trimEnd().split('\n').length >= 2));
      watch.interrupt();
      assert.equal(await watch.ended, 0, watch.err());
      await eventually(async () => assertSameDocuments(here, tenant));
    } finally {
      await here.close();
    }
  });

  test('keeps watching while another process holds the database for too long', async () => {
    const dataDir = join(directory, 'busy');
    const tenant = await server.createTenant({ identities: 3, seed: 9 });
    assert.equal((await mirrored(tenant, dataDir, AT_ONCE)).code, 0);
    const { args, env } = mirrorOf(tenant, dataDir, [...AT_ONCE, '--watch', '1s', '--json']);
    const watch = commandLine(args, { env: { ...env, CARDEA_STORE_WAIT_MS: '2000' } });
    await eventually(() => assert.match(watch.out(), /complete/));
    const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
    connection.exec('begin immediate');
    await eventually(() => assert.match(watch.err(), /error: .*/));
    connection.exec('rollback');
    connection.close();
    const runs = watch.out().length;
    await eventually(() => assert.match(watch.out().slice(runs), /complete/));
    watch.interrupt();
    assert.equal(await watch.ended, 0, watch.err());
  });

  test('stops after the page it is at, and the next run continues there', async () => {
    const dataDir = join(directory, 'stop');
    const tenant = await server.createTenant({ identities: 60, seed: 2 });
    await tenant.faults.set([{ match: { path: '/v2024/search' }, then: { delayMs: 1_000 } }]);
    const stopped = startMirror(tenant, dataDir, AT_ONCE);
    await eventually(() => assert.ok(readdirSync(dataDir).includes('mirror-locks')));
    stopped.interrupt();
    assert.equal(await stopped.ended, 130, stopped.err());
    await tenant.faults.clear();
    const report = await mirrored(tenant, dataDir, AT_ONCE);
    assert.deepEqual([report.code, report.outcome], [0, 'complete']);
    const here = await serveMirror(dataDir, tenant.credentials.tenant);
    try {
      await assertSameDocuments(here, tenant);
    } finally {
      await here.close();
    }
  });
});

describe('a mirror refuses', () => {
  test('a tenant that has data of its own, and one that mirrors another', async () => {
    const tenant = await server.createTenant({ identities: 3 });
    const other = await server.createTenant({ identities: 3 });
    const dataDir = join(directory, 'own');
    const own = commandLine(['tenant', 'create', 'own', '--data-dir', dataDir], {});
    assert.equal(await own.ended, 0, own.err());
    const taken = startMirror(tenant, dataDir, ['--name', 'own']);
    assert.equal(await taken.ended, 1);
    assert.match(taken.err(), /Tenant own exists and is no mirror: choose another name/);
    assert.equal((await mirrored(tenant, dataDir, [...AT_ONCE, '--name', 'copy'])).code, 0);
    // The address is the same, so another path makes it another tenant.
    const elsewhere = { ...other, baseUrl: `${other.baseUrl}/other` };
    const foreign = startMirror(elsewhere, dataDir, ['--name', 'copy']);
    assert.equal(await foreign.ended, 1);
    assert.match(foreign.err(), /Tenant copy mirrors http.*choose another name/);
  });

  test('to delete most of an index, unless that is allowed', async () => {
    const tenant = await server.createTenant({ identities: 0 });
    const dataDir = join(directory, 'shrink');
    const empty = await tenant.snapshot();
    await tenant.seed(Array.from({ length: 120 }, (_, i) => changed(`s${i}`, i)));
    const client = new TestClient(tenant);
    await eventually(async () => assert.equal((await client.ids('roles', '*')).length, 120));
    assert.equal((await mirrored(tenant, dataDir, AT_ONCE)).counts.created, 120);
    await tenant.restore(empty);
    await eventually(async () => assert.equal((await client.ids('roles', '*')).length, 0));
    const refused = await mirrored(tenant, dataDir, [...AT_ONCE, '--sweep-every', '0s']);
    assert.deepEqual([refused.code, refused.counts.deleted], [1, 0]);
    assert.match(refused.faults.join(), /roles: the remote tenant shows 0 of 120/);
    const flags = [...AT_ONCE, '--sweep-every', '0s', '--allow-shrinking'];
    const allowed = await mirrored(tenant, dataDir, flags);
    assert.deepEqual([allowed.code, allowed.counts.deleted], [0, 120], allowed.err);
  });

  test('private addresses and http, unless a setting allows them', async () => {
    const tenant = await server.createTenant({ identities: 0 });
    const { args, env } = mirrorOf(tenant, join(directory, 'private'));
    for (const [address, reason] of [
      [tenant.baseUrl, /only https is fetched\. CARDEA_ALLOW_PRIVATE_URLS=on allows/],
      ['https://127.0.0.1:1', /the address is not public/],
      ['https://169.254.169.254', /the address is not public/],
    ] as const) {
      const line = commandLine([...args, '--from', address, '--rate', 'off'], {
        env: { ...env, CARDEA_ALLOW_PRIVATE_URLS: 'off' },
      });
      assert.equal(await line.ended, 1);
      assert.match(line.err(), reason);
    }
  });

  const USAGE: readonly (readonly [name: string, args: readonly string[], fault: RegExp])[] = [
    ['no source', ['--client-id', 'a', '--client-secret', 'b'], /--from is missing/],
    ['no credentials', ['--from', 'https://a.example'], /SAIL_CLIENT_ID is not set/],
    ['a source that is no URL', ['--from', 'acme'], /--from must be a URL/],
    ['a secret in the URL', ['--from', 'https://a:b@c.example'], /without user, password/],
    ['no interval', ['--watch', 'often'], /--watch must be a duration/],
    ['no pause', ['--watch', '0s'], /--watch must be from 1s to 24d/],
    ['a pause that no timer holds', ['--watch', '25d'], /--watch must be from 1s to 24d/],
    ['no rate', ['--rate', '0/0'], /--rate must be off, or a rate/],
    ['status and verify', ['--status', '--verify'], /cannot be combined/],
    ['a sample alone', ['--sample', '5'], /--sample needs --verify/],
    [
      'profiles without a key',
      [...['--from', 'https://a.example', '--client-id', 'a', '--client-secret', 'b']].concat([
        ...['--profiles-from', 'https://b.example'],
      ]),
      /--profiles-from needs the key/,
    ],
  ];
  for (const [name, args, fault] of USAGE) {
    test(`a command line with ${name}`, async () => {
      const line = commandLine(['mirror', ...args, '--data-dir', join(directory, 'usage')], {});
      assert.equal(await line.ended, 2, line.err());
      assert.match(line.err(), fault);
    });
  }

  test('--status without a mirror', async () => {
    const line = commandLine(['mirror', '--status', '--data-dir', join(directory, 'none')], {});
    assert.equal(await line.ended, 2);
    assert.match(line.err(), /There is no data in .*none/);
  });
});
