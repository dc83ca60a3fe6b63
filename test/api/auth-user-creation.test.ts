// One auth user is created from one JSON object: what it may say, what is refused, and that an import
// stays an import.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const PATH = '/admin/v1/auth-users';
const NDJSON = { 'content-type': 'application/x-ndjson' };

let service: RunningService;
before(async () => {
  service = await startService();
  const view = { name: 'sales', indices: { identities: '*' }, hide: [] };
  assert.equal((await service.call('POST', '/admin/v1/views', view)).status, 201);
});
after(() => service.stop());

async function create(body: unknown, headers: Record<string, string> = {}) {
  const answer = await service.call('POST', PATH, body, headers);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function total(): Promise<number> {
  const answer = await service.call('GET', `${PATH}?count=true&limit=0`);
  return Number(answer.headers.get('x-total-count'));
}

test('a user is created with what is sent, an id and defaults for the rest, and can be read at once', async () => {
  const sent = { displayName: 'Ada L.', email: 'ada@acme.test', capabilities: ['HELPDESK'] };
  const { status, body } = await create({ ...sent, uid: 'ada', view: 'sales' });
  assert.equal(status, 201);
  assert.match(String(body['id']), /^[0-9a-f]{32}$/);
  const { uid, alias, enabled, view } = body;
  assert.deepEqual(
    { uid, alias, enabled, view },
    { uid: 'ada', alias: 'ada', enabled: true, view: 'sales' },
  );
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(body[name], value, name);
  const stored = await service.call('GET', `${PATH}/${body['id']}`);
  assert.deepEqual(await stored.json(), body);
});

test('the creation is in the history, with the level as an event of its own', async () => {
  const { body } = await create({ uid: 'grace', capabilities: ['ORG_ADMIN'] });
  const answer = await service.call('GET', `${PATH}/${body['id']}/history`);
  const [entry] = (await answer.json()) as Record<string, Record<string, unknown>>[];
  assert.equal(entry?.['operation'], 'CREATE');
  assert.equal(entry?.['actor']?.['id'], service.adminId);
  assert.deepEqual(entry?.['capabilities']?.['granted'], ['ORG_ADMIN']);
});

test('an object in several lines is one object, and its id is kept', async () => {
  const text = JSON.stringify({ id: 'identity-7', uid: 'joan' }, null, 2);
  const { status, body } = await create(text, {
    'content-type': 'application/json; charset=utf-8',
  });
  assert.deepEqual([status, body['id'], body['uid']], [201, 'identity-7', 'joan']);
});

const REFUSED: readonly (readonly [body: unknown, reason: RegExp])[] = [
  [{}, /uid is missing/],
  [{ uid: '' }, /uid is missing/],
  [{ uid: 7 }, /uid must be a string/],
  [{ uid: 'test.admin' }, /uid: .*test\.admin.* is taken by the auth user/],
  [{ uid: 'x', id: 'taken' }, /id: .*taken.* is taken/],
  [{ uid: 'x', id: 'a\nb' }, /id has a control character/],
  [{ uid: 'x', emial: 'a' }, /emial.* cannot be set: the members are id, uid/],
  [{ uid: 'x', enabled: false }, /enabled.* cannot be set/],
  [{ uid: 'x', capabilities: ['HELPDESC'] }, /HELPDESC.* is not a known capability/],
  [{ uid: 'x', capabilities: 'HELPDESK' }, /capabilities must be an array/],
  [{ uid: 'x', view: 'none' }, /view/],
  [{ uid: 'x', view: 1 }, /view must be a string or null/],
  ['{"uid":"x",}', /offset|line|position|column/],
  ['"x"', /must be one object/],
];
for (const [body, reason] of REFUSED) {
  test(`${JSON.stringify(body)} is refused with the reason, and creates nobody`, async () => {
    await service.call('POST', PATH, '{"id":"taken","uid":"taken"}', NDJSON);
    const before = await total();
    const refused = await create(body);
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body).replaceAll('\\"', '"'), reason);
    assert.equal(await total(), before);
  });
}

test('of ten creations of one login at once one succeeds', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({ uid: 'race' })));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 9 }, () => 400)]);
});

const IMPORTS: readonly (readonly [
  name: string,
  body: string,
  headers?: Record<string, string>,
])[] = [
  ['an array of one element', '[{"id":"i1","uid":"i1"}]'],
  ['two lines of the type application/json', '{"id":"i1","uid":"i1"}\n{"id":"i2","uid":"i2"}'],
  ['one line of NDJSON', '{"id":"i1","uid":"i1"}', NDJSON],
  ['lines of which the first is faulty', '{"id":\n{"id":"i2","uid":"i2"}'],
  ['an empty array', '[]'],
];
for (const [name, body, headers] of IMPORTS) {
  test(`${name} is an import, which may come again`, async () => {
    for (const _ of [1, 2]) {
      const { status, body: report } = await create(body, headers);
      assert.equal(status, 200);
      assert.equal(typeof report['unchanged'], 'number');
    }
  });
}

test('whoever may not administer creates nobody', async () => {
  const party = await addUser(service, { capabilities: ['HELPDESK'] });
  const before = await total();
  assert.equal((await party.call('POST', PATH, { uid: 'mine' })).status, 403);
  assert.equal(await total(), before);
});
