// suite: slow
// Faults of PostgreSQL: a server that is killed, restarted, suspended or out of connections, and a
// lost response to COMMIT. The store reports `unavailable`, and applies nothing twice.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { Client } from 'pg';
import type { Store } from '../../src/service/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { startPostgres } from '../support/postgres.ts';

const UNAVAILABLE = { name: 'ServiceError', code: 'unavailable' };
/** Writes that wait share a transaction, however slow the machine is. */
const TIMES = { poolSize: 2, waitMs: 20_000, statementMs: 20_000, joinMs: 20_000 };
const postgres = await startPostgres();
const closers: (() => Promise<unknown>)[] = [() => postgres.stop()];
after(async () => {
  for (const close of closers.reverse()) await close();
});

async function open(url: string, times: Partial<typeof TIMES> = {}): Promise<Store> {
  const store = await openPostgresStore({ url, ...TIMES, ...times });
  closers.push(() => store.close());
  return store;
}

const document = (id: string) => ({
  ...({ index: 'identities', id, nested: new Uint8Array(0) } as const),
  root: new TextEncoder().encode(JSON.stringify({ id })),
});
const put = (store: Store, ...ids: string[]) =>
  store.write((records) => records.putDocuments('t', ids.map(document)));
const idsIn = async (store: Store) =>
  (await store.read.changesAfter(0, 10_000)).map(({ id }) => id).sort();

test('refuses a database that is missing, in another encoding or not answering', async () => {
  const url = await postgres.database('faults');
  const missing = url.replace('/faults', '/nowhere');
  const latin = await postgres.database('latin');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('drop database latin');
  await client.query(
    "create database latin encoding 'LATIN1' locale_provider libc template template0",
  );
  await client.end();
  const opening = (address: string) => openPostgresStore({ url: address, ...TIMES });
  await assert.rejects(opening(missing), { ...UNAVAILABLE, message: /no such database/ });
  await assert.rejects(opening(latin), { ...UNAVAILABLE, message: /LATIN1; it must be in UTF8/ });
  await postgres.kill();
  await assert.rejects(opening(url), (error: Error) => {
    assert.equal((error as { code?: string }).code, 'unavailable');
    assert.doesNotMatch(error.message, /postgres:/);
    return true;
  });
  await postgres.restart();
});

test('recovers by itself when the server restarts', async () => {
  const store = await open(await postgres.database('restart'));
  await put(store, 'a');
  await postgres.kill();
  await assert.rejects(store.read.lastSequence(), {
    ...UNAVAILABLE,
    details: { retryAfterSeconds: 1 },
  });
  await assert.rejects(put(store, 'b'), UNAVAILABLE);
  await assert.rejects(store.ping(), UNAVAILABLE);
  await postgres.restart();
  await store.ping();
  await put(store, 'c');
  assert.deepEqual(await idsIn(store), ['a', 'c']);
});

test('rolls back a transaction whose server is killed, and does not retry it', async () => {
  const store = await open(await postgres.database('transaction'));
  let runs = 0;
  const writing = store.write(async (records) => {
    runs++;
    await records.putDocuments('t', [document('a')]);
    await postgres.kill();
    await postgres.restart();
    await records.putDocuments('t', [document('b')]);
  });
  await assert.rejects(writing, UNAVAILABLE);
  assert.equal(runs, 1);
  assert.deepEqual(await idsIn(store), []);
  await put(store, 'a');
  assert.equal(await store.read.lastSequence(), 1);
});

test('keeps all acknowledged writes, and none in part, when the server is killed repeatedly', async () => {
  const url = await postgres.database('killed');
  const stores = [await open(url), await open(url)];
  const acknowledged: string[] = [];
  let running = true;
  const writers = stores.map(async (store, s) => {
    for (let i = 0; running; i++) {
      const id = `${s}-${i}`;
      try {
        await put(store, `${id}-a`, `${id}-b`);
        acknowledged.push(`${id}-a`, `${id}-b`);
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, 'unavailable', String(error));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  });
  for (let round = 0; round < 5; round++) {
    const before = acknowledged.length;
    const deadline = Date.now() + 120_000;
    while (acknowledged.length < before + 40 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await postgres.restart();
  }
  running = false;
  await Promise.all(writers);
  const ids = await idsIn(stores[0] as Store);
  const there = new Set(ids);
  assert.equal(there.size, ids.length);
  for (const id of acknowledged) assert.ok(there.has(id), `${id} was acknowledged and is lost`);
  for (const id of ids) assert.ok(there.has(id.replace(/.$/, id.endsWith('a') ? 'b' : 'a')));
  const store = stores[0] as Store;
  assert.equal((await store.read.documentCounts('t')).identities, ids.length);
  assert.equal(await store.read.lastSequence(), ids.length);
  assert.ok(acknowledged.length >= 200);
});

test('reports unavailable after a wait without free connections, and reserves one for writes', async () => {
  const url = await postgres.database('pool');
  const store = await open(url, { poolSize: 1, waitMs: 4_000 });
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('begin; lock table tenant in access exclusive mode');
  const stuck = assert.rejects(store.read.tenants(), { ...UNAVAILABLE, message: /locked/ });
  await assert.rejects(store.read.documentCounts('t'), UNAVAILABLE);
  // What every request reads first has connections of its own.
  assert.equal(await store.read.userStatus('t', 'u'), null);
  await put(store, 'a');
  await stuck;
  await other.query('rollback; begin; select * from sequence_counter for update');
  await assert.rejects(put(store, 'b'), { ...UNAVAILABLE, message: /locked by another writer/ });
  await other.query('rollback');
  await other.end();
  await put(store, 'c');
  assert.deepEqual(await idsIn(store), ['a', 'c']);
  assert.deepEqual(await store.read.tenants(), []);
});

test('reports unavailable for a server that does not answer, and recovers', async () => {
  const store = await open(await postgres.database('held'), { waitMs: 6_000, statementMs: 3_000 });
  await put(store, 'a');
  postgres.suspend();
  try {
    const reads = [store.read.lastSequence(), store.read.lastSequence(), store.read.lastSequence()];
    const writes = [put(store, 'b'), put(store, 'c')];
    await Promise.all([...reads, ...writes].map((each) => assert.rejects(each, UNAVAILABLE)));
  } finally {
    postgres.resume();
  }
  await store.ping();
  await put(store, 'd');
  assert.deepEqual(await idsIn(store), ['a', 'd']);
});

test('aborts a transaction after a failed statement, even if the error is caught', async () => {
  const store = await open(await postgres.database('void'));
  const tenant = { id: 't1', name: 'acme', pod: 'p', created: '2026-01-01T00:00:00.000Z' };
  const writing = store.write(async (records) => {
    await records.addTenant(tenant);
    await records.addTenant({ ...tenant, id: 't2' }).catch(() => {});
  });
  await assert.rejects(writing, /unique/);
  assert.deepEqual(await store.read.tenants(), []);
  await store.write((records) => records.addTenant(tenant));
});

test('keeps nothing of a transaction whose last statements fail, and the next one succeeds', async () => {
  const url = await postgres.database('last_statements');
  const store = await open(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$;
     create trigger refuse before insert on document_count for each row execute function refuse()`,
  );
  const refused = ['a', 'b', 'c'].map((id) => assert.rejects(put(store, id), /refused/));
  await Promise.all(refused);
  assert.equal(await store.read.lastSequence(), 0);
  await client.query('drop trigger refuse on document_count');
  await client.end();
  await put(store, 'd');
  assert.deepEqual(await idsIn(store), ['d']);
  assert.equal(await store.read.lastSequence(), 1);
});

for (const [fault, fails] of [
  ['the first', ['a', 'b']],
  ['one in the middle', ['b', 'c']],
  ['the last', ['d']],
] as const) {
  test(`acknowledges the writes around one that the server refuses: ${fault}`, async () => {
    const store = await open(await postgres.database(`refused_${fault.replaceAll(' ', '_')}`));
    const event = (id: string) => {
      const root = new TextEncoder().encode(JSON.stringify({ id }));
      return { index: 'events', id, root, nested: new Uint8Array(0) } as const;
    };
    const append = (id: string) =>
      store.write(async (records) => {
        await records.appendAuditEvents('t', [event(id)]);
        // The same id twice.
        if ((fails as readonly string[]).includes(id)) {
          await records.appendAuditEvents('t', [event(id)]);
        }
      });
    const ids = ['a', 'b', 'c', 'd'];
    // They wait while the first one begins, so one transaction takes them.
    const outcomes = await Promise.allSettled(ids.map(append));
    const kept = ids.filter((id) => !(fails as readonly string[]).includes(id));
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      ids.map((id) => kept.includes(id)),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.match(String(outcome.reason), /unique/);
    }
    await append('e');
    const chain = await store.read.auditChain('t', 0, 10);
    const all = [...kept, 'e'];
    assert.deepEqual(
      chain.map(({ id, number, sequence }) => [id, number, sequence]),
      all.map((id, at) => [id, at + 1, at + 1]),
    );
    assert.equal(chain.at(-1)?.previousHash, chain.at(-2)?.hash);
    assert.equal((await store.read.auditHead('t'))?.number, all.length);
    assert.equal((await store.read.documentCounts('t')).events, all.length);
  });
}

test('rejects a text that is too long for an index as an invalid request', async () => {
  const store = await open(await postgres.database('long'));
  const long = randomBytes(5_000).toString('hex');
  await assert.rejects(
    store.write((records) => records.revokeToken('t', { id: long, expires: 0 })),
    { name: 'ServiceError', code: 'request_invalid', message: /too long/ },
  );
  await put(store, 'a');
  assert.deepEqual(await idsIn(store), ['a']);
});

test('replaces connections that died without notice, for reads and for writes', async () => {
  const between = await silentLoss(await postgres.database('dead'));
  const store = await open(between.url);
  const { read } = store;
  await Promise.all([read.tenants(), read.tenants(), store.ping(), put(store, 'a')]);
  assert.deepEqual(
    store.pools().map((pool) => pool.open),
    [2, 1, 1],
  );
  for (let round = 0; round < 2; round++) {
    between.loseAll();
    await store.ping();
    await Promise.all([read.lastSequence(), read.tenants(), put(store, `b${round}`)]);
  }
  assert.deepEqual(await idsIn(store), ['a', 'b0', 'b1']);
  assert.equal(await store.read.lastSequence(), 3);
});

/** Forwards bytes; `loseAll` ends the server's side of all connections without telling the client. */
async function silentLoss(url: string): Promise<{ readonly url: string; loseAll(): void }> {
  const target = new URL(url);
  const port = Number(target.port);
  const upstreams = new Set<Socket>();
  const between = createServer((client) => {
    const upstream = connectSocket(port, target.hostname);
    upstreams.add(upstream);
    upstream
      .on('error', () => {})
      .pipe(
        client.on('error', () => {}),
        { end: false },
      );
    client.on('data', (bytes) => {
      if (upstream.destroyed) client.resetAndDestroy();
      else upstream.write(bytes);
    });
    client.on('close', () => upstream.destroy());
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  closers.push(async () => void between.close());
  const address = between.address();
  assert.ok(address !== null && typeof address === 'object');
  target.port = String(address.port);
  return {
    url: target.href,
    loseAll() {
      for (const upstream of upstreams) upstream.destroy();
      upstreams.clear();
    },
  };
}

interface Proxy {
  readonly url: string;
  /** Cuts the next connection that sends COMMIT. */
  arm(): void;
}

/** Forwards bytes to the server until COMMIT, which is dropped, or sent without its response. */
async function proxy(url: string, atCommit: 'unsent' | 'unanswered'): Promise<Proxy> {
  const target = new URL(url);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let armed = false;
  const between = createServer((client) => {
    const upstream = connectSocket(port, target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    let cut = false;
    upstream.on('data', (bytes) => void (cut ? client.destroy() : client.write(bytes)));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.end());
    client.on('data', (bytes) => {
      cut ||= armed && bytes.includes('commit\0');
      if (cut && atCommit === 'unsent') client.destroy();
      else upstream.write(bytes);
    });
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    between.close();
  });
  const address = between.address();
  assert.ok(address !== null && typeof address === 'object');
  target.port = String(address.port);
  return {
    url: target.href,
    arm() {
      armed = true;
    },
  };
}

for (const [atCommit, kept] of [
  ['unsent', []],
  ['unanswered', ['a']],
] as const) {
  test(`reports a COMMIT that is ${atCommit} as a failure, and does not retry it`, async () => {
    const url = await postgres.database(atCommit);
    const between = await proxy(url, atCommit);
    const store = await open(between.url);
    between.arm();
    let runs = 0;
    const writing = store.write(async (records) => {
      runs++;
      await records.putDocuments('t', [document('a')]);
    });
    await assert.rejects(writing, { ...UNAVAILABLE, message: /did not say whether/ });
    assert.equal(runs, 1);
    const direct = await open(url);
    assert.deepEqual(await idsIn(direct), kept);
    await put(direct, 'a');
    assert.equal(await direct.read.lastSequence(), 1);
  });
}
