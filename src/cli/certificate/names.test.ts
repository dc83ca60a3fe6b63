import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateName, namesIn } from './names.ts';

const ACCEPTED: readonly (readonly [text: string, name: string])[] = [
  ['acme.api.identitynow.com', 'acme.api.identitynow.com'],
  ['ACME.API.IdentityNow.com', 'acme.api.identitynow.com'],
  ['*.api.identitynow.com', '*.api.identitynow.com'],
  ['cardea', 'cardea'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['192.0.2.7', '192.0.2.7'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::1', '::1'],
];
for (const [text, name] of ACCEPTED) {
  test(`${text} is accepted as ${name}`, () => assert.equal(certificateName(text), name));
}

const REFUSED: readonly (readonly [text: string, fault: RegExp])[] = [
  ['https://acme.api.identitynow.com/v3', /is a URL: give its host alone, acme\.api\.ident/],
  ['acme.example:8443', /is no host name and no IP address/],
  ['', /is no host name/],
  ['a b', /is no host name/],
  ['-a.example', /is no host name/],
  ['a..example', /is no host name/],
  ['a_b.example', /is no host name/],
  ['www.*.example', /is no host name/],
  ['192.0.2', /is no host name/],
  ['192.0.2.300', /is no host name/],
  ['[::1]', /is no host name/],
  [`${'a'.repeat(64)}.example`, /is no host name/],
  [`${'a.'.repeat(130)}example`, /is no host name/],
  ['*.com', /covers a whole top-level domain/],
  ['*', /covers a whole/],
];
for (const [text, fault] of REFUSED) {
  test(`${JSON.stringify(text)} is refused`, () =>
    assert.throws(() => certificateName(text), fault));
}

test('names are read back as they were given', () => {
  const printed = 'DNS:acme.example, IP Address:192.0.2.7, IP Address:0:0:0:0:0:0:0:1';
  assert.deepEqual(namesIn(printed), ['acme.example', '192.0.2.7', '::1']);
  assert.deepEqual(namesIn(undefined), []);
});
