// Keys of an external issuer: rotation, outage, floods of unknown key ids, and what a key set may not bring in.
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
  away: boolean;
  fetches: number;
}

function issuer(published: JWK[]): Issuer {
  const state = { published, away: false, fetches: 0 };
  const fetchJson = async () => {
    state.fetches++;
    await Promise.resolve();
    if (state.away) throw new Error('away');
    return { keys: state.published };
  };
  const config = {
    ...{ issuer: 'https://idp.test', jwksUrl: 'https://idp.test/keys' },
    ...{ audience: ['us'], tenants: ['acme'] },
  };
  const keys = new ExternalIssuers([config], fetchJson, clock, { cooldownMs: COOLDOWN_MS }).find(
    config.issuer,
  );
  assert.ok(keys !== null);
  return Object.assign(state, { keys });
}

const ask = (it: Issuer, kid: string) => it.keys.keyFor({ alg: 'ES256', kid });
const unknown = (error: unknown) =>
  error instanceof ServiceError && error.code === 'token_invalid' && /unknown/.test(error.message);

test('many requests at the start cause one fetch', async () => {
  const it = issuer([await publicJwk('one')]);
  await Promise.all(Array.from({ length: 20 }, () => ask(it, 'one')));
  assert.equal(it.fetches, 1);
});

test('a rotated key is found after the cool-down, and the old keys serve meanwhile', async () => {
  const it = issuer([await publicJwk('one')]);
  await ask(it, 'one');
  it.published = [await publicJwk('two')];
  await assert.rejects(ask(it, 'two'), unknown);
  await ask(it, 'one');
  clock.time += COOLDOWN_MS;
  await ask(it, 'two');
  await assert.rejects(ask(it, 'one'), unknown);
  assert.equal(it.fetches, 2);
});

test('a flood of unknown key ids causes one fetch per cool-down', async () => {
  const it = issuer([await publicJwk('one')]);
  await ask(it, 'one');
  for (let round = 1; round <= 3; round++) {
    clock.time += COOLDOWN_MS;
    const flood = Array.from({ length: 200 }, (_, i) => assert.rejects(ask(it, `x${i}`), unknown));
    await Promise.all(flood);
    assert.equal(it.fetches, 1 + round);
  }
});

test('an outage keeps the keys, and is not asked about more than once per cool-down', async () => {
  const it = issuer([await publicJwk('one')]);
  await ask(it, 'one');
  it.away = true;
  clock.time += 3_600_000;
  for (let i = 0; i < 50; i++) await ask(it, 'one');
  assert.equal(it.fetches, 2);
  it.away = false;
  it.published = [];
  clock.time += COOLDOWN_MS;
  await ask(it, 'one');
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(ask(it, 'one'), unknown);
});

test('an issuer that is away from the start is a refusal, not a fault', async () => {
  const it = issuer([]);
  it.away = true;
  await assert.rejects(ask(it, 'one'), unknown);
});

test('a key set of nonsense or of shared secrets brings no key', async () => {
  for (const published of [
    [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }],
    [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'one' }],
    [{ kty: 'EC', kid: 'one' }],
    ['text'] as unknown as JWK[],
    'text' as unknown as JWK[],
  ]) {
    await assert.rejects(ask(issuer(published as JWK[]), 'one'), unknown);
  }
});
