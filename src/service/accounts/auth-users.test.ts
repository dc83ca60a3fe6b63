// Reading and patching auth users against a store: rights, order of checks, preconditions, the last
// administrator, the audit trail, and concurrent patches.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { caseCount } from '../../../test/support/case-count.ts';
import {
  addUser,
  auditTrail,
  callerOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { CAPABILITIES } from '../../auth/capabilities.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { readPatch } from '../../json/json-patch.ts';
import type { AuthUser } from '../ports/store.ts';
import { AuthUsers } from './auth-users.ts';
import { patchCapabilities } from './capability-patch.ts';

let setting: TestTenant;
let authUsers: AuthUsers;
let root: Caller;
let ada: AuthUser;

beforeEach(async () => {
  setting = await testTenant();
  authUsers = new AuthUsers(setting.store, { clock: setting.clock });
  root = callerOf(setting.tenant, setting.admin);
  ada = await addUser(setting, 'ada', ['HELPDESK']);
});

function withCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === code;
}

const grant = (level: string) => [{ op: 'add', path: '/capabilities/-', value: level }];

async function trail(): Promise<Record<string, unknown>[]> {
  const events = await auditTrail(setting);
  return events.filter((event) => event['technicalName'] === 'AUTH_USER_MODIFY_PASSED');
}

test('reads a user with every member and a strong tag', async () => {
  const { user, etag } = await authUsers.get(root, ada.id);
  assert.deepEqual(Object.keys(user), [
    ...['tenant', 'id', 'uid', 'profile', 'identificationNumber', 'email', 'phone', 'workPhone'],
    ...['personalEmail', 'firstname', 'lastname', 'displayName', 'alias'],
    ...['lastPasswordChangeDate', 'lastLoginTimestamp', 'currentLoginTimestamp'],
    ...['lastUnlockTimestamp', 'capabilities'],
  ]);
  assert.match(etag, /^"[^"]+"$/);
});

test('HELPDESK reads any user, a user without a level only itself', async () => {
  const bob = await addUser(setting, 'bob', []);
  await authUsers.get(callerOf(setting.tenant, ada), bob.id);
  await authUsers.get(callerOf(setting.tenant, bob), bob.id);
  await assert.rejects(authUsers.get(callerOf(setting.tenant, bob), ada.id), withCode('forbidden'));
  const app = { ...root, identityId: null, userName: null, capabilities: [] };
  await assert.rejects(authUsers.get(app, ada.id), withCode('forbidden'));
  await assert.rejects(authUsers.patch(app, ada.id, [], undefined), withCode('forbidden'));
});

test("another tenant's user is answered like one that does not exist", async () => {
  const elsewhere = { ...root, tenantId: 'another-tenant', identityId: 'x' };
  for (const id of [ada.id, 'random']) {
    await assert.rejects(authUsers.get(elsewhere, id), withCode('not_found'));
    await assert.rejects(authUsers.patch(elsewhere, id, [], undefined), withCode('not_found'));
  }
});

test('checks level, shape, user, target, precondition and value in this order', async () => {
  const helper = callerOf(setting.tenant, ada);
  const steps: [Caller, string, unknown, string | undefined, ErrorCode][] = [
    [helper, 'nobody', 'no patch', '"x"', 'forbidden'],
    [root, 'nobody', 'no patch', '"x"', 'request_invalid'],
    [root, 'nobody', [{ op: 'remove', path: '/id' }], '"x"', 'not_found'],
    [root, ada.id, [{ op: 'remove', path: '/id' }], '"x"', 'illegal_update'],
    [root, ada.id, grant('NOPE'), '"x"', 'precondition_failed'],
    [root, ada.id, grant('NOPE'), '*', 'illegal_value'],
  ];
  for (const [caller, id, body, ifMatch, code] of steps) {
    await assert.rejects(authUsers.patch(caller, id, body, ifMatch), withCode(code), code);
  }
  assert.equal((await trail()).length, 0);
  assert.deepEqual((await authUsers.get(root, ada.id)).user.capabilities, ['HELPDESK']);
});

test('a granted level is stored, returned and recorded in the audit trail', async () => {
  const caller = { ...root, origin: { address: '10.0.0.7', requestId: 'r1' } };
  const { user, etag } = await authUsers.patch(caller, ada.id, grant('ROLE_ADMIN'), undefined);
  assert.deepEqual(user.capabilities, ['HELPDESK', 'ROLE_ADMIN']);
  assert.deepEqual(await authUsers.get(root, ada.id), { user, etag });
  const [event, ...more] = await trail();
  assert.equal(more.length, 0);
  assert.deepEqual(event?.['actor'], { name: 'root' });
  assert.deepEqual(event?.['target'], { name: 'ada' });
  assert.deepEqual(event?.['attributes'], {
    actorId: setting.admin.id,
    targetId: ada.id,
    capabilitiesBefore: ['HELPDESK'],
    capabilitiesAfter: ['HELPDESK', 'ROLE_ADMIN'],
    remoteAddress: '10.0.0.7',
    requestId: 'r1',
  });
});

test('a patch that fails or changes nothing leaves no event and no change', async () => {
  const before = await setting.store.read.lastSequence();
  await authUsers.patch(root, ada.id, [], undefined);
  await authUsers.patch(root, ada.id, grant('HELPDESK'), undefined);
  const failing = [...grant('ROLE_ADMIN'), { op: 'test', path: '/capabilities/0', value: 'X' }];
  await assert.rejects(
    authUsers.patch(root, ada.id, failing, undefined),
    withCode('illegal_value'),
  );
  assert.equal(await setting.store.read.lastSequence(), before);
});

test('a tag admits one change, and not the next one', async () => {
  const { etag } = await authUsers.get(root, ada.id);
  await authUsers.patch(root, ada.id, grant('CERT_ADMIN'), `"other", ${etag}`);
  await assert.rejects(
    authUsers.patch(root, ada.id, grant('ROLE_ADMIN'), etag),
    withCode('precondition_failed'),
  );
});

test('rejects the removal of the last administrator, but not of the last but one', async () => {
  const removal = [{ op: 'remove', path: '/capabilities' }];
  await assert.rejects(
    authUsers.patch(root, setting.admin.id, removal, undefined),
    (error: unknown) =>
      error instanceof ServiceError &&
      error.code === 'illegal_value' &&
      /ORG_ADMIN/.test(error.details.causes?.[0] ?? ''),
  );
  await authUsers.patch(root, ada.id, grant('ORG_ADMIN'), undefined);
  await authUsers.patch(root, setting.admin.id, removal, undefined);
  // The caller's level is checked as stored, not as it was when the request began.
  await assert.rejects(authUsers.patch(root, ada.id, removal, undefined), withCode('forbidden'));
});

test('one of two administrators who demote each other concurrently stays', async () => {
  const eve = await addUser(setting, 'eve', ['ORG_ADMIN']);
  const removal = [{ op: 'remove', path: '/capabilities' }];
  const outcomes = await Promise.allSettled([
    authUsers.patch(root, eve.id, removal, undefined),
    authUsers.patch(callerOf(setting.tenant, eve), setting.admin.id, removal, undefined),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(await setting.store.read.countHolders(setting.tenant.id, 'ORG_ADMIN', ''), 1);
});

const levels = CAPABILITIES.filter((level) => level !== 'INTERNAL');
const operation = fc.oneof(
  fc.constantFrom(...levels).map((value) => ({ op: 'add', path: '/capabilities/-', value })),
  fc.nat(6).map((i) => ({ op: 'remove', path: `/capabilities/${i}` })),
  fc
    .tuple(fc.nat(6), fc.constantFrom(...levels))
    .map(([i, value]) => ({ op: 'add', path: `/capabilities/${i}`, value })),
);

test('fifty concurrent patches give the same result as in the order of the audit trail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), {
        minLength: 50,
        maxLength: 50,
      }),
      async (patches) => {
        setting = await testTenant();
        authUsers = new AuthUsers(setting.store, { clock: setting.clock });
        root = callerOf(setting.tenant, setting.admin);
        ada = await addUser(setting, 'ada', ['HELPDESK']);
        const outcomes = await Promise.allSettled(
          patches.map((patch) => authUsers.patch(root, ada.id, patch, undefined)),
        );
        let list: readonly string[] = ['HELPDESK'];
        let changes = 0;
        for (const [i, patch] of patches.entries()) {
          let expected: readonly string[] | null = null;
          try {
            expected = patchCapabilities(list, readPatch(patch));
          } catch {
            // This one fails in the serial order too.
          }
          const result = outcomes[i];
          assert.equal(result?.status, expected === null ? 'rejected' : 'fulfilled');
          if (expected === null || result?.status !== 'fulfilled') continue;
          assert.deepEqual(result.value.user.capabilities, expected);
          if (JSON.stringify(expected) !== JSON.stringify(list)) changes++;
          list = expected;
        }
        assert.deepEqual((await authUsers.get(root, ada.id)).user.capabilities, list);
        assert.equal((await trail()).length, changes);
      },
    ),
    { numRuns: caseCount(5, 20) },
  );
});
