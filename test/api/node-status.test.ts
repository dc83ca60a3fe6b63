// What administrators are told of the node: true figures of their own tenant, and nothing of another one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NodeStatusAnswer } from '../../src/telemetry/node-status.ts';
import { addTenant, addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function statusFor(party: Pick<Party, 'call'>): Promise<NodeStatusAnswer> {
  const answer = await party.call('GET', '/admin/v1/status');
  assert.equal(answer.status, 200);
  return (await answer.json()) as NodeStatusAnswer;
}

/** Waits for what is written beside documents, too. */
async function settle(): Promise<void> {
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await status.lastSequence(), 60_000);
}

const role = (id: string) => ({ _type: 'role', id, name: id });
const documentsOf = ({ indexes }: NodeStatusAnswer, name: string) =>
  indexes.find(({ index }) => index === name)?.documents ?? 0;

test('the only tenant sees its node whole', async () => {
  await service.addDocuments([
    role('r1'),
    role('r2'),
    { _type: 'identity', id: 'i1', name: 'Ada' },
  ]);
  // The first call asks for a token, which is recorded in the audit trail.
  await statusFor(service);
  await settle();
  const status = await statusFor(service);
  assert.equal(documentsOf(status, 'roles'), 2);
  assert.equal(documentsOf(status, 'identities'), 1);
  const { node, lag, merges, caches } = status;
  assert.deepEqual([node.store, node.search, node.feeds], ['sqlite', 'embedded', true]);
  assert.equal(node.testing, false);
  assert.deepEqual(
    status.threads?.map(({ thread }) => thread),
    Array.from({ length: node.threads }, (_, n) => n + 1),
  );
  assert.equal(lag.lastSequence, await service.cardea.store.read.lastSequence());
  assert.equal(lag.appliedSequence, lag.lastSequence);
  assert.deepEqual([lag.changes, lag.seconds], [0, 0]);
  assert.equal(typeof merges?.underWay, 'boolean');
  assert.deepEqual(
    caches?.map(({ name }) => name),
    ['sources', 'results', 'queries', 'positions'],
  );
  assert.equal((await statusFor(service)).node.id, node.id);
});

test('requests, searches and writes are counted, each by what it is', async () => {
  const { activity: before } = await statusFor(service);
  const body = { query: { query: '*' } };
  await service.call('POST', '/v2024/search', body);
  await service.call('POST', '/v3/search/count', body);
  await service.call('POST', '/v2024/search', { query: { query: '(' } });
  await service.call('DELETE', '/admin/v1/documents/roles/nobody');
  await service.call('GET', `/v2024/auth-users/${service.adminId}`);
  const { activity } = await statusFor(service);
  assert.equal(activity.searches - before.searches, 3);
  assert.equal(activity.writes - before.writes, 1);
  assert.equal(activity.requests - before.requests, 6, 'the question itself is one');
});

test('an administrator alone may ask', async () => {
  const helper = await addUser(service, { capabilities: ['HELPDESK'] });
  assert.equal((await helper.call('GET', '/admin/v1/status')).status, 403);
  const narrow = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:search:read'] });
  assert.equal((await narrow.call('GET', '/admin/v1/status')).status, 403);
});

test('beside another tenant, nothing tells what that one has or does', async () => {
  const other = await addTenant(service, 'other');
  await settle();
  const settled = await statusFor(service);
  for (const member of ['lastSequence', 'appliedSequence', 'changes'] as const) {
    assert.equal(settled.lag[member], null);
  }
  assert.deepEqual([settled.merges, settled.caches, settled.threads], [null, null, null]);
  const documents = Array.from({ length: 50 }, (_, i) => JSON.stringify(role(`theirs${i}`)));
  await other.call('POST', '/admin/v1/documents?refresh=wait', documents.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  for (let i = 0; i < 5; i++) await other.call('POST', '/v2024/search', { query: { query: '*' } });
  assert.equal(documentsOf(await statusFor(other), 'roles'), 50);
  const mine = await statusFor(service);
  // Segments are merged and written whenever there is time; documents stay. Of a long test the beginning is forgotten.
  const documentsIn = ({ indexes }: NodeStatusAnswer) =>
    indexes.map(({ index, documents }) => [index, documents]);
  assert.deepEqual(documentsIn(mine), documentsIn(settled));
  assert.ok(mine.activity.searches <= settled.activity.searches);
  assert.ok(mine.activity.writes <= settled.activity.writes);
  assert.ok(mine.activity.requests <= settled.activity.requests + 1);
});
