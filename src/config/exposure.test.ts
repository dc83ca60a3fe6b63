// A table of network settings with their faults, and data directories with their modes.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import {
  type Addresses,
  directoryFault,
  networkFaults,
  readableDirectories,
  tightenDirectories,
} from './exposure.ts';

const CLEAR = /without TLS/;
const NO_URL = /CARDEA_BASE_URL is not set/;
const TLS = {};
const OPEN = { host: '0.0.0.0', port: 8080, tls: TLS };

const ADDRESSES: readonly (readonly [
  name: string,
  addresses: Partial<Addresses>,
  faults: readonly RegExp[],
])[] = [
  ['the loopback address', {}, []],
  ['localhost', { host: 'localhost' }, []],
  ['another loopback address', { host: '127.0.0.2' }, []],
  ['the loopback address of IPv6', { host: '::1' }, []],
  ['all addresses', { host: '0.0.0.0' }, [CLEAR, NO_URL]],
  ['all addresses of IPv6', { host: '::' }, [CLEAR, NO_URL]],
  ['one address with TLS', { host: '192.0.2.1', tls: TLS }, [NO_URL]],
  ['an http address for clients', { host: '192.0.2.1', baseUrl: 'http://id.test' }, [CLEAR]],
  ['TLS at a proxy', { host: '0.0.0.0', baseUrl: 'https://id.test' }, []],
  [
    'an https address for clients, on loopback without a proxy',
    { baseUrl: 'https://id.test', trustedProxies: null },
    [/CARDEA_TRUSTED_PROXIES/],
  ],
  [
    'an https address for clients and a proxy, on loopback',
    { baseUrl: 'https://id.test', trustedProxies: ['127.0.0.1'] },
    [],
  ],
  [
    'an http address for clients, on loopback',
    { baseUrl: 'http://id.test', trustedProxies: ['127.0.0.1'] },
    [/\(CARDEA_BASE_URL is http:\/\/id\.test\) without TLS/],
  ],
  [
    'a proxy alone, on loopback',
    { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] },
    [/\(CARDEA_TRUSTED_PROXIES is 127\.0\.0\.1,10\.0\.0\.0\/8\) without TLS/, NO_URL],
  ],
  ['a loopback address for clients, on loopback', { baseUrl: 'https://localhost:8443' }, []],
  [
    'TLS at a proxy that is not configured',
    { host: '0.0.0.0', baseUrl: 'https://id.test', trustedProxies: [] },
    [/CARDEA_TRUSTED_PROXIES/],
  ],
  [
    'TLS at a proxy while none is set',
    { host: '0.0.0.0', baseUrl: 'https://id.test', trustedProxies: null },
    [/CARDEA_TRUSTED_PROXIES/],
  ],
  [
    'TLS at a configured proxy',
    { host: '0.0.0.0', baseUrl: 'https://id.test', trustedProxies: ['10.0.0.1'] },
    [],
  ],
  [
    'plain HTTP without a proxy',
    { host: '0.0.0.0', baseUrl: 'http://id.test', trustedProxies: [] },
    [CLEAR],
  ],
  ['TLS and an address', { host: '0.0.0.0', tls: TLS, baseUrl: 'https://id.test' }, []],
  [
    'TLS and an address of the same port',
    { ...OPEN, port: 443, baseUrl: 'https://id.test', trustedProxies: null },
    [],
  ],
  [
    'TLS and an address of another port',
    { ...OPEN, baseUrl: 'https://id.test:8443', trustedProxies: null },
    [/port 8080 and CARDEA_BASE_URL has port 8443, .*CARDEA_TRUSTED_PROXIES/],
  ],
  [
    'TLS and an address of the usual port',
    { ...OPEN, baseUrl: 'https://id.test', trustedProxies: null },
    [/CARDEA_BASE_URL has port 443, /],
  ],
  [
    'TLS and a configured balancer',
    { ...OPEN, baseUrl: 'https://id.test:8443', trustedProxies: ['10.0.0.1'] },
    [],
  ],
  [
    'TLS and a port that is only mapped',
    { ...OPEN, baseUrl: 'https://id.test:8443', trustedProxies: [] },
    [],
  ],
];
for (const [name, addresses, faults] of ADDRESSES) {
  test(`${name}: ${faults.length} faults`, () => {
    const local = { host: '127.0.0.1', port: 8080, tls: null, baseUrl: null };
    const reported = networkFaults({ ...local, ...addresses });
    assert.equal(reported.length, faults.length, reported.join('\n'));
    for (const [at, fault] of faults.entries()) assert.match(reported[at] ?? '', fault);
  });
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-exposure-'));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test('ignores a private or missing directory', () => {
  assert.equal(directoryFault(directory), null);
  assert.deepEqual(tightenDirectories(directory), []);
  assert.equal(directoryFault(join(directory, 'missing')), null);
  assert.deepEqual(tightenDirectories(join(directory, 'missing')), []);
});

for (const name of ['cardea.db', 'index', null]) {
  test(`tightens a readable directory with ${name ?? 'nothing'} in it`, () => {
    if (name !== null) writeFileSync(join(directory, name), '');
    chmodSync(directory, 0o755);
    assert.match(directoryFault(directory) ?? '', /can be read by others \(mode 755\): chmod 700/);
    assert.match(tightenDirectories(directory).join(), /could be read by others \(mode 755\)/);
    assert.equal(modeOf(directory), 0o700);
    assert.equal(directoryFault(directory), null);
  });
}

test('tightens a readable index in a private directory, and in a readable one', () => {
  const index = join(directory, 'index');
  mkdirSync(index);
  for (const mode of [0o700, 0o777]) {
    chmodSync(directory, mode);
    chmodSync(index, 0o777);
    assert.deepEqual(readableDirectories(directory), mode === 0o700 ? [index] : [directory, index]);
    const sentences = tightenDirectories(directory);
    assert.match(sentences.at(-1) ?? '', /The index directory .* could be read by others/);
    assert.deepEqual([modeOf(directory), modeOf(index)], [0o700, 0o700]);
    assert.deepEqual(readableDirectories(directory), []);
  }
});

test('reports a shared directory, or one with other files, without changing its mode', () => {
  mkdirSync(join(directory, 'pictures'));
  chmodSync(directory, 0o755);
  assert.match(tightenDirectories(directory).join(), /can be read by others .*: chmod 700/);
  assert.equal(modeOf(directory), 0o755);
  writeFileSync(join(directory, 'cardea.db'), '');
  chmodSync(directory, 0o1777);
  assert.match(tightenDirectories(directory).join(), /can be read by others/);
  assert.equal(modeOf(directory), 0o1777);
});

test('warns of the powers for tests where others can reach them, and says why they can', () => {
  const open = { ...OPEN, baseUrl: 'https://a' };
  const local = { ...open, host: '127.0.0.1', baseUrl: null };
  assert.deepEqual(networkFaults(open), []);
  assert.deepEqual(networkFaults({ ...open, testing: null }), []);
  assert.deepEqual(networkFaults({ ...local, testing: {} }), []);
  const reasons: readonly (readonly [Partial<Addresses>, RegExp])[] = [
    [{ host: '0.0.0.0' }, /\(it listens on 0\.0\.0\.0\)/],
    [{ baseUrl: 'https://a' }, /\(CARDEA_BASE_URL is https:\/\/a\)/],
    [{ trustedProxies: ['::1'] }, /\(CARDEA_TRUSTED_PROXIES is ::1\)/],
  ];
  for (const [change, reason] of reasons) {
    const [fault = ''] = networkFaults({ ...local, ...change, testing: {} });
    assert.match(fault, /powers for tests.*CARDEA_TESTING/);
    assert.match(fault, reason);
  }
});
