// Keys of an external issuer: rotation, outages, floods of unknown key ids, and invalid key sets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { ServiceError } from '../errors.ts';
import { ExternalIssuers, type IssuerKeys } from './external-issuers.ts';

const COOLDOWN_MS = 30_000;
const clock = { time: 0, now: () => clock.time };

async function publicJwk(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
}

interface Issuer {
  readonly keys: IssuerKeys;
  published: JWK[];
  unavailable: boolean;
  fetches: number;
}

function issuer(published: JWK[]): Issuer {
  const state = { published, unavailable: false, fetches: 0 };
  const fetchJson = async () => {
    state.fetches++;
    await Promise.resolve();
    if (state.unavailable) throw new Error('unavailable');
    return { keys: state.published };
  };
  const config = {
    ...{ issuer: 'https://idp.test', jwksUrl: 'https://idp.test/keys' },
    ...{ audience: ['us'], tenants: ['acme'] },
  };
  const keys = new ExternalIssuers([config], fetchJson, clock).find(config.issuer);
  assert.ok(keys !== null);
  return Object.assign(state, { keys });
}

const keyFor = (it: Issuer, kid: string) => it.keys.keyFor({ alg: 'ES256', kid });
const unknown = (error: unknown) =>
  error instanceof ServiceError && error.code === 'token_invalid' && /unknown/.test(error.message);

test('concurrent first requests share one fetch', async () => {
  const it = issuer([await publicJwk('one')]);
  await Promise.all(Array.from({ length: 20 }, () => keyFor(it, 'one')));
  assert.equal(it.fetches, 1);
});

test('finds a rotated key after the cool-down, and uses the old keys until then', async () => {
  const it = issuer([await publicJwk('one')]);
  await keyFor(it, 'one');
  it.published = [await publicJwk('two')];
  await assert.rejects(keyFor(it, 'two'), unknown);
  await keyFor(it, 'one');
  clock.time += COOLDOWN_MS;
  await keyFor(it, 'two');
  await assert.rejects(keyFor(it, 'one'), unknown);
  assert.equal(it.fetches, 2);
});

test('fetches once per cool-down during a flood of unknown key ids', async () => {
  const it = issuer([await publicJwk('one')]);
  await keyFor(it, 'one');
  for (let round = 1; round <= 3; round++) {
    clock.time += COOLDOWN_MS;
    const flood = Array.from({ length: 200 }, (_, i) =>
      assert.rejects(keyFor(it, `x${i}`), unknown),
    );
    await Promise.all(flood);
    assert.equal(it.fetches, 1 + round);
  }
});

test('keeps the keys during an outage, and retries once per cool-down', async () => {
  const it = issuer([await publicJwk('one')]);
  await keyFor(it, 'one');
  it.unavailable = true;
  clock.time += 3_600_000;
  for (let i = 0; i < 50; i++) await keyFor(it, 'one');
  assert.equal(it.fetches, 2);
  it.unavailable = false;
  it.published = [];
  clock.time += COOLDOWN_MS;
  await keyFor(it, 'one');
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(keyFor(it, 'one'), unknown);
});

test('rejects the token when the issuer is unavailable from the start', async () => {
  const it = issuer([]);
  it.unavailable = true;
  await assert.rejects(keyFor(it, 'one'), unknown);
});

test('ignores malformed key sets and shared secrets', async () => {
  for (const published of [
    [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }],
    [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'one' }],
    [{ kty: 'EC', kid: 'one' }],
    ['text'] as unknown as JWK[],
    'text' as unknown as JWK[],
  ]) {
    await assert.rejects(keyFor(issuer(published as JWK[]), 'one'), unknown);
  }
});
