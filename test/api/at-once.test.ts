// What is taken away at a node opens nothing more there, with the very next request. Another node goes by what it read for half
// a second more (nodes.test.ts), so this is asked of one node alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, tokenOf } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

before(async () => {
  service = await startService();
});
after(() => service.stop());

test('a token that is deleted opens nothing more, at once', async () => {
  const party = await addUser(service, { capabilities: ['ROLE_ADMIN'] });
  const body = { query: { query: '*' } };
  assert.equal((await party.call('POST', '/v2024/search', body)).status, 200);
  const path = `/v2024/personal-access-tokens/${party.clientId}`;
  assert.equal((await service.call('DELETE', path)).status, 204);
  assert.equal((await party.call('POST', '/v2024/search', body)).status, 401);
  await assert.rejects(tokenOf(service.url, party), /401/);
});

test('a level that is taken away is gone with the next request', async () => {
  const party = await addUser(service, { capabilities: ['ROLE_ADMIN'] });
  const body = { query: { query: '*' } };
  assert.equal((await party.call('POST', '/v2024/search', body)).status, 200);
  await service.call(
    'PATCH',
    `/v2024/auth-users/${party.userId}`,
    [{ op: 'replace', path: '/capabilities', value: ['HELPDESK'] }],
    { 'content-type': 'application/json-patch+json' },
  );
  assert.equal((await party.call('POST', '/v2024/search', body)).status, 403);
});
