// What users are told when a sign-in with the OpenID provider fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrantRefused, refusedByProvider, refusedToken, unknownUser } from './provider-fault.ts';

const ADVICE = [
  ['JWT validation failed: not a signed JWT', /CARDEA_CONSOLE_OPENID_PARAMETERS/],
  ['JWT validation failed: the audience is wrong', /CARDEA_CONSOLE_OPENID_PARAMETERS/],
  ['JWT validation failed: the tenant is unknown', /"tenants"/],
  ['JWT validation failed: the claim tenant_id is missing or wrong', /"claims"/],
  ['JWT validation failed: the issuer is unknown', /CARDEA_EXTERNAL_ISSUERS/],
  ['JWT validation failed: the signing key is unknown', /jwksUrl/],
  ['JWT validation failed: the user behind the token is disabled', /enable your auth user/],
  ['JWT validation failed: something new', /\/docs\/guide\/configuration/],
] as const;
for (const [message, advice] of ADVICE) {
  test(`says how to mend "${message}"`, () => {
    const { fault } = refusedToken(message);
    assert.equal(fault.message, message);
    assert.match(fault.advice, advice);
    assert.equal(fault.isAboutUser, message.includes('user'));
  });
}

test('offers another user where that may help', () => {
  assert.ok(refusedByProvider('access_denied', 'No').fault.isAboutUser);
  assert.ok(!refusedByProvider('server_error', undefined).fault.isAboutUser);
  assert.equal(refusedByProvider('server_error', undefined).fault.message, 'server_error');
  assert.ok(unknownUser('ada', 'i1').fault.isAboutUser);
  assert.match(unknownUser('ada', null).fault.message, /claim of the identity/);
});

test('tells a grant that is refused for good from other errors', () => {
  const refusal = refusedByProvider('invalid_grant', 'revoked');
  assert.ok(refusal instanceof GrantRefused);
  assert.equal(refusal.fault.message, 'revoked (invalid_grant)');
  assert.ok(!(refusedByProvider('server_error', 'later') instanceof GrantRefused));
});
