// Whom a token belongs to, with the rights that hold now.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service?.stop());

test('names the user, the tenant and the current capabilities', async () => {
  const party = await addUser(service, { capabilities: ['HELPDESK'] });
  const read = async () =>
    (await (await party.call('GET', '/oauth/userinfo')).json()) as Record<string, unknown>;
  const info = await read();
  assert.deepEqual(
    [info['identity_id'], info['org'], info['tenant_id'], info['authorities']],
    [party.userId, 'test', service.tenantId, ['HELPDESK']],
  );
  const patch = [{ op: 'replace', path: '/capabilities', value: ['REPORT_ADMIN'] }];
  const type = { 'content-type': 'application/json-patch+json' };
  const path = `/v2024/auth-users/${party.userId}`;
  assert.equal((await service.call('PATCH', path, patch, type)).status, 200);
  assert.deepEqual((await read())['authorities'], ['REPORT_ADMIN']);
});

test('names the client of a token that belongs to no user', async () => {
  const made = await service.call('POST', '/v2024/oauth-clients', { name: 'export' });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const body = new URLSearchParams(form);
  const issued = await fetch(`${service.url}/oauth/token`, { method: 'POST', body });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const answer = await service.call('GET', '/oauth/userinfo', undefined, headers);
  const info = (await answer.json()) as Record<string, unknown>;
  assert.deepEqual([info['sub'], info['identity_id'], info['authorities']], [id, null, []]);
});
