import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { checkTarget, loggablePath, normalizeTarget } from './request-url.ts';

const TARGETS: readonly [string, string][] = [
  ['/v3/search', '/v3/search'],
  ['//v3/search', '/v3/search'],
  ['/v3///search//identities/x', '/v3/search/identities/x'],
  ['/v3/search?query=http://x//y', '/v3/search?query=http://x//y'],
  ['//v3//search?a=//', '/v3/search?a=//'],
  ['http://id.example/v3/search?a=1', '/v3/search?a=1'],
  ['https://id.example:8080//v3', '/v3'],
  ['http://id.example', '/'],
  ['http://id.example?a=1', '/?a=1'],
  ['//', '/'],
  ['/', '/'],
  ['/?a=1/', '/?a=1/'],
  ['/v3/search/', '/v3/search'],
  ['/v3/search//?a=1', '/v3/search?a=1'],
  ['/v3/search/?a=/', '/v3/search?a=/'],
  ['/v3/auth-users/x/', '/v3/auth-users/x'],
  ['http://id.example/v3/', '/v3'],
  ['/console/', '/console/'],
  ['/console/?a=1', '/console/?a=1'],
  ['/docs/', '/docs/'],
];
for (const [sent, routed] of TARGETS) {
  test(`routes ${sent} as ${routed}`, () => assert.equal(normalizeTarget(sent), routed));
}

const REFUSED = [
  '/%',
  '/a%2',
  '/a%zz',
  '/?limit=%',
  '/%0d%0aSet-Cookie:x',
  '/%00',
  '/a%7F',
  '/%ff',
];
for (const target of REFUSED) {
  test(`rejects ${target}`, () => {
    assert.throws(
      () => checkTarget(target),
      (error) => error instanceof ServiceError && error.code === 'parameter_malformed',
    );
  });
}

for (const target of ['/a', '/%41', '/%C3%A9?x=%20', '/?grant_type=a+b%2Bc']) {
  test(`accepts ${target}`, () => checkTarget(target));
}

test('removes the query from the logged path', () => {
  assert.equal(loggablePath('/oauth/token?client_secret=s'), '/oauth/token');
  assert.equal(loggablePath('/health'), '/health');
});
