import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { checkTarget, hostFault, loggablePath, normalizeTarget } from './request-url.ts';

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
  ['/docs/guide/', '/docs/guide/'],
  ['/docs/guide/search/', '/docs/guide/search'],
  ['/api/api/profiles?limit=1', '/api/profiles?limit=1'],
  ['/api/api/v1/users/', '/api/v1/users'],
  ['//api//api/api', '/api'],
  ['http://id.example/api/api/users', '/api/users'],
  ['/api/apis', '/api/apis'],
  ['/v3/api/api', '/v3/api/api'],
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
  '/a?map=a%00b',
  '/a?map=a&x=%0a',
  '/a?other=a%0ab',
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

for (const target of [
  '/a',
  '/%41',
  '/%C3%A9?x=%20',
  '/?grant_type=a+b%2Bc',
  '/a?x=1&map=a%0A%09b',
]) {
  test(`accepts ${target}`, () => checkTarget(target));
}

const HOSTS = [
  ...[
    'x',
    'id.example:8080',
    'ID.Example',
    'localhost',
    '127.0.0.1:80',
    '[::1]',
    '[2001:db8::1]:443',
  ],
  ...['my_service', 'x.', '%C3%A9.example', 'x:', ''],
];
for (const host of HOSTS) {
  test(`accepts the host "${host}"`, () => assert.equal(faultOf(['Host', host]), undefined));
}
const NO_HOSTS = [
  ...[
    'a b',
    'http://x',
    'x/y',
    'user@x',
    'x:y',
    '::1',
    '[::1',
    'x?',
    'x#',
    '"x"',
    '%zz',
    'é',
    'a\\b',
  ],
];
for (const host of NO_HOSTS) {
  test(`refuses the host "${host}"`, () => {
    assert.match(faultOf(['Host', host]) ?? '', /a Host header that is no host/);
  });
}

const REPEATED: readonly (readonly [
  headers: readonly string[],
  version: string,
  fault: RegExp | null,
])[] = [
  [['Accept', '*', 'hOSt', 'x', 'Hos', 'y', 'From', 'z'], '1.1', null],
  [['Host', 'x', 'Accept', '*', 'host', 'x'], '1.1', /more than one Host header/],
  [['Host', 'x', 'HOST', 'y'], '1.0', /more than one Host header/],
  [['Host', '', 'Host', ''], '1.1', /more than one Host header/],
  [['Accept', 'host'], '1.1', /no Host header/],
  [['Accept', 'host'], '1.0', null],
];
for (const [headers, version, fault] of REPEATED) {
  test(`${fault === null ? 'accepts' : 'refuses'} HTTP/${version} with ${headers.join()}`, () => {
    const message = faultOf(headers, version);
    if (fault === null) assert.equal(message, undefined);
    else assert.match(message ?? '', fault);
  });
}

function faultOf(rawHeaders: readonly string[], httpVersion = '1.1'): string | undefined {
  const fault = hostFault({ rawHeaders, httpVersion } as IncomingMessage);
  assert.ok(fault === undefined || fault.code === 'request_invalid');
  return fault?.message;
}

test('removes the query from the logged path', () => {
  assert.equal(loggablePath('/oauth/token?client_secret=s'), '/oauth/token');
  assert.equal(loggablePath('/health'), '/health');
});
