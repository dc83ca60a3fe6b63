// The settings of the console's sign-in with an OpenID provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, parseConfig } from '../config.ts';
import { InvalidValue } from './config-values.ts';
import { openIdParameters, openIdScopes, providerOrigins } from './openid-settings.ts';

const ISSUER = 'https://login.example.org/';
const ISSUERS = JSON.stringify([
  { issuer: ISSUER, jwksUrl: `${ISSUER}keys`, audience: 'cardea', tenants: ['demo'] },
]);
const SET = {
  CARDEA_EXTERNAL_ISSUERS: ISSUERS,
  CARDEA_CONSOLE_OPENID_ISSUER: ISSUER,
  CARDEA_CONSOLE_OPENID_CLIENT: 'console',
};

function faults(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test('an issuer and a client give a sign-in, with the issuer spelt as it is', () => {
  assert.deepEqual(parseConfig(SET).console?.openid, {
    issuer: ISSUER,
    clientId: 'console',
    scopes: 'openid profile',
    parameters: {},
    origins: ['https://login.example.org'],
    label: 'Sign in with your organization',
  });
  assert.equal(parseConfig({}).console?.openid, null);
  assert.equal(parseConfig({ ...SET, CARDEA_CONSOLE: 'off' }).console, null);
});

test('a sign-in needs issuer and client, an accepted issuer, and https', () => {
  const { CARDEA_CONSOLE_OPENID_CLIENT: client, ...withoutClient } = SET;
  assert.match(faults(withoutClient).join(), /CARDEA_CONSOLE_OPENID_CLIENT is missing/);
  assert.match(
    faults({ CARDEA_CONSOLE_OPENID_CLIENT: client }).join(),
    /CARDEA_CONSOLE_OPENID_ISSUER is missing/,
  );
  // Without the slash at its end, the name is another one.
  const other = { ...SET, CARDEA_CONSOLE_OPENID_ISSUER: 'https://login.example.org' };
  assert.match(faults(other).join(), /is not an issuer of CARDEA_EXTERNAL_ISSUERS/);
  const plain = {
    ...SET,
    CARDEA_EXTERNAL_ISSUERS: ISSUERS.replaceAll('https', 'http'),
    CARDEA_CONSOLE_OPENID_ISSUER: ISSUER.replace('https', 'http'),
  };
  assert.match(faults(plain).join(), /must be an https address/);
  assert.deepEqual(faults({ ...plain, CARDEA_ALLOW_PRIVATE_URLS: 'on' }), []);
});

test('parameters are those of a query, but none that the console sets', () => {
  assert.deepEqual(openIdParameters('audience=cardea&resource=https%3A%2F%2Fa.example'), {
    audience: 'cardea',
    resource: 'https://a.example',
  });
  for (const text of ['', 'audience', 'audience=', 'client_secret=x', 'a=b&state=1']) {
    assert.throws(() => openIdParameters(text), InvalidValue, text);
  }
});

test('scopes have openid among them', () => {
  assert.equal(openIdScopes('  openid  a:b '), 'openid a:b');
  for (const text of ['profile', 'openid "x"', '']) {
    assert.throws(() => openIdScopes(text), InvalidValue, text);
  }
});

test('origins are listed one by one', () => {
  const origins = ['https://a.example', 'https://b.example'];
  assert.deepEqual(providerOrigins(origins.join(', ')), origins);
  for (const text of ['*', 'off', 'https://a.example/path']) {
    assert.throws(() => providerOrigins(text), InvalidValue, text);
  }
});
