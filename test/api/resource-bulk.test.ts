// Records of profile management over HTTP: many at once, all or nothing; the events of changes; changes at the same time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Call } from '../support/api-key.ts';
import {
  member,
  type ResourceWorld,
  startResourceWorld,
  UNKNOWN_ID,
} from '../support/resource-world.ts';

let world: ResourceWorld;
let call: Call;
let make: ResourceWorld['make'];
let events: ResourceWorld['events'];

before(async () => {
  world = await startResourceWorld();
  ({ call, make, events } = world);
});
after(() => world.service.stop());

test('many are made and changed at once, in the order sent', async () => {
  const users = Array.from({ length: 30 }, (_, n) => member({ title: `t${n}` }));
  const { status, body } = await call('POST', '/api/users', { users });
  assert.equal(status, 200);
  assert.deepEqual(
    body.users.map(({ login }: { login: string }) => login),
    users.map(({ login }) => login),
  );
  const changes = body.users.map(({ id, uid }: { id: string; uid: string }, n: number) => ({
    ...{ id: n % 2 === 0 ? id : uid, title: `u${n}` },
  }));
  const changed = await call('PATCH', '/api/users', { users: changes });
  assert.deepEqual(
    changed.body.users.map(({ title }: { title: string }) => title),
    users.map((_, n) => `u${n}`),
  );
});

const BULK: readonly [
  method: string,
  body: unknown,
  error: string,
  errors?: Record<string, readonly string[]>,
][] = [
  ['POST', {}, 'param is missing or the value is empty: roles'],
  ['POST', { roles: [] }, 'param is missing or the value is empty: roles'],
  ['POST', { roles: { name: 'x' } }, 'roles must be an array of objects'],
  [
    'POST',
    { roles: [{ name: 'a' }, { name: '' }, 7] },
    'The roles failed to create',
    {
      '1.name': ["can't be blank"],
      '2': ['must be an object'],
    },
  ],
  [
    'POST',
    {
      roles: [
        { name: 'a', uid: 'two' },
        { name: 'b', uid: 'two' },
      ],
    },
    'The roles failed to create',
    {
      '1.uid': ['has already been taken'],
    },
  ],
  [
    'PATCH',
    { roles: [{ id: 'sponsors', name: 'new' }, { name: 'x' }, { id: UNKNOWN_ID }, { id: 1 }] },
    'The roles failed to update',
    {
      '1.id': ["can't be blank"],
      '2.id': ['was not found'],
      '3.id': ['must be a string'],
    },
  ],
  [
    'PATCH',
    {
      roles: [
        { id: 'sponsors', name: 'a' },
        { id: '$role', name: 'b' },
      ],
    },
    'The roles failed to update',
    { '1.id': ['is there more than once'] },
  ],
  [
    'POST',
    { roles: Array.from({ length: 1001 }, () => ({ name: 'x' })) },
    'roles must hold at most 1000 records, and holds 1001',
  ],
];
for (const [method, body, error, errors] of BULK) {
  test(`${method} many ${JSON.stringify(body).slice(0, 60)} is all or nothing: ${error}`, async () => {
    const before = (await call('GET', '/api/roles?metadata=true')).body;
    const answer = await call(method, '/api/roles', world.withIds(body));
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, { error, ...(errors === undefined ? {} : { errors }) });
    assert.deepEqual((await call('GET', '/api/roles?metadata=true')).body, before);
  });
}

test('a thousand at once are taken, with one event for all of them', async () => {
  const before = (await events()).length;
  const roles = Array.from({ length: 1000 }, (_, n) => ({ name: `bulk ${n}` }));
  const { status, body } = await call('POST', '/api/roles', { roles });
  assert.equal(status, 200);
  assert.equal(body.roles.length, 1000);
  assert.equal((await call('GET', '/api/roles')).body.length, 100, 'a page without a limit');
  const written = (await events()).slice(before);
  assert.equal(written.length, 1);
  assert.equal(written[0]?.['attributes.count'], 1000);
});

test('each change leaves one event, what is refused or changes nothing none', async () => {
  const start = (await events()).length;
  const role = await make('role', 'role', { name: 'Watched' });
  const path = `/api/roles/${role.id}`;
  await call('PATCH', path, { role: { name: 'Watched more' } });
  await call('PATCH', path, { role: { name: 'Watched more' } });
  await call('PATCH', path, { role: { name: '' } });
  await call('PATCH', `/api/roles/${UNKNOWN_ID}`, { role: { name: 'x' } });
  const roles = [{ name: 'a' }, { name: 'b' }];
  await call('POST', '/api/roles', { roles });
  await call('POST', '/api/roles', { roles: [...roles, {}] });
  const user = await make('user', 'user', member());
  await call('DELETE', `/api/users/${user.id}`);
  const written = (await events()).slice(start);
  assert.deepEqual(
    written.map((event) => event['technicalName']),
    [
      ...['NE_ROLE_CREATE_PASSED', 'NE_ROLE_MODIFY_PASSED'],
      ...['NE_ROLE_CREATE_PASSED', 'NE_ROLE_CREATE_PASSED'],
      ...['NE_USER_CREATE_PASSED', 'NE_USER_DELETE_PASSED'],
    ],
  );
  assert.equal(written[0]?.['attributes.targetId'], role.id);
  assert.equal(written[0]?.['attributes.before'], undefined);
  assert.equal(JSON.parse(String(written[0]?.['attributes.after'])).name, 'Watched');
  assert.deepEqual(written[1]?.['attributes.changed'], ['name']);
  assert.equal(written[1]?.['attributes.before'], '{"name":"Watched"}');
  assert.equal(written[1]?.['attributes.after'], '{"name":"Watched more"}');
  assert.equal(JSON.parse(String(written[5]?.['attributes.before'])).id, user.id);
  assert.equal(written[5]?.['attributes.after'], undefined);
});

test('fifty changes at once are some order of them, one event each', {
  timeout: 60_000,
}, async () => {
  const role = await make('role', 'role', { name: 'Busy', groups: [] });
  const start = (await events()).length;
  const path = `/api/roles/${role.id}`;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call('PATCH', path, { role: n % 2 === 0 ? { name: `n${n}` } : { groups: [`g${n}`] } }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { role: last } = (await call('GET', path)).body;
  assert.match(last.name, /^n\d+$/);
  assert.match(last.groups[0], /^g\d+$/, 'neither kind of change undoes the other');
  assert.equal((await events()).length - start, 50);
});

test('of many who make the same link at once, one does', async () => {
  const user = await make('user', 'user', member());
  const link = { user_role: { user_id: user.id, role_id: 'sponsors' } };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call('POST', '/api/user_role', link)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await call('GET', `/api/user_roles?user_id=${user.id}`)).body.length, 1);
});
