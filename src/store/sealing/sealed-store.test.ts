// Signing keys sealed in the database: what is stored, what is read, and the effect of a different
// secrets key.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openThrowAwayStore } from '../../../test/support/empty-store.ts';
import { ServiceError } from '../../errors.ts';
import { rotateSigningKeys } from '../../service/credentials/key-rotation.ts';
import { canSign, newSigningKey, SigningKeys } from '../../service/credentials/signing-keys.ts';
import type { SigningKey, Store } from '../../service/ports/store.ts';
import { SealedStore } from './sealed-store.ts';
import { SecretsKeys, stageKeyFile } from './secrets-key.ts';

const CLOCK = { now: () => Date.UTC(2026, 0, 1) };

let directory: string;
let plain: Store;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-sealed-'));
  plain = await openThrowAwayStore(join(directory, 'cardea.db'));
});
afterEach(async () => {
  await plain.close();
  rmSync(directory, { recursive: true });
});

const keyFile = (name = 'secrets.key') => join(directory, name);
const overFile = (name?: string) =>
  new SealedStore(plain, new SecretsKeys({ kind: 'file', path: keyFile(name) }));
const overText = (text: string) => new SealedStore(plain, new SecretsKeys({ kind: 'text', text }));

async function add(store: Store): Promise<SigningKey> {
  const key = await newSigningKey(CLOCK);
  await store.write((records) => records.addSigningKey(key));
  return key;
}

const withSecretsKey = (message: RegExp) => (error: unknown) =>
  error instanceof ServiceError && error.code === 'unavailable' && message.test(error.message);

test('stores the private half sealed and the public half plain, and reads both unchanged', async () => {
  const store = overFile();
  const key = await add(store);
  const [row] = await plain.read.signingKeys();
  const { d, ...open } = key.jwk;
  const { sealed, ...stored } = row?.jwk ?? {};
  assert.deepEqual(stored, open);
  assert.match(String(sealed), /^v1\.[0-9a-f]{16}\./);
  assert.ok(!readFileSync(join(directory, 'cardea.db-wal'), 'latin1').includes(String(d)));
  assert.deepEqual(await store.read.signingKeys(), [key]);
  await store.write(async (records) => assert.deepEqual(await records.signingKeys(), [key]));
});

test('creates the key file with the first secret, for its owner only, and keeps it', async () => {
  const store = overFile();
  assert.deepEqual(await store.read.signingKeys(), []);
  assert.equal(await store.sealPlain(), 0);
  assert.equal(existsSync(keyFile()), false);
  await add(store);
  assert.equal(statSync(keyFile()).mode & 0o777, 0o600);
  const text = readFileSync(keyFile(), 'utf8');
  assert.match(text, /^[0-9a-f]{64}\n$/);
  await add(overFile());
  assert.equal(readFileSync(keyFile(), 'utf8'), text);
});

test('seals the plain keys of an earlier version, once', async () => {
  const key = await add(plain);
  const store = overFile();
  assert.equal(await store.sealPlain(), 1);
  assert.equal(await store.sealPlain(), 0);
  const [row] = await plain.read.signingKeys();
  assert.ok(!('d' in (row?.jwk ?? {})));
  assert.deepEqual(await store.read.signingKeys(), [key]);
});

test('seals nothing without a secrets key', async () => {
  const store = new SealedStore(plain, null);
  const key = await add(store);
  assert.equal(await store.sealPlain(), 0);
  assert.deepEqual(await plain.read.signingKeys(), [key]);
  await store.checkSigningKey();
});

const WRONG: readonly (readonly [string, () => SealedStore, RegExp])[] = [
  [
    'another key',
    () => overText('0'.repeat(64)),
    /sealed with the secrets key \w{16}, and CARDEA_SECRETS_KEY is \w{16}/,
  ],
  ['another file', () => overFile('other.key'), /other\.key does not hold it.*cardea keys rotate/],
  ['no key', () => new SealedStore(plain, null), /none is set/],
];
for (const [name, other, message] of WRONG) {
  test(`with ${name} the start fails, old tokens can be checked, and a rotation repairs it`, async () => {
    const key = await add(overText(randomBytes(32).toString('hex')));
    const store = other();
    await assert.rejects(store.checkSigningKey(), withSecretsKey(message));
    const [seen] = await store.read.signingKeys();
    assert.equal(seen && canSign(seen), false);
    const keys = new SigningKeys(store, CLOCK);
    assert.notEqual(await keys.publicKey(key.kid), null);
    await assert.rejects(keys.active(), withSecretsKey(/cannot be opened/));
    await assert.rejects(store.reseal(randomBytes(32)), withSecretsKey(message));

    const { kid } = await rotateSigningKeys(store, 'kept', CLOCK);
    await store.checkSigningKey();
    assert.equal((await new SigningKeys(store, CLOCK).active()).kid, kid);
    assert.notEqual(await new SigningKeys(store, CLOCK).publicKey(key.kid), null);
  });
}

test('a process with the old key in memory finds a key that was replaced in its file', async () => {
  const running = overFile();
  const key = await add(running);
  const before = readFileSync(keyFile(), 'utf8');
  const staged = stageKeyFile(keyFile());
  assert.equal(await overFile().reseal(staged.key), 1);
  // A process that ends here leaves both keys, and the next start can open all.
  assert.deepEqual(await running.read.signingKeys(), [key]);
  await overFile().checkSigningKey();
  staged.install();
  assert.notEqual(readFileSync(keyFile(), 'utf8'), before);
  assert.deepEqual(await running.read.signingKeys(), [key]);
  writeFileSync(keyFile('old.key'), before);
  await assert.rejects(overFile('old.key').checkSigningKey(), withSecretsKey(/does not hold it/));
});

for (const text of ['', 'short', 'correct horse battery staple']) {
  test(`rejects a key file with ${JSON.stringify(text)} by name`, async () => {
    writeFileSync(keyFile(), text);
    await assert.rejects(
      add(overFile()),
      withSecretsKey(/secrets\.key cannot be used: it must hold 64/),
    );
  });
}
