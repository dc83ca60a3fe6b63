// suite: slow
// cardea import and its neighbours on one data directory, without and beside a server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocumentCount, demoDocuments } from '../../src/demo/documents.ts';
import { commandLine } from '../support/command-line.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-import-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
const options = { seed: 3, identities: 30, now: Date.UTC(2025, 5, 1) };

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const lines = (values: Iterable<unknown>): string =>
  [...values].map((value) => JSON.stringify(value)).join('\n');

async function json(args: readonly string[], stdin: Iterable<Uint8Array> = []) {
  const line = commandLine([...args, '--data-dir', dataDir, '--json'], { stdin });
  const code = await line.ended;
  // A slow machine has time for a line of progress.
  assert.equal(line.err().replace(/^(?:Importing|Indexing): .*\n/gm, ''), '');
  return { code, ...JSON.parse(line.out()) };
}

before(async () => {
  const made = await json(['tenant', 'create', 'acme', '--admin', 'ada']);
  assert.equal(made.code, 0);
  assert.match(made.clientSecret, /^[0-9a-f]{64}$/);
});

test('documents go in once, as lines, as an array, packed or not', async () => {
  const documents = [...demoDocuments(options)];
  const total = demoDocumentCount(options.identities);
  const first = await json(['import', file('a.ndjson', lines(documents))]);
  assert.deepEqual(
    {
      code: first.code,
      created: first.created,
      failed: first.failed,
      searchable: first.searchable,
    },
    { code: 0, created: total, failed: 0, searchable: true },
  );
  const array = await json(['import', file('a.gz', gzipSync(JSON.stringify(documents)))]);
  assert.deepEqual([array.created, array.unchanged], [0, total]);
  const piped = await json(['import', '-'], [Buffer.from(lines(documents))]);
  assert.deepEqual([piped.created, piped.unchanged], [0, total]);
});

test('auth users go in with --auth-users', async () => {
  const users = [...demoAuthUsers({ ...options, tenant: 'acme' })];
  const report = await json(['import', '--auth-users', file('u.ndjson', lines(users))]);
  assert.deepEqual([report.code, report.created, report.failed], [0, users.length, 0]);
});

test('auth users with levels that do not exist here are kept, and told by file and line', async () => {
  const users = [
    { id: 'c1', uid: 'c1', capabilities: ['HELPDESK'] },
    { id: 'c2', uid: 'c2', capabilities: ['custom-level-7'] },
  ];
  const path = file('custom.ndjson', lines(users));
  const line = commandLine(['import', '--auth-users', path, '--data-dir', dataDir]);
  assert.equal(await line.ended, 0);
  assert.match(line.out(), /^2 created, 0 updated, 0 unchanged, 0 failed\.\n$/);
  assert.match(
    line.err(),
    /custom\.ndjson:2: warning: capabilities: "custom-level-7" is not known/,
  );
  const report = await json(['import', '--auth-users', path]);
  assert.deepEqual([report.code, report.unchanged, report.warned], [0, 2, 1]);
  assert.deepEqual([report.warnings[0].file, report.warnings[0].line], [path, 2]);
});

const BAD =
  '{"_type":"role","id":"r1","name":"one"}\n{"id":\n{"_type":"what","id":"x"}\n{"_type":"role","id":"r2"}\n';

test('bad lines are told by file and line, good ones kept, and the exit code is 1', async () => {
  const path = file('bad.ndjson', BAD);
  const line = commandLine(['import', path, '--data-dir', dataDir]);
  assert.equal(await line.ended, 1);
  assert.match(line.out(), /^2 created, 0 updated, 0 unchanged, 2 failed\.\n$/);
  assert.match(line.err(), /bad\.ndjson:2: not valid JSON/);
  assert.match(line.err(), /bad\.ndjson:3: /);
});

test('a file with bad lines does not keep the next file from being imported', async () => {
  const good = file('good.ndjson', '{"_type":"role","id":"after-bad","name":"later"}\n');
  const bad = file('bad-first.ndjson', '{"id":\n');
  const report = await json(['import', bad, good]);
  assert.deepEqual([report.code, report.created, report.failed], [1, 1, 1]);
  const never = file('never.ndjson', '{"_type":"role","id":"never"}\n');
  const strict = await json(['import', '--strict', bad, never]);
  assert.deepEqual([strict.code, strict.created, strict.failed], [1, 0, 1]);
});

test('--strict stops at the first bad line', async () => {
  const report = await json([
    'import',
    '--strict',
    file('strict.ndjson', BAD.replaceAll('r', 's').replaceAll('"sole"', '"role"')),
  ]);
  assert.equal(report.code, 1);
  assert.deepEqual([report.created, report.failed, report.faults.length], [1, 1, 1]);
});

test('--index says what documents are that do not say it themselves', async () => {
  const path = file('plain.ndjson', '{"id":"p1","name":"plain"}');
  assert.equal((await json(['import', path])).failed, 1);
  assert.equal((await json(['import', '--index', 'roles', path])).created, 1);
});

test('a file that is cut off is told of, and what came before is kept', async () => {
  const packed = gzipSync(
    Array.from(
      { length: 9000 },
      (_, n) => `{"_type":"role","id":"c${n}","name":"${Math.sin(n)}"}\n`,
    ).join(''),
  );
  const report = await json(['import', file('cut.gz', packed.subarray(0, packed.length - 2000))]);
  assert.equal(report.code, 1);
  assert.ok(report.created > 1000, String(report.created));
  assert.deepEqual([report.failed, report.faults[0].line], [1, null]);
  assert.match(report.faults[0].reason, /reading failed: unexpected end of file/);
});

test('beside a server it writes to the store and leaves the index to the server', async () => {
  const server = commandLine([
    'serve',
    '--data-dir',
    dataDir,
    '--port',
    '0',
    '--log-level',
    'silent',
  ]);
  try {
    await new Promise<void>((resolve, reject) => {
      const look = setInterval(() => {
        if (!/serves at/.test(server.err())) return;
        clearInterval(look);
        resolve();
      }, 20);
      server.ended.then((code) => reject(new Error(`ended with ${code}: ${server.err()}`)), reject);
    });
    const report = await json(['import', file('late.ndjson', '{"_type":"role","id":"late"}')]);
    assert.deepEqual([report.code, report.created, report.searchable], [0, 1, false]);
    const reindex = commandLine(['reindex', '--data-dir', dataDir]);
    assert.equal(await reindex.ended, 0, reindex.err());
    const second = commandLine(['serve', '--data-dir', dataDir, '--port', '0']);
    assert.equal(await second.ended, 2);
    assert.match(second.err(), /Another process serves/);
  } finally {
    server.interrupt();
  }
  assert.equal(await server.ended, 0);
  const reindex = commandLine(['reindex', '--data-dir', dataDir]);
  assert.equal(await reindex.ended, 0, reindex.err());
  assert.match(reindex.out(), /index is complete/);
});

test('pat create makes a token for a user by login', async () => {
  const token = await json([
    'pat',
    'create',
    '--owner',
    'ada',
    '--name',
    'ci',
    '--expires',
    'never',
    '--scope',
    'sp:search:read',
  ]);
  assert.equal(token.code, 0);
  assert.deepEqual([token.scope, token.expirationDate], [['sp:search:read'], null]);
  assert.match(token.clientId, /^[0-9a-f]{32}$/);
  const again = commandLine([
    'pat',
    'create',
    '--owner',
    'ada',
    '--name',
    'ci',
    '--data-dir',
    dataDir,
  ]);
  assert.equal(await again.ended, 1);
});

test('pat create takes a day, and refuses what is none', async () => {
  const day = `${new Date(Date.now() + 2 * 864e5).toISOString().slice(0, 10)}`;
  const token = await json([
    ...['pat', 'create', '--owner', 'ada', '--name', 'until a day', '--expires', day],
  ]);
  assert.equal(token.expirationDate, `${day}T00:00:00.000Z`);
  for (const expires of ['2025-02-30', 'tomorrow', '2020-01-01']) {
    const refused = commandLine([
      ...['pat', 'create', '--owner', 'ada', '--name', expires, '--expires', expires],
      ...['--data-dir', dataDir],
    ]);
    assert.equal(await refused.ended, 1);
    assert.match(refused.err(), /expirationDate: /);
  }
});

test('a tenant must be named where there are several', async () => {
  await json(['tenant', 'create', 'beta']);
  const line = commandLine(['import', file('t.ndjson', '{}'), '--data-dir', dataDir]);
  assert.equal(await line.ended, 1);
  assert.match(line.err(), /Choose a tenant with --tenant: acme, beta/);
  const unknown = commandLine(['import', '-', '--tenant', 'gamma', '--data-dir', dataDir]);
  assert.equal(await unknown.ended, 1);
  assert.match(unknown.err(), /There is no tenant called gamma/);
});

test('doctor tells of a directory that is not there and makes none', async () => {
  const nowhere = join(directory, 'nowhere');
  const line = commandLine(['doctor', '--data-dir', nowhere, '--json']);
  assert.equal(await line.ended, 0);
  assert.deepEqual(
    JSON.parse(line.out()).checks.map((check: { name: string; status: string }) => [
      check.name,
      check.status,
    ]),
    [
      ['data directory', 'warning'],
      ['network', 'ok'],
      ['cores', 'ok'],
      ['store', 'warning'],
    ],
  );
});

test('doctor calls a broken store a fault', async () => {
  const broken = join(directory, 'broken.db');
  writeFileSync(broken, 'no database');
  const line = commandLine(['doctor', '--data-dir', directory, '--store-url', broken]);
  assert.equal(await line.ended, 1);
  assert.match(line.out(), /^fault {3}store/m);
});
