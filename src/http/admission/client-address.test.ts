import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test } from 'node:test';
import { TrustedProxies } from './client-address.ts';

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.9', 'fd00::/8']);

describe('forwarded addresses', () => {
  const table: readonly (readonly [string, string, IncomingHttpHeaders, string | undefined])[] = [
    [
      'sent by a client are removed',
      '203.0.113.5',
      { 'x-forwarded-for': '198.51.100.1' },
      undefined,
    ],
    ['sent by a proxy stay', '10.1.2.3', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['sent by an IPv6 proxy stay', 'fd00::1', { 'x-forwarded-for': '2001:db8::5' }, '2001:db8::5'],
    [
      'sent by an IPv4 proxy on an IPv6 socket stay',
      '::ffff:10.1.2.3',
      { 'x-forwarded-for': '1.2.3.4' },
      '1.2.3.4',
    ],
    [
      'lose their ports',
      '10.1.2.3',
      { 'x-forwarded-for': '1.2.3.4:55, [2001:db8::5]:1' },
      '1.2.3.4, 2001:db8::5',
    ],
    [
      'before an entry that is not an address are dropped',
      '10.1.2.3',
      { 'x-forwarded-for': '1.1.1.1, junk, 1.2.3.4' },
      '1.2.3.4',
    ],
    ['without a valid entry are removed', '10.1.2.3', { 'x-forwarded-for': 'unknown' }, undefined],
    ['are read from Forwarded', '10.1.2.3', { forwarded: 'for=1.2.3.4;proto=https' }, '1.2.3.4'],
    [
      'are read from Forwarded with brackets and several hops',
      '10.1.2.3',
      { forwarded: 'proto=http;For="[2001:db8::5]:4711", for=10.9.9.9' },
      '2001:db8::5, 10.9.9.9',
    ],
    [
      'that disagree are removed',
      '10.1.2.3',
      { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '5.6.7.8' },
      undefined,
    ],
    [
      'that agree are used',
      '10.1.2.3',
      { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '1.2.3.4' },
      '1.2.3.4',
    ],
  ];
  for (const [what, peer, headers, expected] of table) {
    test(what, () => {
      const normalised = { ...headers };
      proxies.normalise(normalised, peer);
      assert.equal(normalised['x-forwarded-for'], expected);
      assert.equal(normalised.forwarded, undefined);
    });
  }
});

const FORWARDED: readonly (readonly [name: string, sent: string, kept: string | undefined])[] = [
  ['x-forwarded-proto', 'https', 'https'],
  ['x-forwarded-proto', 'HTTP', 'http'],
  ['x-forwarded-proto', 'ftp, https', 'https'],
  ['x-forwarded-proto', 'https, javascript', undefined],
  ['x-forwarded-proto', 'javascript', undefined],
  ['x-forwarded-proto', 'https://', undefined],
  ['x-forwarded-proto', '', undefined],
  ['x-forwarded-host', 'ID.Example:8443', 'id.example:8443'],
  ['x-forwarded-host', 'a.example, [2001:db8::1]:443', '[2001:db8::1]:443'],
  ['x-forwarded-host', 'evil.example/x?', undefined],
  ['x-forwarded-host', 'user@evil.example', undefined],
  ['x-forwarded-host', 'a.example,', undefined],
];
for (const [name, sent, kept] of FORWARDED) {
  test(`of ${name}: ${sent} counts ${kept ?? 'nothing'}`, () => {
    const headers: IncomingHttpHeaders = { [name]: sent };
    proxies.normalise(headers, '10.1.2.3');
    assert.equal(headers[name], kept);
  });
}

test('recognises only addresses within the networks', () => {
  assert.ok(proxies.has('192.0.2.9'));
  for (const other of ['192.0.2.8', '11.0.0.1', 'fe00::1', undefined, '']) {
    assert.ok(!proxies.has(other), String(other));
  }
});
