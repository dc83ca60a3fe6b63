// A whole service with everything that records requests gets a secret in the query of token requests, accepted and refused:
// the secret is in no line of the log, trace, metric, journal, advice, error or audit event, and in no file.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { makeLog } from '../../src/telemetry/log.ts';
import { throwAwayConfig, writeEmptyStore } from '../support/empty-store.ts';

interface Journal {
  readonly requests: readonly { path: string; status: number; secretInQuery?: boolean }[];
}

describe('a secret in the query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-query-secrets-'));
  /** Everything that the service wrote or answered, by where. */
  const written = new Map<string, string>();
  const traces: string[] = [];
  const collector = createServer(async (request, response) => {
    traces.push(await text(request));
    response.end('{}');
  });
  let node: Cardea;
  let secret: string;
  let warning: string | null;
  let lines: string[];
  let refresh: string;
  let journal: Journal['requests'];
  let advice: { rule: string; count: number }[];

  before(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    lines = [];
    const settings = {
      ...{ CARDEA_PORT: '0', CARDEA_DATA_DIR: folder, CARDEA_TESTING: 'on', CARDEA_METRICS: 'on' },
      CARDEA_OTLP_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      CARDEA_AUDIT_FILE: join(folder, 'audit.ndjson'),
    };
    const config = throwAwayConfig(settings);
    if (config.store.kind === 'sqlite') await writeEmptyStore(config.store.path);
    const log = makeLog('trace', { write: (line) => void lines.push(line) });
    node = await compose(config, { log });
    const { store } = node;
    const tenant = await createTenant(store, { name: 'acme' });
    const admin = await createAdmin(store, tenant, { uid: 'root' });
    const pat = await createCredential(
      store,
      tenant.id,
      'pat',
      { name: 'n' },
      { ownerId: admin.id },
    );
    ({ secret } = pat);
    const { url } = await node.start();
    const record = async (name: string, answer: Response) => {
      const body = await answer.text();
      written.set(`${name} → ${answer.status}`, `${JSON.stringify([...answer.headers])}${body}`);
      return { status: answer.status, body, warning: answer.headers.get('warning') };
    };
    const query = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: pat.credential.id, client_secret: secret },
    });
    const post = async (name: string, target: string, init: RequestInit = {}) =>
      record(name, await fetch(`${url}${target}`, { method: 'POST', ...init }));

    const first = await post('accepted', `/oauth/token?${query}`);
    assert.equal(first.status, 200, first.body);
    ({ warning } = first);
    const { access_token } = JSON.parse(first.body);
    const bearer = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const json = { headers: { 'content-type': 'application/json' } };
    const grants = { grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'] };
    const made = await fetch(`${url}/v3/oauth-clients`, {
      ...{ method: 'POST', headers: bearer, body: JSON.stringify({ name: 'c', ...grants }) },
    });
    const client = (await made.json()) as { id: string; secret: string };
    const app = new URLSearchParams({ client_id: client.id, client_secret: client.secret });
    const granted = await fetch(`${url}/oauth/token`, {
      ...{ method: 'POST', body: new URLSearchParams([...app, ...GRANT]) },
    });
    refresh = ((await granted.json()) as { refresh_token: string }).refresh_token;
    const refreshing = new URLSearchParams([
      ...[...app, ['grant_type', 'refresh_token'] as [string, string]],
      ['refresh_token', refresh],
    ]);
    assert.equal((await post('refreshed', `/oauth/token?${refreshing}`)).status, 200);
    await post('refreshed twice', `/oauth/token?${refreshing}`);
    await post('wrong', `/oauth/token?${query}x`);
    await post('narrowed to nothing', `/oauth/token?${query}&scope=openid`);
    await post('other grant', `/oauth/token?${query}&grant_type=password`);
    await post('malformed query', `/oauth/token?${query}&x=%zz`);
    await post('malformed body', `/oauth/token?${query}`, { ...json, body: '{"a":' });
    await post('large body', `/oauth/token?${query}`, { ...json, body: 'x'.repeat(100_000) });
    await post('other type', `/oauth/token?${query}`, { body: 'x' });
    await post('other path', `/oauth/tokens?${query}`);
    await post('introspection', `/oauth/introspect?${query}`);
    await post('search', `/v3/search?${query}`, {
      headers: bearer,
      body: '{"query":{"query":"("}}',
    });
    await record('other method', await fetch(`${url}/oauth/token?${query}`));
    const faults = JSON.stringify([{ match: { path: '/oauth/token' }, then: { status: 500 } }]);
    await fetch(`${url}/admin/v1/faults`, { method: 'PUT', headers: bearer, body: faults });
    await post('injected fault', `/oauth/token?${query}`);
    for (const [name, head] of [
      ['long header', `POST /oauth/token?${query} HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
      ['no HTTP', `POST /oauth/token?${query} HTTP/7.7\r\n\r\n`],
      ['no host', `POST /oauth/token?${query} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ] as const) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(head);
      written.set(name, await text(socket));
    }
    const read = async (path: string) =>
      (await record(path, await fetch(`${url}${path}`, { headers: bearer }))).body;
    journal = (JSON.parse(await read('/admin/v1/requests')) as Journal).requests;
    advice = JSON.parse(await read('/admin/v1/advice'));
    await read('/metrics');
    const changes = await store.read.changesAfter(0, 10_000);
    written.set('events', changes.map(({ document }) => String(document?.root)).join());
    await node.stop();
    written.set('log', lines.join(''));
    written.set('traces', traces.join(''));
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const path = join(file.parentPath, file.name);
      written.set(path, readFileSync(path, 'latin1'));
    }
  });
  after(() => {
    collector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is accepted on loopback, with a warning and a line for each client', () => {
    assert.match(String(warning), /^299 - "client_secret is in the query/);
    const told = lines.filter((line) => line.includes('A client sends a secret in the query'));
    assert.equal(told.length, 2);
  });

  test('is noted in the journal and by the advisor', () => {
    const noted = journal.filter(({ secretInQuery }) => secretInQuery === true);
    assert.ok(noted.length >= 5, JSON.stringify(journal));
    assert.ok(noted.every(({ path }) => path === '/oauth/token'));
    const [found] = advice.filter(({ rule }) => rule === 'secret-in-query');
    assert.equal(found?.count, noted.length);
  });

  test('is written nowhere', () => {
    for (const name of ['log', 'traces', 'events', '/metrics → 200', 'no HTTP', 'no host']) {
      assert.ok((written.get(name)?.length ?? 0) > 20, `${name}: ${written.get(name)}`);
    }
    assert.ok([...written.keys()].some((name) => name.endsWith('audit.ndjson')));
    const [, refreshSecret = ''] = refresh.split('.');
    for (const [name, content] of written) {
      for (const planted of [secret, refreshSecret]) {
        assert.ok(planted.length > 20);
        // The answer to a refresh has the next refresh token.
        assert.ok(!content.includes(planted), name);
      }
    }
  });
});

const GRANT: readonly [string, string][] = [['grant_type', 'client_credentials']];
