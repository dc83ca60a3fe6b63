// cardea demo from an empty directory: made, served, stopped, found again.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandLine, commandLine } from '../support/command-line.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-demo-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
const credentialsFile = join(dataDir, 'credentials.json');
const start = (...more: string[]): CommandLine =>
  commandLine(['demo', '--data-dir', dataDir, '--port', '0', '--log-level', 'error', ...more], {
    isTerminal: true,
  });
const read = () => JSON.parse(readFileSync(credentialsFile, 'utf8'));

/** Stands in for curl where it is missing: as much of it as the printed line uses. */
const CURL = `#!${process.execPath}
const [url, headers, data] = [[], {}, []];
const args = process.argv.slice(2);
while (args.length > 0) {
  const arg = args.shift();
  if (arg === '-d') data.push(args.shift());
  else if (arg === '-H') {
    const [name, value] = args.shift().split(/: (.*)/);
    headers[name.toLowerCase()] = value;
  } else if (arg !== '-s') url.push(arg);
}
const form = { 'content-type': 'application/x-www-form-urlencoded' };
fetch(url[0], { method: 'POST', headers: { ...form, ...headers }, body: data.join('&') })
  .then((answer) => answer.text())
  .then((text) => process.stdout.write(text));
`;

/** The environment of a shell that has curl, or a stand-in. */
function withCurl(): NodeJS.ProcessEnv {
  if (hasCurl()) return process.env;
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'curl'), CURL, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
}

/** The ids of the answer to the printed line. */
async function paste(line: CommandLine): Promise<string[]> {
  const [, curl = ''] = await line.shows(/^ *(curl .*)$/m);
  return inShell(curl);
}

/** The ids that a command of the shell prints. */
async function inShell(command: string): Promise<string[]> {
  const answer = await new Promise<string>((resolve, reject) => {
    // Not blocking: the service runs in this very process.
    execFile('bash', ['-c', command], { env: withCurl() }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  return JSON.parse(answer).map(({ id }: { id: string }) => id);
}

/** Exchanges the code of a sign-in link, as the console does. */
async function exchange(link: string): Promise<{ status: number; body: Record<string, string> }> {
  const code = new URL(link.replace('#/', '')).searchParams.get('code') ?? '';
  const grant = { grant_type: 'urn:cardea:grant:sign-in-code', code };
  const answer = await fetch(`${read().baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

/** All profiles of the demo that is served, with everything that is said of them. */
async function profiles(): Promise<Record<string, unknown>[]> {
  const { baseUrl, apiKey } = read();
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${baseUrl}/api/profiles?after_id=&limit=500`, { headers });
  return (await answer.json()) as Record<string, unknown>[];
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe('cardea demo', () => {
  let first: ReturnType<typeof read>;
  let ids: string[];
  let keyStatus: number;
  let signIns: { status: number; body: Record<string, string> }[];
  let made: Record<string, unknown>[];
  before(async () => {
    const line = start('--identities', '60', '--profiles', '90', '--date', '2025-06-30');
    await line.shows(/Ctrl-C/);
    first = read();
    ids = await paste(line);
    const authorization = `Token token=${first.apiKey}`;
    keyStatus = (await fetch(`${first.baseUrl}/api/users`, { headers: { authorization } })).status;
    made = await profiles();
    assert.equal(made.length, 90);
    const [, link = ''] = line.out().match(/^Signed in at once, one time: (\S+)$/m) ?? [];
    assert.ok(link.startsWith(`${first.baseUrl}/console/#/sign-in?code=`), line.out());
    signIns = [await exchange(link), await exchange(link)];
    assert.match(line.out(), /60 identities, 90 profiles, just created/);
    for (const name of ['baseUrl', 'clientId', 'clientSecret']) {
      assert.ok(line.out().includes(first[name]), name);
    }
    line.interrupt();
    assert.equal(await line.ended, 0, line.err());
  });

  test('leaves credentials that only their owner can read', () => {
    assert.deepEqual(Object.keys(first), [
      'baseUrl',
      'tenant',
      'clientId',
      'clientSecret',
      'apiKey',
    ]);
    assert.match(first.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(first.clientId, /^[0-9a-f]{32}$/);
    assert.match(first.clientSecret, /^[0-9a-f]{64}$/);
    assert.match(first.apiKey, /^ne-[0-9a-f]{32}$/);
    assert.equal(keyStatus, 200);
    assert.equal(statSync(credentialsFile).mode & 0o777, 0o600);
  });

  test('prints a link that signs its administrator in once', () => {
    const [signedIn, again] = signIns;
    assert.equal(signedIn?.status, 200);
    assert.match(signedIn?.body['access_token'] ?? '', /^ey/);
    assert.deepEqual([again?.status, again?.body['error']], [400, 'invalid_grant']);
  });

  test('prints a curl line that answers with documents', () => {
    assert.equal(ids.length, 3);
  });

  test('finds its tenant on the second start and keeps its secrets', async () => {
    const line = start('--identities', '70');
    await line.shows(/Ctrl-C/);
    assert.match(line.out(), /60 identities, 90 profiles, existing/);
    assert.match(line.err(), /exists already: 60 identities, 90 profiles, seed 1, 2025-06-30/);
    const second = read();
    assert.deepEqual({ ...second, baseUrl: '' }, { ...first, baseUrl: '' });
    assert.ok(line.out().includes(second.baseUrl));
    assert.deepEqual(await paste(line), ids);
    assert.deepEqual(await profiles(), made);
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
    for (const { name, status, message } of checks)
      assert.equal(status, 'ok', `${name}: ${message}`);
  });

  test('says what to do about a port that is taken, before it creates a company', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const empty = join(directory, 'not-created');
    const line = start('--port', String(port), '--data-dir', empty);
    assert.equal(await line.ended, 2);
    assert.match(line.err(), new RegExp(`listens on 127\\.0\\.0\\.1:${port}: .*--port`));
    assert.equal(existsSync(join(empty, 'credentials.json')), false);
    other.close();
  });

  test('does not take over a tenant of that name that it did not create', async () => {
    const other = join(directory, 'other');
    assert.equal(await commandLine(['tenant', 'create', 'demo', '--data-dir', other]).ended, 0);
    const line = commandLine(['demo', '--data-dir', other, '--port', '0']);
    assert.equal(await line.ended, 2);
    assert.match(line.err(), /did not create/);
  });
});
