import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { SECRETS_KEY_BYTES, secretsKeyId } from './secret-box.ts';
import { makeKeyFile, readKeyFile, SecretsKeys, stageKeyFile } from './secrets-key.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-key-'));
  path = join(directory, 'secrets.key');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a missing file is created with a key that its owner alone can read', () => {
  const key = new SecretsKeys({ kind: 'file', path }).current();
  assert.equal(key.length, SECRETS_KEY_BYTES);
  assert.deepEqual(readKeyFile(path), key);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['secrets.key']);
});

test('of two processes that create the file at once, both have the key of the first', () => {
  const first = makeKeyFile(path);
  assert.deepEqual(makeKeyFile(path), first);
  assert.deepEqual(readdirSync(directory), ['secrets.key']);
});

test('a directory that does not exist is an error with the path and its cause', () => {
  const missing = join(directory, 'no', 'secrets.key');
  assert.throws(() => makeKeyFile(missing), {
    code: 'unavailable',
    message: /no.secrets\.key.*ENOENT: no such file or directory, open/,
  });
});

test('a file without a key is an error that says what it must hold', () => {
  writeFileSync(path, 'secret\n');
  assert.throws(() => new SecretsKeys({ kind: 'file', path }).current(), {
    code: 'unavailable',
    message: /64 hexadecimal digits or 32 bytes in base64/,
  });
});

test('during a replacement the key and the next one are found by their ids', () => {
  const keys = new SecretsKeys({ kind: 'file', path });
  const former = keys.current();
  const { key: next, install } = stageKeyFile(path);
  assert.deepEqual(stageKeyFile(path).key, next);
  const found = () => [former, next].map((key) => keys.find(secretsKeyId(key)) !== null);
  assert.deepEqual(found(), [true, true]);
  install();
  assert.deepEqual(keys.current(), next);
  assert.deepEqual(found(), [false, true]);
});
