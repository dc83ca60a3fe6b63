// The format of API keys and their place in a header.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyOf, newApiKey } from './api-key.ts';

test('a key is ne- and 32 random hexadecimal digits', () => {
  assert.match(newApiKey(), /^ne-[0-9a-f]{32}$/);
  assert.notEqual(newApiKey(), newApiKey());
});

const HEADERS: readonly [authorization: string | undefined, key: string | null][] = [
  ['Bearer ne-1a', 'ne-1a'],
  ['bearer   1a2b ', '1a2b'],
  ['Token token=ne-1a', 'ne-1a'],
  ['token Token= "ne-1a" ', 'ne-1a'],
  ['Token token="ne-1a', null],
  ['Token ne-1a', null],
  ['Bearer a.b.c', null],
  ['Bearer a b', null],
  ['Basic ne-1a', null],
  ['Bearer', null],
  ['', null],
  [undefined, null],
];
for (const [authorization, key] of HEADERS) {
  test(`reads ${key} from "${authorization}"`, () => assert.equal(apiKeyOf(authorization), key));
}
