// Sealed secrets open with the right key and owner only.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSecret, sealedWith, sealSecret, secretsKeyId } from './secret-box.ts';
import { parseSecretsKey } from './secrets-key.ts';

const KEY = randomBytes(32);

for (const secret of ['', 'd', 'Ada ❄', 'x'.repeat(10_000)]) {
  test(`a secret of ${secret.length} characters opens unchanged`, () => {
    const sealed = sealSecret(secret, 'owner', KEY);
    assert.equal(openSecret(sealed, 'owner', KEY), secret);
    assert.equal(sealedWith(sealed), secretsKeyId(KEY));
    if (secret.length > 3) assert.ok(!sealed.includes(secret));
  });
}

test('the same secret is sealed differently each time', () => {
  const sealed = Array.from({ length: 50 }, () => sealSecret('same', 'owner', KEY));
  assert.equal(new Set(sealed).size, 50);
});

test('neither another key nor another owner opens it', () => {
  const sealed = sealSecret('secret', 'owner', KEY);
  assert.equal(openSecret(sealed, 'owner', randomBytes(32)), null);
  assert.equal(openSecret(sealed, 'somebody else', KEY), null);
});

test('does not open after one character was changed', () => {
  const sealed = sealSecret('secret', 'owner', KEY);
  for (let at = 0; at < sealed.length; at++) {
    // The last character of base64url may have unused bits; its first bit is used.
    const other = sealed[at] === 'A' ? 'g' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.equal(openSecret(changed, 'owner', KEY), null, `character ${at}`);
  }
});

for (const text of ['', 'v1', 'v1.0.0', `v1.${secretsKeyId(KEY)}.AAAA`, 'plain']) {
  test(`${JSON.stringify(text)} is no sealed text`, () => {
    assert.equal(openSecret(text, 'owner', KEY), null);
  });
}

const TEXTS: readonly (readonly [text: string, isKey: boolean])[] = [
  [KEY.toString('hex'), true],
  [KEY.toString('hex').toUpperCase(), true],
  [`${KEY.toString('hex')}\n`, true],
  [KEY.toString('base64'), true],
  [KEY.toString('base64url'), true],
  ['correct horse battery staple', false],
  [KEY.toString('hex').slice(1), false],
  [`${KEY.toString('hex')}0`, false],
  ['', false],
];
for (const [text, isKey] of TEXTS) {
  test(`${JSON.stringify(text.slice(0, 12))} of ${text.length} characters is ${isKey ? 'a' : 'no'} key`, () => {
    assert.deepEqual(parseSecretsKey(text), isKey ? KEY : null);
  });
}
