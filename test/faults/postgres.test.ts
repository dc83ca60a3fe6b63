// suite: slow
// Kills and restarts PostgreSQL below the whole service (robustness line 37): the service answers
// 503 with Retry-After, recovers by itself, and keeps each acknowledged change once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

const postgres = await startPostgres();
after(() => postgres.stop());

test('answers 503 with Retry-After without a database, and applies nothing twice', async () => {
  const service = await startService({ CARDEA_STORE_URL: await postgres.database('away') });
  try {
    const [id = ''] = await service.addAuthUsers(1);
    await service.addDocuments([{ _type: 'role', id: 'r1', name: 'Role' }]);
    const add = (value: string) =>
      service.call(
        'PATCH',
        `/v3/auth-users/${id}`,
        [{ op: 'add', path: '/capabilities/-', value }],
        {
          'content-type': 'application/json-patch+json',
        },
      );
    const search = () =>
      service.call('POST', '/v3/search', { indices: ['roles'], query: { query: 'name:Role' } });
    assert.equal((await add('HELPDESK')).status, 200);

    await postgres.kill();
    for (const ask of [
      () => add('ROLE_ADMIN'),
      () => service.call('GET', `/v3/auth-users/${id}`),
    ]) {
      const answer = await ask();
      assert.equal(answer.status, 503, await answer.text());
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    await eventually(async () => assert.equal((await fetch(`${service.url}/ready`)).status, 503));
    assert.equal((await fetch(`${service.url}/health`)).status, 200);

    await postgres.restart();
    await eventually(async () => assert.equal((await fetch(`${service.url}/ready`)).status, 200));
    assert.equal((await add('CERT_ADMIN')).status, 200);
    const user = await service.call('GET', `/v3/auth-users/${id}`);
    const { capabilities } = (await user.json()) as { capabilities: string[] };
    assert.deepEqual(capabilities, ['HELPDESK', 'CERT_ADMIN']);
    await service.addDocuments([{ _type: 'role', id: 'r2', name: 'Role' }]);
    assert.equal(((await (await search()).json()) as unknown[]).length, 2);
  } finally {
    await service.stop();
  }
});
