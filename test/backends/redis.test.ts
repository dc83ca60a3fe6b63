// Counting in a real Redis: the contract of counters, nodes that count together, and a Redis that goes and comes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '@redis/client';
import { pino } from 'pino';
import { systemClock } from '../../src/auth/clock.ts';
import { LocalCounter, type WindowRules } from '../../src/auth/window-counter.ts';
import { SharedCounts } from '../../src/backends/redis/shared-counts.ts';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { windowCounterContract } from '../contract/window-counter.ts';
import { addUser, tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';
import { startPostgres } from '../support/postgres.ts';
import { startRedis } from '../support/redis.ts';
import { startService } from '../support/service.ts';

const redis = await startRedis();
const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'cardea-redis-'));
after(async () => {
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Counts that must come from Redis: the count of this process would give itself away. */
const wrong = (rules: WindowRules) => {
  const local = new LocalCounter(systemClock, rules);
  for (const key of ['a', 'client']) for (let n = 0; n < 1_000; n++) local.add(key);
  return local;
};

/** Waits for Redis as long as a busy machine needs: a count of this process would be wrong. */
const patientCounts = () =>
  new SharedCounts(redis.url, pino({ level: 'silent' }), performance, 30_000);

windowCounterContract('in Redis', async () => {
  const counts = patientCounts();
  await counts.open();
  return {
    counter: (name, rules) => counts.counter(name, rules, wrong(rules)),
    close: async () => counts.close(),
  };
});

test('what a clock that was set back would keep for too long begins anew', async () => {
  const counts = patientCounts();
  await counts.open();
  const hour = { windowMs: 3_600_000, start: 'first' } as const;
  const minute = { windowMs: 60_000, start: 'first' } as const;
  await counts.counter('back', hour, wrong(hour)).add('x');
  const { count, leftMs } = await counts.counter('back', minute, wrong(minute)).add('x');
  assert.equal(count, 1);
  assert.ok(leftMs <= 60_000);
  counts.close();
});

const LONG = '900000';

/** Nodes of one service; the first one's tenant and credentials open all. */
async function startNodes(settings: Record<string, string>) {
  const shared = {
    CARDEA_STORE_URL: await postgres.database(`nodes${Math.random().toString(36).slice(2)}`),
    CARDEA_REDIS_URL: redis.url,
    ...settings,
  };
  const first = await startService(shared);
  const urls = [first.url];
  const others: Cardea[] = [];
  for (const name of ['b', 'c']) {
    const dataDir = mkdtempSync(join(folder, name));
    const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, ...shared });
    const node = await compose(config, { log: pino({ level: 'silent' }) });
    others.push(node);
    urls.push((await node.start()).url);
  }
  return {
    first,
    urls,
    async stop() {
      for (const node of others) await node.stop();
      await first.stop();
    },
  };
}

test('three nodes let exactly so many requests of a client pass together, over all versions', async () => {
  const nodes = await startNodes({ CARDEA_RATE_LIMIT: `50/${LONG}` });
  try {
    let authorization = `Bearer ${await nodes.first.token()}`;
    const ask = (n: number, version: string) =>
      fetch(`${nodes.urls[n % 3]}/${version}/auth-users/${nodes.first.adminId}`, {
        headers: { authorization },
      });
    // A node that is new counts by itself if Redis seems slow, so each counts for another client first.
    const other = await tokenOf(nodes.first.url, await addUser(nodes.first, {}));
    for (let n = 0; n < 12; n++) {
      const headers = { authorization: `Bearer ${other}` };
      const path = `/v3/auth-users/${nodes.first.adminId}`;
      await fetch(`${nodes.urls[n % 3]}${path}`, { headers });
    }
    const versions = ['v3', 'v2024'];
    let answers: Response[] = [];
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    // While Redis is slow on a busy machine, each node counts by itself: then another client asks.
    for (let tries = 0; tries === 0 || (count(200) > 50 && tries < 20); tries++) {
      if (tries > 0) {
        const user = await addUser(nodes.first, { capabilities: ['ORG_ADMIN'] });
        authorization = `Bearer ${await tokenOf(nodes.first.url, user)}`;
      }
      answers = await Promise.all(
        Array.from({ length: 150 }, (_, n) => ask(n, versions[n % 2] ?? '')),
      );
    }
    assert.deepEqual([count(200), count(429)], [50, 100]);
    const refused = answers.find(({ status }) => status === 429);
    assert.match(String(refused?.headers.get('retry-after')), /^[1-9]\d*$/);
    assert.deepEqual(await refused?.json(), { message: 'Rate Limit Exceeded' });
    assert.equal((await ask(1, 'v2026')).status, 429);
  } finally {
    await nodes.stop();
  }
});

test('three nodes let exactly so many requests without a valid token of an address pass together', async () => {
  const nodes = await startNodes({ CARDEA_RATE_LIMIT: `30/${LONG}` });
  try {
    const token = await nodes.first.token();
    const tries = [undefined, 'Bearer garbage', `Bearer ${token.slice(0, -4)}AAAA`];
    const ask = (n: number) => {
      const authorization = tries[n % tries.length];
      const headers = authorization === undefined ? {} : { authorization };
      return fetch(`${nodes.urls[n % 3]}/v3/auth-users/${nodes.first.adminId}`, { headers });
    };
    const answers = await Promise.all(Array.from({ length: 90 }, (_, n) => ask(n)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 60);
    const refused = answers.find(({ status }) => status === 429);
    assert.match(String(refused?.headers.get('retry-after')), /^[1-9]\d*$/);
    for (const url of nodes.urls) {
      const path = `/v3/auth-users/${nodes.first.adminId}`;
      const valid = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(valid.status, 200);
      assert.equal((await fetch(`${url}/ready`)).status, 200);
    }
  } finally {
    await nodes.stop();
  }
});

test('who guesses at one node is told to wait by all of them', async () => {
  const nodes = await startNodes({ CARDEA_TOKEN_ATTEMPTS: `6/${LONG}` });
  try {
    const ask = (url: string | undefined, secret: string) =>
      fetch(`${url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: nodes.first.clientId,
          client_secret: secret,
        }),
      });
    for (let n = 0; n < 6; n++) assert.equal((await ask(nodes.urls[n % 3], 'wrong')).status, 401);
    for (const url of nodes.urls) {
      const answer = await ask(url, 'wrong');
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers.get('retry-after')) > 1);
      assert.equal((await ask(url, nodes.first.clientSecret)).status, 200, 'a right one is taken');
    }
  } finally {
    await nodes.stop();
  }
});

const faults = [
  ['killed', () => redis.kill(), () => redis.restart()],
  ['held, so that it takes commands and answers none', () => redis.suspend(), () => redis.resume()],
] as const;

for (const [what, goAway, comeBack] of faults) {
  test(`${what}: requests go on by the node's own count, and by the shared one afterwards`, async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const service = await startService({
      ...{ CARDEA_REDIS_URL: redis.url, CARDEA_RATE_LIMIT: `40/${LONG}` },
      CARDEA_STORE_URL: await postgres.database(`away${what.length}`),
    });
    const config = parseConfig({
      ...{ CARDEA_PORT: '0', CARDEA_RATE_LIMIT: `40/${LONG}`, CARDEA_REDIS_URL: redis.url },
      CARDEA_METRICS: 'on',
      CARDEA_DATA_DIR: mkdtempSync(join(folder, 'd')),
      CARDEA_STORE_URL: await postgres.database(`away${what.length}`),
    });
    const node = await compose(config, { log });
    const { url } = await node.start();
    const headers = { authorization: `Bearer ${await service.token()}` };
    const ask = async (at: string) =>
      (await fetch(`${at}/v3/auth-users/${service.adminId}`, { headers })).status;
    const ready = async () => (await fetch(`${url}/ready`)).json() as Promise<object>;
    const connected = async () => {
      const figures = figuresOf(await (await fetch(`${url}/metrics`)).text());
      return figures.value('cardea_redis_connected', { use: 'counts' });
    };
    const countOf = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    try {
      for (let n = 0; n < 10; n++) assert.equal(await ask(url), 200);
      const soon = Date.now() + 180_000;
      while ('reasons' in (await ready())) assert.ok(Date.now() < soon, 'it never became ready');
      assert.deepEqual(await ready(), { status: 'ready' });

      await goAway();
      // It has counted along: of its 40, ten are used.
      for (let n = 0; n < 30; n++) assert.equal(await ask(url), 200);
      assert.equal(await ask(url), 429);
      await eventually(async () =>
        assert.match(JSON.stringify(await ready()), /"ready","warnings":\["Redis does not answer/),
      );
      assert.equal(countOf(/Redis does not answer/), 1, lines.join(''));
      assert.equal(await connected(), 0);

      await comeBack();
      const deadline = Date.now() + 180_000;
      while ('warnings' in (await ready())) assert.ok(Date.now() < deadline, 'it never came back');
      assert.equal(countOf(/Redis answers again/), 1);
      assert.equal(await connected(), 1);
      // A Redis that was restarted begins at nothing, one that was held goes on; both nodes see the same.
      let passed = 0;
      while ((await ask(passed % 2 === 0 ? url : service.url)) === 200) {
        passed += 1;
        assert.ok(passed <= 40);
      }
      assert.ok(passed >= 20, `${passed} passed`);
      assert.equal(await ask(url), 429);
      assert.equal(await ask(service.url), 429);
      assert.ok(!lines.some((line) => line.includes(redis.url)));
    } finally {
      redis.resume();
      await node.stop();
      await service.stop();
    }
  });
}

for (const [what, goAway, comeBack] of faults) {
  test(`${what}: a node that counts nothing notices it within 10 s, and its return`, async () => {
    const node = await startService({ CARDEA_REDIS_URL: redis.url, CARDEA_METRICS: 'on' });
    // Without a rate limit only wrong secrets are counted, and nothing asks for a token.
    const connected = async () => {
      const figures = figuresOf(await (await fetch(`${node.url}/metrics`)).text());
      return figures.value('cardea_redis_connected', { use: 'counts' });
    };
    const becomes = async (value: number, withinMs: number) => {
      const deadline = Date.now() + withinMs;
      while ((await connected()) !== value) assert.ok(Date.now() < deadline, `never ${value}`);
    };
    const ready = async () => (await fetch(`${node.url}/ready`)).text();
    try {
      await becomes(1, 60_000);
      await goAway();
      // A busy machine gets more than what the product promises.
      await becomes(0, 30_000);
      assert.match(await ready(), /"ready","warnings":\["Redis does not answer/);
      await comeBack();
      await becomes(1, 60_000);
      await eventually(async () => assert.doesNotMatch(await ready(), /Redis/));
    } finally {
      redis.resume();
      await node.stop();
    }
  });
}

const MINUTES = { windowMs: 900_000, start: 'first' } as const;

test('a Redis that has become a replica is left for the one behind the same address', async () => {
  const [former, next] = [await startRedis(), await startRedis()];
  let port = new URL(former.url).port;
  let now = 0;
  const sockets = new Set<Socket>();
  const address = createServer((socket) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const end of [socket, upstream]) sockets.add(end.on('error', () => {}));
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  const url = `redis://127.0.0.1:${(address.address() as AddressInfo).port}`;
  const counts = new SharedCounts(url, pino({ level: 'silent' }), { now: () => now }, 30_000);
  const admin = createClient({ url: former.url });
  try {
    await counts.open();
    const counter = counts.counter('failover', MINUTES, wrong(MINUTES));
    assert.equal((await counter.add('a')).count, 1);
    await admin.connect();
    await admin.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    assert.equal((await counter.add('a')).count, 1_002);
    // The new connection leads to the replica, too, which answers, but does not count.
    await eventually(async () => {
      const list = String(await admin.sendCommand(['CLIENT', 'LIST']));
      assert.equal(list.trim().split('\n').length, 2, list);
    });
    now += 2_000;
    await counts.probe();
    assert.equal(counts.connected, false);
    port = new URL(next.url).port;
    await eventually(async () => {
      now += 2_000;
      await counts.probe();
      assert.ok(counts.connected);
    });
    assert.equal((await counter.add('a')).count, 1);
  } finally {
    admin.destroy();
    counts.close();
    for (const socket of sockets) socket.destroy();
    address.close();
    await former.stop();
    await next.stop();
  }
});

test('counts that a held Redis did not answer are not added when it goes on', async () => {
  let now = 0;
  const counts = new SharedCounts(redis.url, pino({ level: 'silent' }), { now: () => now });
  const patient = patientCounts();
  try {
    await counts.open();
    const counter = counts.counter('held', MINUTES, wrong(MINUTES));
    await counter.add('client');
    redis.suspend();
    for (let n = 0; n < 10; n += 1) {
      await counter.add('client');
      now += 2_000;
    }
    redis.resume();
    await eventually(async () => {
      now += 2_000;
      await counts.probe();
      assert.ok(counts.connected);
    });
    await patient.open();
    const { count } = await patient.counter('held', MINUTES, wrong(MINUTES)).read('client');
    assert.ok(count <= 2, `${count} were counted`);
  } finally {
    redis.resume();
    counts.close();
    patient.close();
  }
});

test('a Redis that is away holds up no start', async () => {
  const config = parseConfig({
    ...{ CARDEA_PORT: '0', CARDEA_REDIS_URL: 'redis://:word-of-redis@127.0.0.1:1' },
    CARDEA_DATA_DIR: mkdtempSync(join(folder, 'e')),
  });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const node = await compose(config, { log });
  const { url } = await node.start();
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  await node.stop();
  assert.ok(lines.some((line) => line.includes('Redis does not answer')));
  assert.deepEqual(
    lines.filter((line) => line.includes('word-of-redis')),
    [],
  );
});
