// suite: slow
// Further starts of cardea demo: with other options, without a terminal, after a start that was cut short.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import {
  credentialsFile,
  dataDir,
  directory,
  inShell,
  paste,
  profiles,
  read,
  start,
} from '../support/demo-command.ts';

let first: ReturnType<typeof read>;
let ids: string[];
let made: Record<string, unknown>[];
before(async () => {
  const line = start('--identities', '60', '--profiles', '90', '--date', '2025-06-30');
  await line.shows(/Ctrl-C/);
  first = read();
  ids = await paste(line);
  made = await profiles();
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
});

test('prints no link that signs in where others can reach it', async () => {
  const line = start('--base-url', 'https://demo.example.com');
  await line.shows(/Ctrl-C/);
  assert.match(line.out(), /at https:\/\/demo\.example\.com$/m);
  assert.doesNotMatch(line.out(), /Signed in at once/);
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
});

test('prints no secret where it writes to no terminal, but names a script that holds the same', async () => {
  const line = commandLine([
    ...['demo', '--data-dir', dataDir, '--port', '0', '--log-level', 'error'],
  ]);
  const [, command = ''] = await line.shows(/: (\. .*first-steps\.sh)$/m);
  await line.shows(/Ctrl-C/);
  for (const secret of [first.clientSecret, first.apiKey]) {
    assert.ok(!`${line.out()}${line.err()}`.includes(secret));
  }
  assert.equal(statSync(join(dataDir, 'first-steps.sh')).mode & 0o777, 0o600);
  assert.deepEqual(await inShell(command), ids);
  line.interrupt();
  assert.equal(await line.ended, 0, line.err());
});

test('takes up a start that was cut short before the credentials were there', async () => {
  rmSync(credentialsFile);
  const line = start();
  await line.shows(/Ctrl-C/);
  assert.match(line.out(), /60 identities, 90 profiles/);
  assert.notEqual(read().clientId, first.clientId);
  assert.deepEqual(await profiles(), made);
  line.interrupt();
  assert.equal(await line.ended, 0);
});

test('tells its address as https where it speaks TLS', async () => {
  const line = start('--tls-cert', 'test/api/tls/cert.pem', '--tls-key', 'test/api/tls/key.pem');
  await line.shows(/Ctrl-C/);
  const { baseUrl } = read();
  assert.match(baseUrl, /^https:/);
  assert.ok(line.out().includes(`export SAIL_BASE_URL=${baseUrl}\n`));
  const ca = readFileSync('test/api/tls/cert.pem');
  const output = await new Promise<string>((resolve, reject) => {
    get(`${baseUrl}/oauth/info`, { ca, agent: false }, (response) => {
      response.setEncoding('utf8').once('data', resolve);
    }).once('error', reject);
  });
  assert.equal(JSON.parse(output).tokenEndpoint, `${baseUrl}/oauth/token`);
  line.interrupt();
  assert.equal(await line.ended, 0);
});

test('is in good health afterwards', async () => {
  const line = commandLine(['doctor', '--data-dir', dataDir, '--json']);
  assert.equal(await line.ended, 0, line.out());
  const { ok, checks } = JSON.parse(line.out());
  assert.ok(ok);
  for (const { name, status, message } of checks) assert.equal(status, 'ok', `${name}: ${message}`);
});

test('does not take over a tenant of that name that it did not create', async () => {
  const other = join(directory, 'other');
  assert.equal(await commandLine(['tenant', 'create', 'demo', '--data-dir', other]).ended, 0);
  const line = commandLine(['demo', '--data-dir', other, '--port', '0']);
  assert.equal(await line.ended, 2);
  assert.match(line.err(), /did not create/);
});
