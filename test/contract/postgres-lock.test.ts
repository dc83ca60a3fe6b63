// suite: slow
// The lock of the node that feeds a shared search: one live holder at a time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { PostgresLock, type PostgresLockOptions } from '../../src/store/postgres/postgres-lock.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
after(() => postgres.stop());

async function lockOf(name: string, options: Partial<PostgresLockOptions> = {}) {
  const url = await postgres.database(name);
  const times = { waitMs: 20_000, statementMs: 20_000, beatMs: 10 };
  return new PostgresLock({ url, ...times, ...options });
}

const forAWhile = () => AbortSignal.timeout(120_000);

async function taken(lock: PostgresLock) {
  const hold = await lock.acquire(forAWhile());
  assert.ok(hold !== null);
  return hold;
}

test('has one holder at a time, and the next one after a release', async () => {
  const first = await taken(await lockOf('release'));
  const second = await lockOf('release');
  assert.equal(await second.acquire(AbortSignal.timeout(200)), null);
  const waiting = taken(second);
  await first.release();
  await first.lost;
  await (await waiting).release();
});

test('notifies a holder whose connection is cut, and frees the lock', async () => {
  const first = await taken(await lockOf('cut'));
  const waiting = taken(await lockOf('cut'));
  const client = new Client({ connectionString: await postgres.database('cut') });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
  await client.end();
  await first.lost;
  await (await waiting).release();
});

test('takes the lock from a holder that is silent for too long', async () => {
  const first = await taken(await lockOf('silent', { beatMs: 60_000, silenceMs: 300 }));
  const second = await taken(await lockOf('silent'));
  await first.lost;
  await second.release();
});

test('is lost when the server restarts, and can be acquired again', async () => {
  const lock = await lockOf('restart');
  const first = await taken(lock);
  await postgres.kill();
  await first.lost;
  const waiting = taken(lock);
  await postgres.restart();
  await (await waiting).release();
});

test('locks of different purposes exclude each other in no way', async () => {
  const purposes = [{ feederOf: 0 }, { feederOf: 1 }, { mirrorOf: 'a' }, { mirrorOf: 'b' }];
  const holds = await Promise.all(
    purposes.map(async (purpose) => taken(await lockOf('names', { purpose }))),
  );
  const other = await lockOf('names', { purpose: { feederOf: 1 } });
  assert.equal(await other.acquire(AbortSignal.timeout(200)), null);
  for (const hold of holds) await hold.release();
});
