// Use cases of API clients below the routes: the limit per tenant, inherited scopes, and failing
// transactions.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { auditTrail, callerOf, type TestTenant, testTenant } from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { createTenant } from '../accounts/provisioning.ts';
import { byOperator } from '../audit/operator-event.ts';
import { ForwardingStore } from '../ports/forwarding-store.ts';
import { Credentials } from './credentials.ts';

let setting: TestTenant;
let clients: Credentials<'client'>;
let root: Caller;

beforeEach(async () => {
  setting = await testTenant();
  clients = new Credentials('client', setting.store, { clock: setting.clock, most: 2 });
  root = callerOf(setting.tenant, setting.admin);
});

function withCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === code;
}

const trail = async () =>
  (await auditTrail(setting)).filter(({ technicalName }) =>
    String(technicalName).startsWith('API_CLIENT'),
  );

test('limits the number of clients per tenant', async () => {
  const { store, clock } = setting;
  const other = await createTenant(store, { name: 'other' }, byOperator(clock));
  const foreigner = { ...root, tenantId: other.id };
  const [first] = [
    await clients.create(root, { name: 'one' }),
    await clients.create(root, { name: 'two' }),
  ];
  await assert.rejects(clients.create(root, { name: 'three' }), withCode('limit_violation'));
  await clients.create(foreigner, { name: 'theirs' });
  await clients.remove(root, first.id);
  await clients.create(root, { name: 'three' });
  const names = async (caller: Caller) =>
    (await clients.list(caller)).items.map(({ name }) => name).sort();
  assert.deepEqual(await names(root), ['three', 'two']);
  assert.deepEqual(await names(foreigner), ['theirs']);
});

test('stores the secret as a hash and shows it only on creation', async () => {
  const { id, secret } = await clients.create(root, { name: 'n' });
  const stored = await setting.store.read.credentialById(id);
  assert.match(stored?.secretHash ?? '', /^sha256\$/);
  const shown = [
    await clients.get(root, id),
    ...(await clients.list(root)).items,
    await clients.patch(root, id, []),
  ];
  for (const view of shown) {
    assert.equal(view.secret, null);
    assert.equal('secretHash' in view, false);
  }
  assert.doesNotMatch(JSON.stringify([stored, shown, await trail()]), new RegExp(secret));
});

const INHERITED: readonly (readonly [held: string[], expected: string[]])[] = [
  [['sp:scopes:all'], ['sp:scopes:all']],
  [
    ['idn:oauth-client:manage', 'x', 'x'],
    ['idn:oauth-client:manage', 'x'],
  ],
];
for (const [held, expected] of INHERITED) {
  test(`a client created without a scope gets that of the token: ${held.join(' ')}`, async () => {
    const caller = callerOf(setting.tenant, setting.admin, held);
    assert.deepEqual((await clients.create(caller, { name: 'n' })).scope, expected);
    assert.deepEqual((await clients.create(caller, { name: 'n', scope: null })).scope, expected);
  });
}

test('a client that loses the grant loses its refresh tokens permanently', async () => {
  const { store, tenant } = setting;
  const grantTypes = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'];
  const { id, secret } = await clients.create(root, { name: 'n', grantTypes });
  await setting.tokens.issue({ grant_type: 'client_credentials' }, { id, secret }, '::1');
  const count = async () => (await store.read.refreshTokensOf(tenant.id, id)).length;
  assert.equal(await count(), 1);
  await clients.patch(root, id, [{ op: 'replace', path: '/enabled', value: true }]);
  assert.equal(await count(), 1);
  await clients.patch(root, id, [{ op: 'remove', path: '/grantTypes/1' }]);
  assert.equal(await count(), 0);
});

test('a failed transaction leaves neither a change nor an event', async () => {
  const { store } = setting;
  const { id } = await clients.create(root, { name: 'n' });
  const before = [(await clients.list(root)).items, await trail()];
  const failing = new ForwardingStore(store, {
    write: (work) =>
      store.write(async (records) => {
        await work(records);
        throw new ServiceError('unavailable', 'disk full');
      }),
  });
  const broken = new Credentials('client', failing, { clock: setting.clock });
  const rename = [{ op: 'replace', path: '/name', value: 'other' }];
  for (const change of [
    () => broken.create(root, { name: 'm' }),
    () => broken.patch(root, id, rename),
    () => broken.remove(root, id),
  ]) {
    await assert.rejects(change, withCode('unavailable'));
  }
  assert.deepEqual([(await clients.list(root)).items, await trail()], before);
});

test('a patch updates `modified`, a token request updates `lastUsed`', async () => {
  const { id, secret, created } = await clients.create(root, { name: 'n' });
  setting.clock.pass(60);
  const now = new Date(setting.clock.now()).toISOString();
  await setting.tokens.issue({ grant_type: 'client_credentials' }, { id, secret }, '::1');
  const used = await clients.get(root, id);
  assert.deepEqual([used.created, used.modified, used.lastUsed], [created, created, now]);
  const patched = await clients.patch(root, id, [{ op: 'replace', path: '/name', value: 'm' }]);
  assert.deepEqual([patched.created, patched.modified, patched.lastUsed], [created, now, now]);
});

test('two concurrent patches both take effect', async () => {
  const { id } = await clients.create(root, { name: 'n' });
  const add = (uri: string) =>
    clients.patch(root, id, [{ op: 'add', path: '/redirectUris/-', value: uri }]);
  await Promise.all([add('http://a'), add('http://b')]);
  assert.deepEqual([...(await clients.get(root, id)).redirectUris].sort(), [
    'http://a',
    'http://b',
  ]);
  assert.equal((await trail()).length, 3);
});

test('the tokens of a client that is disabled end at the time of the write, however long it waited', async () => {
  const { store, clock } = setting;
  const { id } = await clients.create(root, { name: 'n' });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const before = store.write(() => held);
  const disabled = clients.patch(root, id, [{ op: 'replace', path: '/enabled', value: false }]);
  await new Promise(setImmediate);
  clock.pass(60);
  release();
  await Promise.all([before, disabled]);
  const client = await store.read.credentialById(id);
  assert.ok(client?.kind === 'client');
  assert.equal(client.tokensValidFrom, Math.floor(clock.now() / 1000) + 1);
});
