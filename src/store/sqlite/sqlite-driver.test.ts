import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isBusy, openConnection } from './sqlite-driver.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-driver-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const open = (name: string) => openConnection(join(directory, name), 5);
const unavailable = (message: RegExp, details: object = { retryAfterSeconds: 1 }) => ({
  ...{ name: 'ServiceError', code: 'unavailable', message },
  details,
});

test('reads text, numbers, blobs and null as they were written', async () => {
  const connection = await open('values.db');
  connection.exec('create table v (t text, n integer, d real, b blob, z text)');
  const blob = new Uint8Array([0, 255, 7]);
  const insert = 'insert into v values (?, ?, ?, ?, ?)';
  assert.equal(connection.run(insert, ['ünï', 2 ** 53 - 1, 0.5, blob, null]), 1);
  const [row] = connection.all('select * from v', []);
  assert.deepEqual({ ...row }, { t: 'ünï', n: 2 ** 53 - 1, d: 0.5, b: blob, z: null });
  assert.equal(connection.get('select * from v where n = ?', [1]), undefined);
  connection.close();
});

test('a full database, a read-only one and a locked one are unavailable', async () => {
  const connection = await open('faults.db');
  connection.exec('create table v (b blob)');
  connection.exec('pragma max_page_count = 4');
  const large = new Uint8Array(100_000);
  assert.throws(
    () => connection.run('insert into v values (?)', [large]),
    unavailable(/disk is full/),
  );
  connection.exec('pragma query_only = 1');
  assert.throws(() => connection.run('delete from v', []), unavailable(/read-only/));
  connection.exec('pragma query_only = 0');

  const other = await open('faults.db');
  other.exec('begin immediate');
  assert.throws(
    () => connection.exec('begin immediate'),
    (error) => isBusy(error),
  );
  other.close();
  connection.exec('begin immediate');
  connection.close();
});

test('a file that is no database, or cannot be opened, is unavailable', async () => {
  writeFileSync(join(directory, 'text.db'), 'this is no database, it is only text'.repeat(100));
  const connection = await open('text.db');
  assert.throws(
    () => connection.get('select * from sqlite_schema', []),
    // Trying again does not help, which servers and commands at their start go by.
    unavailable(/not a database/, {}),
  );
  connection.close();
  await assert.rejects(open('missing/x.db'), unavailable(/cannot be opened/));
});

test('a constraint violation is not a fault of the database', async () => {
  const connection = await open('constraint.db');
  connection.exec('create table v (a integer primary key)');
  connection.run('insert into v values (1)', []);
  assert.throws(
    () => connection.run('insert into v values (1)', []),
    (error) => !isBusy(error) && /UNIQUE constraint failed/.test(String(error)),
  );
  connection.close();
});

test('a transaction lasts until its end, or until SQLite ends it by itself', async () => {
  const connection = await open('transaction.db');
  connection.exec('create table v (a integer primary key)');
  assert.equal(connection.isInTransaction(), false);
  connection.exec('begin immediate');
  connection.run('insert into v values (1)', []);
  assert.throws(() => connection.run('insert into v values (1)', []));
  assert.equal(connection.isInTransaction(), true);
  assert.throws(() => connection.run('insert or rollback into v values (1)', []));
  assert.equal(connection.isInTransaction(), false);
  connection.rollBack();
  assert.deepEqual(connection.all('select * from v', []), []);
  connection.close();
});

test('a closed connection is unavailable and may be closed again', async () => {
  const connection = await open('closed.db');
  connection.close();
  connection.close();
  assert.throws(() => connection.exec('select 1'), { code: 'unavailable' });
});

test('a connection that only reads changes nothing and makes no file', async () => {
  const writer = await open('read.db');
  writer.exec('create table v (t text)');
  writer.close();
  const reader = await openConnection(join(directory, 'read.db'), 5, 'read');
  assert.throws(() => reader.exec('drop table v'), unavailable(/read-only/));
  reader.close();
  const missing = openConnection(join(directory, 'missing.db'), 5, 'read');
  await assert.rejects(missing, unavailable(/cannot be opened/));
  assert.ok(!existsSync(join(directory, 'missing.db')));
});
