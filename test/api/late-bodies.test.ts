// suite: slow
// Requests that were begun before the rights of their caller ended. On one node, where that is known with the next request.
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { DOCUMENT_LIMITS } from '../../src/service/imports/documents.ts';
import { addTenant, addUser, tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { addServedTenant, type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const userPath = (id: string) => `/admin/v1/auth-users/${id}`;

test('a request whose body came late is refused when the rights of its caller have ended', async () => {
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
  const search = '{"indices":["identities"],"query":{"query":"*"}}';
  const searches = [
    '',
    '/identities',
    '/count',
    '/aggregate',
    '/rows',
    '/explain?index=identities&id=x',
  ];
  const reads = searches.map((path) => ['POST', `/v3/search${path}`, json, search] as const);
  const held = [...changes, ...reads].map(([method, path, type, text]) => {
    const { body, answer } = begin(method, path, type, token);
    body.write(text.slice(0, -1));
    return { body, answer, last: text.slice(-1) };
  });
  await eventually(async () => {
    const headers = { authorization: `Bearer ${token}` };
    const status = await (await fetch(`${service.url}/admin/v1/status`, { headers })).json();
    const { activity } = status as { activity: { writes: number; searches: number } };
    assert.deepEqual([activity.writes, activity.searches], [changes.length, reads.length]);
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

test('a search whose body came late shows nothing that a view hides since', async () => {
  const tenant = await addServedTenant(service, 'viewed');
  await tenant.addDocuments([{ _type: 'identity', id: 'hidden', name: 'hidden' }]);
  await tenant.call('POST', '/admin/v1/views', { name: 'v', indices: { identities: 'id:other' } });
  const party = await addUser(tenant, { capabilities: ['ORG_ADMIN'] });
  const token = await tokenOf(service.url, party);
  const text = JSON.stringify({ indices: ['identities'], query: { query: 'id:hidden' } });
  const { body, answer } = begin('POST', '/v3/search', 'application/json', token);
  body.write(text.slice(0, -1));
  await eventually(async () => {
    const status = await (await tenant.call('GET', '/admin/v1/status')).json();
    assert.equal((status as { activity: { searches: number } }).activity.searches, 1);
  });
  assert.equal((await tenant.call('PATCH', userPath(party.userId), { view: 'v' })).status, 200);
  body.end(text.slice(-1));
  const { statusCode, headers } = await answer;
  assert.deepEqual([statusCode, headers['content-length']], [200, '2']);
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
