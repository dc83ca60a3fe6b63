// The service's own signing keys. They are stored, because tokens live for hours and across
// restarts; the first process that needs a key creates it in a transaction, so all nodes agree.
// Invariant: each process sees key changes made by others within FRESH_MS of the next use.

import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey as JoseKey,
  type JWK,
} from 'jose';
import type { Clock } from '../../auth/clock.ts';
import { OWN_ALGORITHM } from '../../auth/jwt.ts';
import { ServiceError } from '../../errors.ts';
import { type AuditContent, changeAttributes } from '../audit/audit-event.ts';
import { recordOperatorChange } from '../audit/operator-event.ts';
import type { SigningKey, Store, WritableRecords } from '../ports/store.ts';

/** The key that signs, ready to use. */
export interface ActiveKey {
  readonly kid: string;
  readonly key: JoseKey;
}

/** The public keys, as published (RFC 7517). */
export interface KeySet {
  readonly keys: readonly JWK[];
}

/**
 * Milliseconds for which loaded keys are used without reloading, even when an unknown key is
 * requested.
 */
const FRESH_MS = 500;

/** The service's own keys. */
export class SigningKeys {
  readonly #store: Store;
  readonly #clock: Clock;
  /** By key id, in order of creation. */
  #public = new Map<string, { readonly key: JoseKey; readonly jwk: JWK }>();
  #signing: SigningKey | null = null;
  #active: ActiveKey | null = null;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key for new tokens; created when there is none. */
  async active(): Promise<ActiveKey> {
    await this.#refresh();
    if (this.#signing === null) {
      await this.#create();
      this.#loading = this.#load();
      await this.#loading;
    }
    const signing = this.#signing as SigningKey | null;
    if (signing === null) throw new Error('the signing key was deleted right after its creation');
    if (this.#active?.kid !== signing.kid) {
      if (!canSign(signing)) {
        throw new ServiceError('unavailable', 'The signing key cannot be opened; see the log.');
      }
      this.#active = { kid: signing.kid, key: await asymmetric(signing.jwk as JWK) };
    }
    return this.#active;
  }

  /**
   * The public half of a key, or null. Reloads first, because another node may have created or
   * deleted it.
   */
  async publicKey(kid: string): Promise<JoseKey | null> {
    await this.#refresh();
    return this.#public.get(kid)?.key ?? null;
  }

  /** The public halves of all keys whose tokens are accepted. */
  async published(): Promise<KeySet> {
    await this.active();
    return { keys: [...this.#public.values()].map(({ jwk }) => jwk) };
  }

  /** Reloads stale keys; concurrent calls share one load. */
  async #refresh(): Promise<void> {
    const age = this.#clock.now() - this.#loadedAt;
    if (age < 0 || age >= FRESH_MS) {
      this.#loadedAt = this.#clock.now();
      this.#loading = this.#load();
    }
    await this.#loading;
  }

  async #load(): Promise<void> {
    const stored = await this.#store.read.signingKeys();
    const cachedKeys = new Map(this.#public);
    const all: [string, { key: JoseKey; jwk: JWK }][] = [];
    for (const one of stored)
      all.push([one.kid, cachedKeys.get(one.kid) ?? (await published(one))]);
    this.#public = new Map(all);
    this.#signing = stored.find(({ active }) => active) ?? null;
  }

  async #create(): Promise<void> {
    const fresh = await newSigningKey(this.#clock);
    await this.#store.write(async (records) => {
      const other = (await records.signingKeys()).some(({ active }) => active);
      if (other) return;
      await records.addSigningKey(fresh);
      const created = changeAttributes(null, { signingKey: fresh.kid });
      await recordKeyEvent(records, fresh, 'CREATE', created);
    });
  }
}

/**
 * Records in each tenant's audit trail that `key` signs from now on, in the caller's transaction.
 */
export function recordKeyEvent(
  records: WritableRecords,
  { kid, created }: SigningKey,
  operation: 'CREATE' | 'ROTATE',
  attributes: AuditContent['attributes'],
): Promise<void> {
  return recordOperatorChange(records, created, {
    act: `SIGNING_KEY_${operation}`,
    target: kid,
    attributes: { keyId: kid, ...attributes },
  });
}

/** Whether the private half is present; a store that cannot decrypt it omits it. */
export function canSign({ jwk }: SigningKey): boolean {
  return typeof jwk['d'] === 'string';
}

/** Generates a new active key, not yet stored. */
export async function newSigningKey(clock: Clock): Promise<SigningKey> {
  const pair = await generateKeyPair(OWN_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return {
    kid: await calculateJwkThumbprint(jwk),
    jwk: { ...jwk },
    created: new Date(clock.now()).toISOString(),
    active: true,
  };
}

async function published(stored: SigningKey): Promise<{ key: JoseKey; jwk: JWK }> {
  const { kty, crv, x, y } = stored.jwk as JWK;
  const jwk = { kty, crv, x, y, kid: stored.kid, use: 'sig', alg: OWN_ALGORITHM } as JWK;
  return { key: await asymmetric(jwk), jwk };
}

async function asymmetric(jwk: JWK): Promise<JoseKey> {
  const key = await importJWK(jwk, OWN_ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('a signing key must be asymmetric');
  return key;
}
