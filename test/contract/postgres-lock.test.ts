// The lock of whoever feeds a shared search: one holder at a time, and none that is gone.
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

const forAWhile = () => AbortSignal.timeout(30_000);

async function taken(lock: PostgresLock) {
  const hold = await lock.acquire(forAWhile());
  assert.ok(hold !== null);
  return hold;
}

test('it is had by one at a time, and by the next when it is released', async () => {
  const first = await taken(await lockOf('release'));
  const second = await lockOf('release');
  assert.equal(await second.acquire(AbortSignal.timeout(200)), null);
  const waiting = taken(second);
  await first.release();
  await first.lost;
  await (await waiting).release();
});

test('of a holder whose connection is cut both sides know', async () => {
  const first = await taken(await lockOf('cut'));
  const waiting = taken(await lockOf('cut'));
  const client = new Client({ connectionString: await postgres.database('cut') });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
  await client.end();
  await first.lost;
  await (await waiting).release();
});

test('a holder that is silent for too long has it no more', async () => {
  const first = await taken(await lockOf('silent', { beatMs: 60_000, silenceMs: 300 }));
  const second = await taken(await lockOf('silent'));
  await first.lost;
  await second.release();
});

test('it survives no restart of the server, and is had again after it', async () => {
  const lock = await lockOf('restart');
  const first = await taken(lock);
  await postgres.kill();
  await first.lost;
  const waiting = taken(lock);
  await postgres.restart();
  await (await waiting).release();
});
