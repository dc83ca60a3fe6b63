import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressKey } from './address-key.ts';

describe('the key of an address', () => {
  const table: readonly (readonly [address: string, key: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8:0001:02::', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ];
  for (const [address, key] of table) {
    test(`${address} is counted as ${key}`, () => assert.equal(addressKey(address), key));
  }
});
