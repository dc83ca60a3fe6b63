// Who may do what, over HTTP: lists of auth users, the CSV of holders, and the history of a user.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addTenant, addUser, type Party } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const LIST = '/admin/v1/auth-users';
const PATCH = { 'content-type': 'application/json-patch+json' };

let service: RunningService;
let auditor: Party;
let helper: Party;
before(async () => {
  service = await startService();
  auditor = await addUser(service, { capabilities: ['CERT_ADMIN', 'HELPDESK'] });
  helper = await addUser(service, { capabilities: ['HELPDESK'] });
  await service.addAuthUsers(2);
});
after(() => service.stop());

type Entry = {
  operation: string;
  actor: { name: string; id: string; remoteAddress: string; requestId: string | null };
  capabilities: Record<'before' | 'after' | 'granted' | 'revoked', string[]> | null;
  before: object | null;
  after: object | null;
};

const listed = async (query: string) => {
  const answer = await service.call('GET', `${LIST}?${query}`);
  assert.equal(answer.status, 200);
  const users = (await answer.json()) as { id: string; enabled: boolean }[];
  return { users, ids: users.map(({ id }) => id), total: answer.headers.get('x-total-count') };
};
const historyOf = async (id: string, query = '') => {
  const answer = await service.call('GET', `${LIST}/${id}/history${query}`);
  assert.equal(answer.status, 200);
  return {
    entries: (await answer.json()) as Entry[],
    total: answer.headers.get('x-total-count'),
  };
};
const encoded = (filters: string) => `filters=${encodeURIComponent(filters)}`;

test('lists the holders of a capability, with the total of all', async () => {
  const { ids, total, users } = await listed(
    `${encoded('capabilities ca "HELPDESK"')}&sorters=-name&limit=1&count=true`,
  );
  assert.deepEqual(ids, [helper.userId]);
  assert.equal(total, '2');
  assert.equal(users[0]?.enabled, true);
  assert.equal((await listed('limit=1&offset=4')).ids.length, 1);
  assert.equal((await listed('limit=1')).total, null);
});

test('explains a parameter that it cannot read', async () => {
  const cases: readonly [string, RegExp][] = [
    [encoded('capabilites ca "HELPDESK"'), /offset 0: .* did you mean capabilities\?/],
    [encoded('capabilities ca HELPDESK'), /offset 16: expected a text in plain double quotes/],
    ['sorters=capabilities', /capabilities\W* is not sortable/],
    ['limit=10001', /from 0 to 10000/],
    ['count=maybe', /count: expected true or false/],
  ];
  for (const [query, message] of cases) {
    const answer = await service.call('GET', `${LIST}?${query}`);
    assert.equal(answer.status, 400, query);
    assert.match(await answer.text(), message);
  }
});

test('lists no user of another tenant, and serves administrators alone', async () => {
  const other = await addTenant(service, 'elsewhere');
  const answer = await other.call('GET', LIST);
  const users = (await answer.json()) as { id: string }[];
  assert.deepEqual(
    users.map(({ id }) => id),
    [other.userId],
  );
  assert.equal((await other.call('GET', `${LIST}/${helper.userId}/history`)).status, 404);
  for (const path of [LIST, `${LIST}/${auditor.userId}/history`]) {
    assert.equal((await auditor.call('GET', path)).status, 403);
    assert.equal((await fetch(service.url + path)).status, 401);
  }
});

test('answers a row for each user and capability as CSV', async () => {
  const hostile = { id: 'csv1', uid: 'csv1', displayName: '=HYPERLINK("x"), Inc', email: '@sum' };
  const line = JSON.stringify({ ...hostile, capabilities: ['HELPDESK', 'ROLE_ADMIN'] });
  assert.equal((await service.call('POST', LIST, line)).status, 201);
  const csv = async (query: string, accept = 'text/csv') => {
    const answer = await service.call('GET', `${LIST}?${query}`, undefined, { accept });
    assert.equal(answer.headers.get('content-type'), 'text/csv;charset=utf-8');
    return { answer, text: await answer.text() };
  };
  const { answer, text } = await csv(encoded('id eq "csv1" or enabled eq false'));
  const cells = `csv1,csv1,"'=HYPERLINK(""x""), Inc",'@sum,true,`;
  assert.equal(
    text,
    `capability,id,uid,name,email,enabled,lastLogin\r\nHELPDESK,${cells}\r\nROLE_ADMIN,${cells}\r\n`,
  );
  assert.equal(answer.headers.get('x-total-count'), '1');
  assert.equal(answer.headers.get('warning'), null);
  const cut = await csv('limit=1&sorters=id', 'application/json;q=0.1, text/csv');
  assert.match(cut.answer.headers.get('warning') ?? '', /More auth users match/);
});

test('tells each change with its actor and the capabilities before and after', async () => {
  const { userId } = await addUser(service, { capabilities: ['HELPDESK'] });
  const patch = [
    { op: 'add', path: '/capabilities/-', value: 'CERT_ADMIN' },
    { op: 'remove', path: '/capabilities/0' },
  ];
  const patched = await service.call('PATCH', `/v3/auth-users/${userId}`, patch, PATCH);
  assert.equal(patched.status, 200);
  const path = `${LIST}/${userId}`;
  assert.equal((await service.call('PATCH', path, { enabled: false })).status, 200);
  assert.equal((await service.call('POST', `${path}/sign-out`)).status, 204);
  assert.equal((await service.call('DELETE', path)).status, 204);

  const { entries, total } = await historyOf(userId, '?count=true');
  assert.equal(total, '5');
  assert.deepEqual(
    entries.map(({ operation }) => operation),
    ['DELETE', 'SIGN_OUT', 'DISABLE', 'MODIFY', 'CREATE'],
  );
  const [deleted, signedOut, disabled, modified, created] = entries;
  assert.deepEqual(modified?.capabilities, {
    before: ['HELPDESK'],
    after: ['CERT_ADMIN'],
    granted: ['CERT_ADMIN'],
    revoked: ['HELPDESK'],
  });
  assert.equal(modified?.actor.name, 'test.admin');
  assert.equal(modified?.actor.id, service.adminId);
  assert.equal(modified?.actor.requestId, patched.headers.get('slpt-request-id'));
  assert.match(modified?.actor.remoteAddress ?? '', /127\.0\.0\.1|::1/);
  assert.equal(disabled?.capabilities, null);
  assert.deepEqual([disabled?.before, disabled?.after], [{ enabled: true }, { enabled: false }]);
  assert.equal(signedOut?.capabilities, null);
  assert.deepEqual(created?.capabilities?.granted, ['HELPDESK']);
  assert.equal(created?.before, null);
  assert.equal((created?.after as { uid?: string })?.uid, userId);
  assert.deepEqual(deleted?.capabilities?.revoked, ['CERT_ADMIN']);
  assert.equal(deleted?.after, null);

  const second = await historyOf(userId, '?limit=1&offset=3');
  assert.deepEqual(second.entries, [modified]);
  assert.equal(second.total, null);
  assert.deepEqual((await historyOf(userId, '?offset=9')).entries, []);
});

test('has no history of an id that never was an auth user', async () => {
  const answer = await service.call('GET', `${LIST}/unknown-id/history`);
  assert.equal(answer.status, 404);
  assert.equal((await service.call('GET', `${LIST}/x/history?limit=251`)).status, 400);
});
