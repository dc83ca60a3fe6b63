// A whole service, logged at the finest level, is given secrets in every way there is; none of them stands in the log,
// or in a file of its data.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { makeLog } from '../../src/telemetry/log.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-secrets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const PASSWORD = 'Pa55-of-an-address';

function logged() {
  const lines: string[] = [];
  return { lines, log: makeLog('trace', { write: (line) => void lines.push(line) }) };
}

test('tokens, secrets, keys, queries and bodies of requests stand in no line', async () => {
  const { lines, log } = logged();
  const dataDir = join(folder, 'requests');
  const node = await compose(parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir }), { log });
  const { store } = node;
  const tenant = await createTenant(store, { name: 'acme' });
  const admin = await createAdmin(store, tenant, { uid: 'root' });
  const { credential: token, secret } = await createCredential(
    store,
    tenant.id,
    'pat',
    {
      name: 'n',
    },
    { ownerId: admin.id },
  );
  const { secret: key } = await createCredential(store, tenant.id, 'key', { name: 'n' });
  const { url } = await node.start();
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', body, headers });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const party = `grant_type=client_credentials&client_id=${token.id}`;
  const answer = await post('/oauth/token', `${party}&client_secret=${secret}`, form);
  const { access_token: access } = (await answer.json()) as { access_token: string };
  await post(`/oauth/token?${party}&client_secret=${secret}`, '', form);
  const basic = Buffer.from(`${token.id}:${secret}`).toString('base64');
  await post('/oauth/token?grant_type=client_credentials', '', {
    ...form,
    authorization: `Basic ${basic}`,
  });
  await post('/oauth/token', `${party}&client_secret=wrong-${secret}`, form);
  await post('/oauth/token', `${party}&client_secret=${secret}&grant_type=%zz`, form);
  const bearer = { authorization: `Bearer ${access}`, 'content-type': 'application/json' };
  const made = await post('/v3/personal-access-tokens', '{"name":"another"}', bearer);
  const { secret: another } = (await made.json()) as { secret: string };
  assert.ok(another);
  const client = (await (
    await post(
      '/v3/oauth-clients',
      '{"name":"c","grantTypes":["CLIENT_CREDENTIALS","REFRESH_TOKEN"]}',
      bearer,
    )
  ).json()) as { id: string; secret: string };
  const app = `client_id=${client.id}&client_secret=${client.secret}`;
  const granted = await post('/oauth/token', `grant_type=client_credentials&${app}`, form);
  const { refresh_token: refresh } = (await granted.json()) as { refresh_token: string };
  for (let n = 0; n < 2; n++) {
    await post('/oauth/token', `${app}&grant_type=refresh_token&refresh_token=${refresh}`, form);
  }
  const [, refreshSecret = ''] = refresh.split('.');
  await post(
    '/v3/search',
    '{"query":{"query":"plantedword AND ("},"indices":["identities"]}',
    bearer,
  );
  await post('/v3/search?x=plantedword', `{"broken":"plantedword`, bearer);
  await fetch(`${url}/v3/auth-users/x?access_token=${access}`, { headers: bearer });
  await fetch(`${url}/v3/auth-users/x`, { headers: { authorization: `Bearer ${access}x` } });
  for (const authorization of [`Bearer ${key}`, `Token token=${key}`, `Token token=${key}0`]) {
    await fetch(`${url}/api/profiles`, { headers: { authorization } });
  }
  await node.stop();
  const log_ = lines.join('');
  assert.ok(lines.length >= 12, 'there are lines');
  const signature = access.split('.')[2] ?? '';
  const apps = [client.secret, refreshSecret];
  for (const text of [secret, another, ...apps, key, access, signature, basic, 'plantedword']) {
    assert.ok(text.length > 8);
    assert.ok(
      !log_.includes(text),
      lines.find((line) => line.includes(text)),
    );
  }
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const content = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(content.some((file) => file.endsWith('cardea.db')));
  for (const file of content) {
    for (const text of [secret, another, ...apps, key.slice(3)]) {
      assert.ok(!readFileSync(file).includes(text), file);
    }
  }
});

const ADDRESSES: readonly (readonly [string, Record<string, string>])[] = [
  [
    'PostgreSQL',
    { CARDEA_STORE_URL: `postgres://u:${PASSWORD}@127.0.0.1:1/x`, CARDEA_STORE_WAIT_MS: '500' },
  ],
  ['OpenSearch', { CARDEA_SEARCH_URL: `http://u:${PASSWORD}@127.0.0.1:1` }],
  ['Redis', { CARDEA_REDIS_URL: `redis://u:${PASSWORD}@127.0.0.1:1` }],
];
for (const [name, settings] of ADDRESSES) {
  test(`the password in the address of a ${name} that is away stands in no line and no answer`, async () => {
    const { lines, log } = logged();
    const dataDir = join(folder, name);
    const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, ...settings });
    const told: string[] = [];
    try {
      const node = await compose(config, { log });
      const { url } = await node.start();
      told.push(await (await fetch(`${url}/ready`)).text());
      await node.stop();
    } catch (error) {
      told.push(String((error as Error).stack), JSON.stringify(error));
    }
    const all = [...lines, ...told].join('');
    assert.notEqual(all, '');
    assert.ok(!all.includes(PASSWORD), all);
  });
}
