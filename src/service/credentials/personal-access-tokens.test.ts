// Personal access tokens (contract/auth-users.md section 7): bodies, limits, expiry, filters,
// visibility and deletion.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
  addUser,
  auditTrail,
  callerOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { AuthUser } from '../ports/store.ts';
import { Credentials } from './credentials.ts';

let setting: TestTenant;
let service: Credentials<'pat'>;
let root: Caller;
let ada: AuthUser;
let adaCaller: Caller;

beforeEach(async () => {
  setting = await testTenant();
  service = new Credentials('pat', setting.store, { clock: setting.clock });
  root = callerOf(setting.tenant, setting.admin);
  ada = await addUser(setting, 'ada', []);
  adaCaller = callerOf(setting.tenant, ada);
});

function withCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === code;
}

async function trail(): Promise<unknown[]> {
  return (await auditTrail(setting))
    .map((event) => event['technicalName'])
    .filter((name) => String(name).startsWith('PERSONAL'));
}

test('the body of the Python client gets the defaults: six months, every scope', async () => {
  const { id, secret, ...rest } = await service.create(adaCaller, {
    name: 'n',
    scope: ['sp:scopes:all'],
    userAwareTokenNeverExpires: false,
    accessTokenValiditySeconds: null,
    expirationDate: null,
  });
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    name: 'n',
    scope: ['sp:scopes:all'],
    owner: { type: 'IDENTITY', id: ada.id, name: 'ada' },
    created: '2026-03-01T12:00:00.000Z',
    lastUsed: null,
    managed: false,
    accessTokenValiditySeconds: 43_200,
    expirationDate: '2026-09-01T12:00:00.000Z',
    userAwareTokenNeverExpires: false,
  });
});

test('shows the secret once, stores only a hash, and accepts it', async () => {
  const { id, secret } = await service.create(adaCaller, { name: 'n' });
  const [listed] = (await service.list(adaCaller, { ownerId: 'me' })).items;
  assert.ok(listed !== undefined && !('secret' in listed) && !('secretHash' in listed));
  const stored = await setting.store.read.credentialById(id);
  assert.ok(!JSON.stringify(stored).includes(secret));
  assert.ok(!JSON.stringify(await trail()).includes(secret));
  await setting.tokens.issue(
    { grant_type: 'client_credentials', client_id: id, client_secret: secret },
    null,
    '::1',
  );
});

const BODIES: readonly (readonly [body: unknown, outcome: ErrorCode | object])[] = [
  [null, 'request_invalid'],
  [[], 'request_invalid'],
  ['n', 'request_invalid'],
  [{}, 'request_invalid'],
  [{ name: 5 }, 'request_invalid'],
  [{ name: null }, 'request_invalid'],
  [{ name: ' ' }, 'illegal_value'],
  [{ name: 'x'.repeat(256) }, 'illegal_value'],
  [{ name: 'a\u0000b' }, 'illegal_value'],
  [{ name: '\ud800' }, 'illegal_value'],
  [{ name: ' n ' }, { name: 'n' }],
  [{ name: 'n', scope: null }, { scope: ['sp:scopes:default'] }],
  [{ name: 'n', scope: [] }, { scope: ['sp:scopes:default'] }],
  [{ name: 'n', scope: ['a', 'b', 'a'] }, { scope: ['a', 'b'] }],
  [{ name: 'n', scope: 'a' }, 'request_invalid'],
  [{ name: 'n', scope: [5] }, 'request_invalid'],
  [{ name: 'n', scope: ['a b'] }, 'illegal_value'],
  [{ name: 'n', scope: [''] }, 'illegal_value'],
  [{ name: 'n', accessTokenValiditySeconds: 15 }, { accessTokenValiditySeconds: 15 }],
  [{ name: 'n', accessTokenValiditySeconds: 43_200 }, { accessTokenValiditySeconds: 43_200 }],
  [{ name: 'n', accessTokenValiditySeconds: 14 }, 'illegal_value'],
  [{ name: 'n', accessTokenValiditySeconds: 43_201 }, 'illegal_value'],
  [{ name: 'n', accessTokenValiditySeconds: 20.5 }, 'request_invalid'],
  [{ name: 'n', accessTokenValiditySeconds: '20' }, 'request_invalid'],
  [
    { name: 'n', expirationDate: '2026-04-01T00:00:00+02:00' },
    { expirationDate: '2026-03-31T22:00:00.000Z' },
  ],
  [{ name: 'n', expirationDate: '2026-09-01T12:00:00Z' }, {}],
  [{ name: 'n', expirationDate: '2026-09-01T12:00:01Z' }, 'illegal_value'],
  [{ name: 'n', expirationDate: '2026-03-01T12:00:00Z' }, 'illegal_value'],
  [{ name: 'n', expirationDate: '2026-02-30T12:00:00Z' }, 'illegal_value'],
  [{ name: 'n', expirationDate: 'soon' }, 'illegal_value'],
  [{ name: 'n', expirationDate: 5 }, 'request_invalid'],
  [{ name: 'n', userAwareTokenNeverExpires: 'yes' }, 'request_invalid'],
  [{ name: 'n', userAwareTokenNeverExpires: true }, { expirationDate: null }],
  [
    { name: 'n', userAwareTokenNeverExpires: true, expirationDate: '2040-01-01T00:00:00Z' },
    { expirationDate: '2040-01-01T00:00:00.000Z' },
  ],
  [
    { name: 'n', userAwareTokenNeverExpires: true, expirationDate: '2020-01-01T00:00:00Z' },
    'illegal_value',
  ],
];

for (const [body, outcome] of BODIES) {
  const name = JSON.stringify(body).slice(0, 100);
  test(`creating ${name} gives ${JSON.stringify(outcome)}`, async () => {
    const created = service.create(adaCaller, body);
    if (typeof outcome === 'string') await assert.rejects(created, withCode(outcome));
    else same(await created, outcome);
    assert.equal((await trail()).length, typeof outcome === 'string' ? 0 : 1);
  });
}

/** Compares only the expected members. */
function same(actual: object, expected: object): void {
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(new Map(Object.entries(actual)).get(name), value, name);
  }
}

test('six months from the end of August is the end of February', async () => {
  setting.clock.time = Date.parse('2026-08-31T10:00:00Z');
  const { expirationDate } = await service.create(adaCaller, { name: 'n' });
  assert.equal(expirationDate, '2027-02-28T10:00:00.000Z');
});

test('names are unique per owner, and an owner has at most ten tokens', async () => {
  await service.create(adaCaller, { name: 't0' });
  await assert.rejects(service.create(adaCaller, { name: 't0' }), withCode('illegal_value'));
  await service.create(root, { name: 't0' });
  const many = Array.from({ length: 12 }, (_, i) =>
    service.create(adaCaller, { name: `t${i + 1}` }),
  );
  const outcomes = await Promise.allSettled(many);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 9);
  await assert.rejects(service.create(adaCaller, { name: 'x' }), withCode('limit_violation'));
});

test('neither a person without an auth user nor an API client can create a token', async () => {
  const stranger = { ...adaCaller, identityId: 'stranger', capabilities: ['ORG_ADMIN'] };
  await assert.rejects(service.create(stranger, { name: 'n' }), withCode('forbidden'));
  const app = { ...adaCaller, identityId: null };
  await assert.rejects(service.create(app, { name: 'n' }), withCode('forbidden'));
});

test('users list their own tokens, an administrator all or those of one user', async () => {
  await service.create(adaCaller, { name: 'hers' });
  await service.create(root, { name: 'his' });
  const names = async (caller: Caller, ownerId?: string) =>
    (await service.list(caller, { ownerId })).items.map(({ name }) => name).sort();
  assert.deepEqual(await names(adaCaller, 'me'), ['hers']);
  assert.deepEqual(await names(adaCaller, ada.id), ['hers']);
  assert.deepEqual(await names(root), ['hers', 'his']);
  assert.deepEqual(await names(root, ada.id), ['hers']);
  assert.deepEqual(await names(root, 'nobody'), []);
  await assert.rejects(names(adaCaller), withCode('forbidden'));
  await assert.rejects(names(adaCaller, setting.admin.id), withCode('forbidden'));
  await assert.rejects(names({ ...root, identityId: null }, 'me'), withCode('forbidden'));
  assert.deepEqual(await names({ ...root, tenantId: 'elsewhere' }), []);
});

test('a list is filtered by last use', async () => {
  const { id, secret } = await service.create(adaCaller, { name: 'used' });
  await service.create(adaCaller, { name: 'unused' });
  await setting.tokens.issue(
    { grant_type: 'client_credentials', client_id: id, client_secret: secret },
    null,
    '::1',
  );
  const cases: [string | undefined, string[] | ErrorCode][] = [
    [undefined, ['unused', 'used']],
    ['', ['unused', 'used']],
    ['lastUsed isnull', ['unused']],
    ['lastUsed le 2026-03-01T12:00:00.000Z', ['used']],
    ['lastUsed le "2026-03-01T12:00:00Z"', ['used']],
    ['lastUsed le 2026-03-02', ['used']],
    ['lastUsed le 2026-03-01T11:59:59Z', []],
    ['lastUsed le', 'request_invalid'],
    ['lastUsed le yesterday', 'request_invalid'],
    ['lastUsed gt 2026-03-01T11:59:59Z', 'request_invalid'],
    ['name eq "used"', 'request_invalid'],
  ];
  for (const [filters, expected] of cases) {
    const list = service.list(adaCaller, { ownerId: 'me', filters });
    if (typeof expected === 'string') await assert.rejects(list, withCode(expected), filters);
    else assert.deepEqual((await list).items.map(({ name }) => name).sort(), expected, filters);
  }
});

const PATCHES: readonly (readonly [patch: unknown, outcome: ErrorCode | object])[] = [
  [[{ op: 'replace', path: '/name', value: 'new' }], { name: 'new' }],
  [[{ op: 'replace', path: '/name', value: 'other' }], 'illegal_value'],
  [[{ op: 'replace', path: '/name', value: 5 }], 'illegal_value'],
  [[{ op: 'remove', path: '/name' }], 'illegal_value'],
  [[{ op: 'replace', path: '/scope', value: ['a', 'b'] }], { scope: ['a', 'b'] }],
  [[{ op: 'add', path: '/scope/-', value: 'c' }], { scope: ['sp:scopes:default', 'c'] }],
  [[{ op: 'replace', path: '/scope/7', value: 'c' }], 'illegal_value'],
  [[{ op: 'replace', path: '/scope', value: 'c' }], 'illegal_value'],
  [
    [{ op: 'replace', path: '/expirationDate', value: '2026-05-01T00:00:00Z' }],
    { expirationDate: '2026-05-01T00:00:00.000Z' },
  ],
  [[{ op: 'replace', path: '/expirationDate', value: '2027-05-01T00:00:00Z' }], 'illegal_value'],
  [[{ op: 'replace', path: '/expirationDate', value: null }], 'illegal_value'],
  [
    [
      { op: 'replace', path: '/userAwareTokenNeverExpires', value: true },
      { op: 'replace', path: '/expirationDate', value: null },
    ],
    { expirationDate: null, userAwareTokenNeverExpires: true },
  ],
  [[{ op: 'replace', path: '/id', value: 'x' }], 'illegal_update'],
  [[{ op: 'replace', path: '/accessTokenValiditySeconds', value: 20 }], 'illegal_update'],
  [[{ op: 'replace', path: '/ownerId', value: 'x' }], 'illegal_update'],
  [[{ op: 'copy', from: '/secretHash', path: '/name' }], 'illegal_update'],
  [[{ op: 'replace', path: '', value: {} }], 'illegal_update'],
  [[{ op: 'add', path: '/__proto__/x', value: 1 }], 'illegal_update'],
  [{ name: 'new' }, 'request_invalid'],
];

for (const [patch, outcome] of PATCHES) {
  test(`patching by ${JSON.stringify(patch)} gives ${JSON.stringify(outcome)}`, async () => {
    const { id } = await service.create(adaCaller, { name: 'n' });
    await service.create(adaCaller, { name: 'other' });
    const before = await setting.store.read.credentialById(id);
    const patched = service.patch(adaCaller, id, patch);
    if (typeof outcome === 'string') {
      await assert.rejects(patched, withCode(outcome));
      assert.deepEqual(await setting.store.read.credentialById(id), before);
    } else {
      same(await patched, outcome);
      const stored = await setting.store.read.credentialById(id);
      same({ ...stored, expirationDate: stored?.expires }, outcome);
    }
    const events = ['PERSONAL_ACCESS_TOKEN_CREATE_PASSED', 'PERSONAL_ACCESS_TOKEN_CREATE_PASSED'];
    if (typeof outcome !== 'string') events.push('PERSONAL_ACCESS_TOKEN_MODIFY_PASSED');
    assert.deepEqual(await trail(), events);
  });
}

test('a patch that changes nothing writes nothing', async () => {
  const { id } = await service.create(adaCaller, { name: 'n' });
  const before = await setting.store.read.lastSequence();
  await service.patch(adaCaller, id, [{ op: 'replace', path: '/name', value: 'n' }]);
  assert.equal(await setting.store.read.lastSequence(), before);
});

test("reports another user's token like a missing one", async () => {
  const { id } = await service.create(root, { name: 'n' });
  const elsewhere = { ...root, tenantId: 'elsewhere' };
  for (const caller of [adaCaller, elsewhere]) {
    for (const target of [id, '0'.repeat(32)]) {
      await assert.rejects(service.patch(caller, target, []), withCode('not_found'));
      await assert.rejects(service.remove(caller, target), withCode('not_found'));
    }
  }
});

test('users delete their own tokens, an administrator any, and access ends at once', async () => {
  const { id, secret } = await service.create(adaCaller, { name: 'n' });
  const answer = await setting.tokens.issue(
    { grant_type: 'client_credentials', client_id: id, client_secret: secret },
    null,
    '::1',
  );
  const authorization = `Bearer ${answer['access_token']}`;
  await setting.tokens.verify(authorization);
  await service.remove(root, id);
  await assert.rejects(setting.tokens.verify(authorization), withCode('token_invalid'));
  await assert.rejects(service.remove(root, id), withCode('not_found'));
  const second = await service.create(adaCaller, { name: 'n' });
  await service.remove(adaCaller, second.id);
  assert.equal((await trail()).filter((name) => String(name).includes('DELETE')).length, 2);
});
