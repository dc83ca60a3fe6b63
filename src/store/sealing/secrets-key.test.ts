import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/empty-store.ts';
import { secretsKeyId } from './secret-box.ts';
import { makeKeyFile, SecretsKeys, stageKeyFile } from './secrets-key.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryFolder();
  path = join(directory, 'secrets.key');
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
    message: /no.secrets\.key cannot be used: it does not exist\.$/,
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
