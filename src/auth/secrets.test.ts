// The format of secrets, their hashes, and their verification.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint, hashSecret, newId, newSecret, newUuid, verifySecret } from './secrets.ts';

test('ids are 32 and secrets 64 hexadecimal digits', () => {
  assert.match(newId(), /^[0-9a-f]{32}$/);
  assert.match(newSecret(), /^[0-9a-f]{64}$/);
  assert.notEqual(newSecret(), newSecret());
});

test('a UUID is of version 4, with dashes', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const byte of [0x00, 0xff])
    assert.match(
      newUuid((size) => Buffer.alloc(size, byte)),
      uuid,
    );
  assert.match(newUuid(), uuid);
  assert.notEqual(newUuid(), newUuid());
});

test('a stored hash is salted and does not contain the secret', () => {
  const secret = newSecret();
  const stored = hashSecret(secret);
  assert.notEqual(stored, hashSecret(secret));
  assert.ok(!stored.includes(secret));
  assert.ok(verifySecret(secret, stored));
});

for (const [name, stored] of [
  ['another secret', hashSecret('other')],
  ['nothing', ''],
  ['an unknown scheme', hashSecret('right').replace('sha256', 'md5')],
  ['a cut hash', hashSecret('right').slice(0, -4)],
  ['an empty hash', 'sha256$$'],
] as const) {
  test(`rejects a secret against ${name}`, () => {
    assert.equal(verifySecret('right', stored), false);
  });
}

test('a fingerprint is deterministic', () => {
  assert.equal(fingerprint('x'), fingerprint('x'));
  assert.match(fingerprint('x'), /^[\w-]{43}$/);
});
