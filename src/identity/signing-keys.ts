// The keys the service signs its tokens with. They live in the store, since clients keep a token for hours and
// across restarts; the first process that needs one makes it, in a transaction, so two nodes agree.
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey as JoseKey,
  type JWK,
} from 'jose';
import type { Clock } from '../auth/clock.ts';
import { OWN_ALGORITHM } from '../auth/jwt.ts';
import type { SigningKey, Store } from './store.ts';

/** A key that is ready to sign. */
export interface ActiveKey {
  readonly kid: string;
  readonly key: JoseKey;
}

/** The published half of the keys (RFC 7517). */
export interface KeySet {
  readonly keys: readonly JWK[];
}

/** Least milliseconds between two looks into the store for a key id that is unknown. */
const RELOAD_COOLDOWN_MS = 1_000;

/** The service's own keys. */
export class SigningKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #public = new Map<string, { key: JoseKey; jwk: JWK }>();
  #active: Promise<ActiveKey> | null = null;
  #loaded = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key for new tokens; made when there is none. */
  active(): Promise<ActiveKey> {
    this.#active ??= this.#findOrCreate().catch((error: unknown) => {
      this.#active = null;
      throw error;
    });
    return this.#active;
  }

  /** The public half of a key, or null. Another node may have made it a moment ago. */
  async publicKey(kid: string): Promise<JoseKey | null> {
    const known = this.#public.get(kid);
    if (known !== undefined) return known.key;
    const age = this.#clock.now() - this.#loaded;
    if (age < 0 || age >= RELOAD_COOLDOWN_MS) this.#loading = this.#load();
    // Those who ask meanwhile wait for the same look.
    await this.#loading;
    return this.#public.get(kid)?.key ?? null;
  }

  /** All keys whose tokens are taken, public halves only. */
  async published(): Promise<KeySet> {
    await this.active();
    await this.#load();
    return { keys: [...this.#public.values()].map(({ jwk }) => jwk) };
  }

  async #load(): Promise<void> {
    this.#loaded = this.#clock.now();
    for (const stored of await this.#store.read.signingKeys()) {
      if (!this.#public.has(stored.kid)) await this.#publish(stored);
    }
  }

  async #publish(stored: SigningKey): Promise<void> {
    const { kty, crv, x, y } = stored.jwk as JWK;
    const jwk = { kty, crv, x, y, kid: stored.kid, use: 'sig', alg: OWN_ALGORITHM } as JWK;
    const key = await importJWK(jwk, OWN_ALGORITHM);
    if (!(key instanceof Uint8Array)) this.#public.set(stored.kid, { key, jwk });
  }

  async #findOrCreate(): Promise<ActiveKey> {
    const stored = await this.#store.read.signingKeys();
    let active = stored.find((key) => key.active);
    if (active === undefined) {
      const fresh = await createKey(this.#clock);
      active = await this.#store.write(async (records) => {
        const other = (await records.signingKeys()).find((key) => key.active);
        if (other !== undefined) return other;
        await records.addSigningKey(fresh);
        return fresh;
      });
    }
    await this.#publish(active);
    const key = await importJWK(active.jwk as JWK, OWN_ALGORITHM);
    if (key instanceof Uint8Array) throw new TypeError('a signing key must be asymmetric');
    return { kid: active.kid, key };
  }
}

async function createKey(clock: Clock): Promise<SigningKey> {
  const pair = await generateKeyPair(OWN_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return {
    kid: await calculateJwkThumbprint(jwk),
    jwk: { ...jwk },
    created: new Date(clock.now()).toISOString(),
    active: true,
  };
}
