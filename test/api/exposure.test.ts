// What a server that others can reach refuses, and what it says at its start of settings and files
// that are unsafe then.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';

/** The warnings of a start with these settings; nothing listens. */
async function warningsAt(dataDir: string, env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const cardea = await compose(parseConfig({ CARDEA_DATA_DIR: dataDir, ...env }), { log });
  await cardea.stop();
  return lines.join('');
}

test('a server that can be reached from outside says at its start what is unsafe', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-exposed-'));
  try {
    const quiet = await warningsAt(dataDir, {});
    assert.doesNotMatch(quiet, /CARDEA_BASE_URL|read by others/);
    chmodSync(dataDir, 0o755);
    const warnings = await warningsAt(dataDir, { CARDEA_HOST: '0.0.0.0' });
    assert.match(warnings, /\(it listens on 0\.0\.0\.0\) without TLS/);
    assert.match(warnings, /CARDEA_BASE_URL is not set/);
    assert.match(warnings, /could be read by others \(mode 755\); it is 700 now/);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.doesNotMatch(warnings, /secrets key/);
    const key = join(dataDir, 'own.key');
    writeFileSync(key, 'a'.repeat(64));
    chmodSync(key, 0o640);
    const open = await warningsAt(dataDir, { CARDEA_SECRETS_KEY_FILE: key });
    assert.match(open, /The secrets key .*own\.key can be read by others \(mode 640\): chmod 600/);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

/** A server of this machine that clients reach through a proxy. */
const BEHIND_PROXY = {
  CARDEA_HOST: '127.0.0.1',
  CARDEA_BASE_URL: 'https://cardea.example.com',
  CARDEA_TRUSTED_PROXIES: '127.0.0.1',
};

test('a server behind a proxy is no developer machine, although it listens on loopback', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-proxied-'));
  const env = { ...BEHIND_PROXY, CARDEA_DATA_DIR: dataDir, CARDEA_TESTING: 'on', CARDEA_PORT: '0' };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const cardea = await compose(parseConfig(env), { log });
  try {
    const tenant = await createTenant(cardea.store, { name: 'acme' });
    const admin = await createAdmin(cardea.store, tenant, { uid: 'root' });
    const pat = await createCredential(
      cardea.store,
      tenant.id,
      'pat',
      { name: 'n' },
      { ownerId: admin.id },
    );
    await cardea.start();
    const { port } = cardea.app.server.address() as AddressInfo;
    const ask = (target: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${target}`, {
        ...init,
        headers: { 'x-forwarded-for': '203.0.113.5' },
      });
    const secret = new URLSearchParams({
      ...{
        grant_type: 'client_credentials',
        client_id: pat.credential.id,
        client_secret: pat.secret,
      },
    });
    const inQuery = await ask(`/oauth/token?${secret}`, { method: 'POST' });
    assert.equal(inQuery.status, 400);
    assert.match(await inQuery.text(), /client_secret must not be in the query/);
    const inBody = await ask('/oauth/token', { method: 'POST', body: secret });
    assert.equal(inBody.status, 200, await inBody.text());
    // The limit is 100 in each window of 10 seconds, in which a busy machine may not ask so often.
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 150 }, () => ask('/oauth/info')));
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      assert.ok(answers.some(({ status }) => status === 429));
    });
    assert.match(
      lines.join(''),
      /CARDEA_BASE_URL is https:\/\/cardea\.example\.com.*CARDEA_TESTING/,
    );
    const doctor = commandLine(['doctor', '--json'], { env });
    assert.equal(await doctor.ended, 1);
    const { checks } = JSON.parse(doctor.out()) as { checks: { name: string; message: string }[] };
    const network = checks.find(({ name }) => name === 'network');
    assert.match(network?.message ?? '', /CARDEA_BASE_URL is .*remove CARDEA_TESTING/);
  } finally {
    await cardea.stop();
    rmSync(dataDir, { recursive: true });
  }
});
