// Key rotation: tokens of the old key stay valid until they expire, the new key signs at once on
// every node, and tokens of a deleted key are rejected.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import {
  auditTrail,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import { createCredential } from './credentials.ts';
import { listSigningKeys, rotateSigningKeys } from './key-rotation.ts';
import { TokenService } from './tokens.ts';

let setting: TestTenant;
let parameters: Record<string, string>;
/** Another node on the same store. */
let other: TokenService;

beforeEach(async () => {
  setting = await testTenant();
  const { store, clock } = setting;
  other = new TokenService(store, { clock });
  ({ parameters } = await credentialsOf(setting, setting.admin));
});

async function tokenFrom(tokens: TokenService): Promise<{ bearer: string; kid: string }> {
  const { access_token: token } = await tokens.issue(parameters, null, '127.0.0.1');
  const kid = decodeProtectedHeader(String(token)).kid ?? '';
  return { bearer: `Bearer ${token}`, kid };
}

const kids = async (tokens: TokenService) =>
  ((await tokens.jwks()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

/** The time for which a node may use keys without reloading them. */
const A_SECOND = 1;

test('the new key signs on every node, the old one still verifies, and both are published', async () => {
  const { store, clock, tokens } = setting;
  const old = await tokenFrom(tokens);
  await other.verify(old.bearer);
  clock.pass(A_SECOND);
  const { kid, removed } = await rotateSigningKeys(store, 'kept', clock);
  assert.deepEqual(removed, []);
  clock.pass(A_SECOND);
  for (const node of [tokens, other]) {
    assert.equal((await tokenFrom(node)).kid, kid);
    await node.verify(old.bearer);
    assert.deepEqual(await kids(node), [old.kid, kid]);
  }
  const listed = await listSigningKeys(store);
  assert.deepEqual(
    listed.map((key) => [key.kid, key.active]),
    [
      [old.kid, false],
      [kid, true],
    ],
  );
  assert.equal(listed[1]?.needed, null);
});

test('removes a key once the last token it can have signed has expired, and not before', async () => {
  const { store, clock, tokens } = setting;
  const old = await tokenFrom(tokens);
  clock.pass(86_400);
  const { kid } = await rotateSigningKeys(store, 'kept', clock);
  const [first] = await listSigningKeys(store);
  const needed = (Date.parse(first?.needed ?? '') - clock.now()) / 1000;
  assert.ok(needed > 43_200, 'a token of this moment lives twelve hours');
  clock.pass(needed - 1);
  assert.deepEqual((await rotateSigningKeys(store, 'kept', clock)).removed, []);
  clock.pass(1);
  assert.deepEqual((await rotateSigningKeys(store, 'kept', clock)).removed, [old.kid]);
  clock.pass(A_SECOND);
  assert.ok((await kids(tokens)).includes(kid));
});

test('every node rejects tokens of a revoked key within a second, even cached ones', async () => {
  const { store, clock, tokens } = setting;
  const old = await tokenFrom(tokens);
  await tokens.verify(old.bearer);
  await other.verify(old.bearer);
  const { kid, removed } = await rotateSigningKeys(store, 'revoked', clock);
  assert.deepEqual(removed, [old.kid]);
  clock.pass(A_SECOND);
  for (const node of [tokens, other]) {
    await assert.rejects(node.verify(old.bearer), { code: 'token_invalid' });
    assert.deepEqual(await kids(node), [kid]);
    await node.verify((await tokenFrom(node)).bearer);
  }
});

test('two concurrent rotations leave one signing key, and both are in the audit trail', async () => {
  const { store, clock } = setting;
  await tokenFrom(setting.tokens);
  await Promise.all([
    rotateSigningKeys(store, 'kept', clock),
    rotateSigningKeys(store, 'kept', clock),
  ]);
  const active = (await listSigningKeys(store)).filter((key) => key.active);
  assert.equal(active.length, 1);
  const events = (await auditTrail(setting)).filter(
    ({ technicalName }) => technicalName === 'SIGNING_KEY_ROTATE_PASSED',
  );
  assert.equal(events.length, 2);
});

test('no credential issues tokens that outlive the limit that rotation assumes', async () => {
  const { store, tenant } = setting;
  const request = { name: 'n', scope: [], accessTokenValiditySeconds: 43_201 };
  await assert.rejects(createCredential(store, tenant.id, 'client', request), {
    code: 'illegal_value',
  });
});
