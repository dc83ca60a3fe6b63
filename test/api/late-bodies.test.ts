// Requests that were begun before the rights of their caller ended. On one node, where that is known with the next request.
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { DOCUMENT_LIMITS } from '../../src/service/documents/documents.ts';
import { addTenant, addUser, tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const userPath = (id: string) => `/admin/v1/auth-users/${id}`;

test('a change whose body came late is refused when the rights of its caller have ended', async () => {
  const admin = await addTenant(service, 'held');
  const token = await tokenOf(service.url, admin);
  const json = 'application/json';
  const changes = [
    ['POST', '/v3/personal-access-tokens', json, '{"name":"late"}'],
    ['POST', '/admin/v1/api-keys', json, '{"name":"late"}'],
    ['PATCH', userPath(admin.userId), json, '{"enabled":true}'],
    ['PATCH', `/v3/auth-users/${admin.userId}`, 'application/json-patch+json', '[]'],
    ['POST', '/api/profile_type', json, '{"profile_type":{"name":"late"}}'],
  ] as const;
  const held = changes.map(([method, path, type, text]) => {
    const { body, answer } = begin(method, path, type, token);
    body.write(text.slice(0, -1));
    return { body, answer, last: text.slice(-1) };
  });
  await eventually(async () => {
    const headers = { authorization: `Bearer ${token}` };
    const status = await (await fetch(`${service.url}/admin/v1/status`, { headers })).json();
    const { activity } = status as { activity: { writes: number } };
    assert.equal(activity.writes, changes.length);
  });
  assert.equal((await admin.call('POST', '/oauth/sign-out')).status, 204);
  for (const { body, last } of held) body.end(last);
  for (const { answer } of held) assert.equal((await answer).statusCode, 401);
});

test('an import ends with the rights of who began it', async () => {
  const party = await addUser(service, { capabilities: ['ORG_ADMIN'] });
  const token = await tokenOf(service.url, party);
  const { body, answer } = begin('POST', '/admin/v1/auth-users', 'application/x-ndjson', token);
  const line = (id: string) => `${JSON.stringify({ id, uid: id })}\n`;
  const batch = DOCUMENT_LIMITS.batch.documents;
  body.write(Array.from({ length: batch + 1 }, (_, i) => line(`before${i}`)).join(''));
  const statusOf = async (id: string) => (await service.call('GET', userPath(id))).status;
  await eventually(async () => assert.equal(await statusOf('before0'), 200));
  await service.call('PATCH', userPath(party.userId), { enabled: false });
  body.end(line('after'));
  assert.equal((await answer).statusCode, 401);
  assert.deepEqual([await statusOf(`before${batch}`), await statusOf('after')], [404, 404]);
  await eventually(async () => {
    const query = `technicalName:AUTH_USER_IMPORT_FAILED AND attributes.actorId:"${party.userId}"`;
    const search = { indices: ['events'], query: { query } };
    const events = await (await service.call('POST', '/v3/search', search)).json();
    assert.equal((events as { attributes: { created: number } }[])[0]?.attributes.created, batch);
  });
});

/** A request whose body is still to come. */
function begin(method: string, path: string, type: string, token: string) {
  const body = request(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    body.on('response', (message) => resolve(message.resume())).on('error', reject);
  });
  return { body, answer };
}
