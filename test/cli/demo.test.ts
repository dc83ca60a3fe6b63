// cardea demo from an empty directory: made, served, stopped, found again. demo-starts.test.ts has more ways to start it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import {
  credentialsFile,
  directory,
  paste,
  profiles,
  read,
  start,
} from '../support/demo-command.ts';

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
});
