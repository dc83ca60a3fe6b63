// A server without CARDEA_TESTING refuses the powers for tests; one with it keeps to the rights.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';

const ROUTES = [
  ['GET', 'faults'],
  ['PUT', 'faults'],
  ['DELETE', 'faults'],
  ['GET', 'requests'],
  ['DELETE', 'requests'],
  ['GET', 'advice'],
  ['GET', 'clock'],
  ['PUT', 'clock'],
  ['POST', 'snapshots'],
  ['POST', 'snapshots/1/restore'],
  ['DELETE', 'snapshots/1'],
  ['POST', 'reset'],
] as const;

test('a server for real data refuses every power, and says how to get them', async () => {
  const service = await startService();
  try {
    for (const [method, path] of ROUTES) {
      const body = method === 'PUT' ? [] : undefined;
      const answer = await service.call(method, `/admin/v1/${path}`, body);
      assert.equal(answer.status, 403, path);
      assert.match(await answer.text(), /start the server with cardea start --ephemeral/);
    }
    const ready = await (await fetch(`${service.url}/ready`)).json();
    assert.deepEqual(ready, { status: 'ready' });
  } finally {
    await service.stop();
  }
});

test('a server for tests refuses them without a token and without rights', async () => {
  const service = await startService({ CARDEA_TESTING: 'on' });
  try {
    const [id = ''] = await service.addAuthUsers(1);
    const user = await service.cardea.store.read.authUser(service.tenantId, id);
    assert.deepEqual(user?.capabilities, []);
    const narrow = await service.call('POST', '/v2024/personal-access-tokens', {
      name: 'narrow',
      scope: ['sp:search:read'],
    });
    const { id: clientId, secret } = (await narrow.json()) as { id: string; secret: string };
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
    });
    const token = await fetch(`${service.url}/oauth/token`, { method: 'POST', body: form });
    const { access_token } = (await token.json()) as { access_token: string };
    for (const [method, path] of ROUTES) {
      const url = `${service.url}/admin/v1/${path}`;
      const options = {
        method,
        ...(method === 'PUT' && { body: '[]' }),
      };
      const headers = { 'content-type': 'application/json' };
      assert.equal((await fetch(url, { ...options, headers })).status, 401, path);
      const authorization = `Bearer ${access_token}`;
      const answer = await fetch(url, { ...options, headers: { ...headers, authorization } });
      assert.equal(answer.status, 403, path);
      assert.doesNotMatch(await answer.text(), /no powers for tests/);
    }
    // It was not started by cardea start, so there is no start to go back to.
    const reset = await service.call('POST', '/admin/v1/reset');
    assert.equal(reset.status, 404);
    assert.match(await reset.text(), /take a snapshot and restore that/);
  } finally {
    await service.stop();
  }
});
