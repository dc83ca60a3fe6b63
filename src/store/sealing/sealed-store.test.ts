// Signing keys sealed in the database: what lies there, what comes out, and what happens where the
// secrets key is another one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { rotateSigningKeys } from '../../identity/credentials/key-rotation.ts';
import { canSign, newSigningKey, SigningKeys } from '../../identity/credentials/signing-keys.ts';
import type { SigningKey, Store } from '../../identity/ports/store.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { SealedStore } from './sealed-store.ts';
import { SecretsKeys, stageKeyFile } from './secrets-key.ts';

const CLOCK = { now: () => Date.UTC(2026, 0, 1) };

let directory: string;
let plain: Store;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-sealed-'));
  plain = await openSqliteStore({ path: join(directory, 'cardea.db') });
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

test('the private half lies sealed, the public half open, and both come out as they were', async () => {
  const store = overFile();
  const key = await add(store);
  const [row] = await plain.read.signingKeys();
  const { d, ...open } = key.jwk;
  const { sealed, ...lying } = row?.jwk ?? {};
  assert.deepEqual(lying, open);
  assert.match(String(sealed), /^v1\.[0-9a-f]{16}\./);
  assert.ok(!readFileSync(join(directory, 'cardea.db-wal'), 'latin1').includes(String(d)));
  assert.deepEqual(await store.read.signingKeys(), [key]);
  await store.write(async (records) => assert.deepEqual(await records.signingKeys(), [key]));
});

test('the key file is made with the first secret, for its owner alone, and stays', async () => {
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

test('keys of an earlier version that lie open are sealed, once', async () => {
  const key = await add(plain);
  const store = overFile();
  assert.equal(await store.sealPlain(), 1);
  assert.equal(await store.sealPlain(), 0);
  const [row] = await plain.read.signingKeys();
  assert.ok(!('d' in (row?.jwk ?? {})));
  assert.deepEqual(await store.read.signingKeys(), [key]);
});

test('without a secrets key nothing is sealed', async () => {
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
  test(`with ${name} the start is refused, old tokens can be checked, and a rotation mends it`, async () => {
    const key = await add(overText(randomBytes(32).toString('hex')));
    const store = other();
    await assert.rejects(store.checkSigningKey(), withSecretsKey(message));
    const [seen] = await store.read.signingKeys();
    assert.equal(seen && canSign(seen), false);
    const keys = new SigningKeys(store, CLOCK);
    assert.notEqual(await keys.publicKey(key.kid), null);
    await assert.rejects(keys.active(), withSecretsKey(/cannot be opened/));
    await assert.rejects(store.sealAnew(randomBytes(32)), withSecretsKey(message));

    const { kid } = await rotateSigningKeys(store, 'kept', CLOCK);
    await store.checkSigningKey();
    assert.equal((await new SigningKeys(store, CLOCK).active()).kid, kid);
    assert.notEqual(await new SigningKeys(store, CLOCK).publicKey(key.kid), null);
  });
}

test('a key that is replaced in its file is found by those who hold the old one in memory', async () => {
  const running = overFile();
  const key = await add(running);
  const before = readFileSync(keyFile(), 'utf8');
  const staged = stageKeyFile(keyFile());
  assert.equal(await overFile().sealAnew(staged.key), 1);
  // Whoever ends here leaves both keys, and the next start opens all.
  assert.deepEqual(await running.read.signingKeys(), [key]);
  await overFile().checkSigningKey();
  staged.install();
  assert.notEqual(readFileSync(keyFile(), 'utf8'), before);
  assert.deepEqual(await running.read.signingKeys(), [key]);
  writeFileSync(keyFile('old.key'), before);
  await assert.rejects(overFile('old.key').checkSigningKey(), withSecretsKey(/does not hold it/));
});

for (const text of ['', 'short', 'correct horse battery staple']) {
  test(`a key file that holds ${JSON.stringify(text)} is refused by name`, async () => {
    writeFileSync(keyFile(), text);
    await assert.rejects(
      add(overFile()),
      withSecretsKey(/secrets\.key cannot be used: it must hold 64/),
    );
  });
}
