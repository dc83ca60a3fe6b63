// suite: slow
// cardea start --ephemeral: a tenant that is there for a test and gone after it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { CARDEA } from '../support/program.ts';

interface ReadyLine {
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

const directory = mkdtempSync(join(tmpdir(), 'cardea-start-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const temporary = join(directory, 'tmp');
const other = join(directory, 'other');
for (const folder of [temporary, other]) mkdirSync(folder);

async function started(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const line = commandLine(['start', '--ephemeral', '--print-env', ...args], {
    env: { TMPDIR: temporary, ...env },
  });
  const [text] = await line.shows(/^\{.*\}$/m);
  return { line, ready: JSON.parse(text) as ReadyLine };
}

async function ids({ env }: ReadyLine, index: string): Promise<string[]> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: env['SAIL_CLIENT_ID'] ?? '',
    client_secret: env['SAIL_CLIENT_SECRET'] ?? '',
  });
  const token = await fetch(`${env['SAIL_BASE_URL']}/oauth/token`, { method: 'POST', body: form });
  const { access_token } = (await token.json()) as { access_token: string };
  const answer = await fetch(`${env['SAIL_BASE_URL']}/v2024/search?limit=250`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ indices: [index], query: { query: '*' }, sort: ['id'] }),
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
}

test('prints one line when a search finds everything, and removes its data at the end', async () => {
  const { line, ready } = await started(['--identities', '12', '--seed', '7']);
  assert.match(ready.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(Object.keys(ready.credentials), [
    'tenant',
    'clientId',
    'clientSecret',
    'apiKey',
  ]);
  assert.equal(ready.env['SAIL_BASE_URL'], ready.baseUrl);
  assert.equal(line.out().trim().split('\n').length, 1);
  const found = await ids(ready, 'identities');
  assert.equal(found.length, 12);
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
  // The same seed gives the same company.
  const again = await started(['--identities', '12', '--seed', '7']);
  assert.deepEqual(await ids(again.ready, 'identities'), found);
  again.line.interrupt();
  assert.equal(await again.line.ended, 0);
  assert.deepEqual(readdirSync(temporary), []);
});

/** Loopback, but not spelt so. */
const OTHER_HOST = '::ffff:127.0.0.1';
for (const [args, status] of [
  [[], 200],
  [['--host', OTHER_HOST], 400],
  [['--host', OTHER_HOST, '--secrets-in-query', 'on'], 200],
  [['--secrets-in-query', 'off'], 400],
] as const) {
  test(`answers ${status} to a secret in the query with "${args.join(' ')}"`, async () => {
    const { line, ready } = await started(['--identities', '0', ...args]);
    const query = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: ready.env['SAIL_CLIENT_ID'] ?? '',
      client_secret: ready.env['SAIL_CLIENT_SECRET'] ?? '',
    });
    const answer = await fetch(`${ready.baseUrl}/oauth/token?${query}`, { method: 'POST' });
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    line.interrupt();
    assert.equal(await line.ended, 0);
  });
}

test('starts an empty tenant', async () => {
  const { line, ready } = await started(['--identities', '0']);
  assert.deepEqual(await ids(ready, 'identities'), []);
  line.interrupt();
  assert.equal(await line.ended, 0);
});

test('says which faults and which clock it starts with, and else nothing', async () => {
  const rules = JSON.stringify([{ match: { path: '/v3/*' }, then: { status: 503 } }]);
  const special = await started(['--identities', '0', '--faults', rules, '--now', '2026-01-15']);
  assert.equal(
    special.line.err(),
    'Faults are injected by 1 rule.\nThe clock is frozen: it is 2026-01-15T00:00:00.000Z.\n',
  );
  const answer = await fetch(`${special.ready.baseUrl}/ready`);
  const { warnings } = (await answer.json()) as { warnings: readonly string[] };
  assert.equal(warnings.length, 3);
  const plain = await started(['--identities', '0']);
  assert.equal(plain.line.err(), '');
  for (const { line } of [special, plain]) {
    line.interrupt();
    assert.equal(await line.ended, 0);
  }
});

test('ignores settings of lasting data in the environment', async () => {
  const { line } = await started(['--identities', '0'], {
    CARDEA_DATA_DIR: other,
    CARDEA_STORE_URL: join(other, 'real.db'),
    CARDEA_SEARCH_URL: 'http://127.0.0.1:1',
    CARDEA_AUDIT_FILE: join(other, 'audit.ndjson'),
  });
  line.interrupt();
  assert.equal(await line.ended, 0);
  assert.deepEqual(readdirSync(other), []);
});

test('needs --ephemeral, and refuses a data directory', async () => {
  const plain = commandLine(['start']);
  assert.equal(await plain.ended, 2);
  assert.match(plain.err(), /add --ephemeral.*cardea demo or cardea serve/);
  const kept = commandLine(['start', '--ephemeral', '--data-dir', other]);
  assert.equal(await kept.ended, 2);
  assert.match(kept.err(), /--data-dir is not a flag of start/);
});

test('as a process it ends by a signal and leaves nothing', async () => {
  const child = spawn(process.execPath, [CARDEA, 'start', '--ephemeral', '--print-env'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: temporary },
  });
  const [bytes] = (await once(child.stdout, 'data')) as [Buffer];
  const { pid } = JSON.parse(bytes.toString()) as { pid: number };
  assert.equal(pid, child.pid);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.deepEqual(readdirSync(temporary), []);
});
