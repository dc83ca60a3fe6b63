// suite: slow
// cardea mirror with a client that a view restricts: a test environment gets the part that the view shows, and nothing else.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer, type TestServer, type TestTenant } from 'cardea/testing';
import { assertSameDocuments, mirrored, serveMirror } from '../support/remote-tenant.ts';
import { TestClient } from '../testing/client.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-views-'));
let server: TestServer;
before(async () => {
  server = await startServer();
});
after(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The tenant with the credentials of a client that a new view restricts. */
async function restricted(tenant: TestTenant, view: { readonly name: string }) {
  const admin = new TestClient(tenant);
  const posted = async (path: string, body: object) => {
    const answer = await admin.call('POST', path, body);
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as Record<string, string>;
  };
  await posted('/admin/v1/views', view);
  const client = { name: view.name, view: view.name };
  const { id = '', secret = '' } = await posted('/v3/oauth-clients', client);
  return {
    baseUrl: tenant.baseUrl,
    credentials: { ...tenant.credentials, clientId: id, clientSecret: secret, apiKey: '' },
  };
}

test('a mirror through a view has the visible documents without the hidden fields', async () => {
  const tenant = await server.createTenant({ identities: 60, seed: 3 });
  const admin = new TestClient(tenant);
  const part = await restricted(tenant, {
    name: 'staging',
    ...{ indices: { identities: 'NOT attributes.department:Finance', roles: '*' } },
    ...{ hide: ['email', 'phone', 'attributes.phone', 'accounts.accountAttributes'] },
  });
  const dataDir = join(directory, 'data');
  const report = await mirrored(part, dataDir, ['--auth-users', 'none']);
  assert.deepEqual([report.code, report.outcome, report.faults], [0, 'complete', []], report.err);
  const here = await serveMirror(dataDir, tenant.credentials.tenant);
  try {
    const count = await assertSameDocuments(here, part);
    const mirror = new TestClient(here);
    const hidden = await admin.ids('identities', 'attributes.department:Finance');
    assert.ok(hidden.length > 0 && count > 60 - hidden.length, `${hidden.length} of ${count}`);
    assert.deepEqual(await mirror.ids('identities', 'attributes.department:Finance'), []);
    assert.deepEqual(await mirror.ids('identities', '_exists_:email'), []);
    assert.deepEqual(await mirror.ids('entitlements', '*'), []);
  } finally {
    await here.close();
  }
});

test('a mirror through a view that hides the times says so, with the cause of the server', async () => {
  const tenant = await server.createTenant({ identities: 5, seed: 3 });
  const part = await restricted(tenant, {
    ...{ name: 'timeless', indices: { identities: '*' } },
    ...{ hide: ['modified'] },
  });
  const report = await mirrored(part, join(directory, 'timeless'), ['--auth-users', 'none']);
  assert.deepEqual([report.code, report.outcome], [1, 'failed']);
  assert.match(report.faults.join('\n'), /answered 400: .*modified/);
});
