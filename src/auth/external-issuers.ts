// External issuers of accepted tokens, each with its published keys (RFC 7517). Keys are fetched on
// first use, refreshed in the background, and kept while the issuer is unavailable.
// Invariant: whatever tokens arrive, each issuer has at most one fetch running and starts at most
// one per cool-down.
import {
  createLocalJWKSet,
  errors,
  type CryptoKey as JoseKey,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { type ClaimNames, type ExternalRules, OWN_CLAIMS } from './claims.ts';
import type { Clock } from './clock.ts';
import { EXTERNAL_ALGORITHMS, refused, type TokenRules } from './jwt.ts';
import type { FetchJson } from './outbound.ts';

/** An issuer as configured. */
export interface ExternalIssuer {
  /** Exactly as in the claim `iss`. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The token must name one of these audiences. */
  readonly audience: readonly string[];
  /** Names or ids of the tenants that the issuer may authenticate for. */
  readonly tenants: readonly string[];
  readonly claims?: Partial<ClaimNames>;
  /**
   * Levels by values of the claim `authorities`, for users who are unknown here; none when omitted.
   */
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  /**
   * Whether a token without the claim of an identity is that of an API client, which needs no
   * levels; such a token is refused when omitted.
   */
  readonly clients?: boolean;
  /** Seconds after `iat` for which a token is accepted. Default MAX_TOKEN_AGE_SECONDS. */
  readonly maxTokenAgeSeconds?: number;
}

/** 12 hours, the longest lifetime of tokens issued here. */
const MAX_TOKEN_AGE_SECONDS = 43_200;

/** Options of the key cache. */
export interface KeyCacheOptions {
  /** Called when a fetch fails. */
  readonly onFailure?: (issuer: string, error: unknown) => void;
}

/** Minimum milliseconds between the starts of two fetches. */
const COOLDOWN_MS = 30_000;
/** Milliseconds after which keys are refreshed in the background. */
const MAX_AGE_MS = 10 * 60_000;

/** The configured issuers with their keys. */
export class ExternalIssuers {
  readonly #issuers = new Map<string, IssuerKeys>();

  constructor(
    issuers: readonly ExternalIssuer[],
    fetchJson: FetchJson,
    clock: Clock,
    options: KeyCacheOptions = {},
  ) {
    for (const issuer of issuers) {
      this.#issuers.set(issuer.issuer, new IssuerKeys(issuer, fetchJson, clock, options));
    }
  }

  /** The issuer with that name and the rules for its tokens, or null. */
  find(issuer: string): IssuerKeys | null {
    return this.#issuers.get(issuer) ?? null;
  }

  /** Whether any of them may authenticate for a tenant. */
  speakFor(tenant: { readonly id: string; readonly name: string }): boolean {
    return [...this.#issuers.values()].some((issuer) => issuer.speaksFor(tenant));
  }
}

/** One issuer: the rules for its tokens and its published keys. */
export class IssuerKeys implements TokenRules, ExternalRules {
  readonly algorithms = EXTERNAL_ALGORITHMS;
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly tenants: readonly string[];
  readonly claims: ClaimNames;
  readonly maxAgeSeconds: number;
  readonly clients: boolean;
  readonly #levels: ReadonlyMap<string, readonly string[]>;
  readonly #url: URL;
  readonly #fetchJson: FetchJson;
  readonly #clock: Clock;
  readonly #options: KeyCacheOptions;
  #keys: LocalJWKSet | null = null;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #activeFetch: Promise<void> | null = null;

  constructor(
    config: ExternalIssuer,
    fetchJson: FetchJson,
    clock: Clock,
    options: KeyCacheOptions,
  ) {
    this.issuer = config.issuer;
    this.audience = config.audience;
    this.tenants = config.tenants;
    this.claims = { ...OWN_CLAIMS, ...config.claims };
    this.maxAgeSeconds = config.maxTokenAgeSeconds ?? MAX_TOKEN_AGE_SECONDS;
    this.clients = config.clients ?? false;
    this.#levels = new Map(Object.entries(config.levels ?? {}));
    this.#url = new URL(config.jwksUrl);
    this.#fetchJson = fetchJson;
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether the issuer may authenticate for a tenant. */
  speaksFor({ id, name }: { readonly id: string; readonly name: string }): boolean {
    return this.tenants.includes(id) || this.tenants.includes(name);
  }

  /** Maps values of the claim `authorities` to the levels of a user who is unknown here. */
  levelsOf(authorities: readonly string[]): readonly string[] {
    return [...new Set(authorities.flatMap((value) => this.#levels.get(value) ?? []))];
  }

  /** The key that a header names. An unknown key causes one fetch per cool-down. */
  async keyFor(header: JWSHeaderParameters): Promise<JoseKey> {
    const cachedKey = await this.#find(header);
    if (cachedKey !== null) {
      if (this.#isStale()) void this.#refresh();
      return cachedKey;
    }
    await this.#refresh();
    const key = await this.#find(header);
    if (key === null) throw refused('the signing key is unknown');
    return key;
  }

  async #find(header: JWSHeaderParameters): Promise<JoseKey | null> {
    if (this.#keys === null) return null;
    try {
      return await this.#keys(header);
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) {
        throw refused('the token does not say which key signed it');
      }
      return null; // no such key, or one that cannot be imported
    }
  }

  #isStale(): boolean {
    return this.#clock.now() - this.#fetchedAt >= MAX_AGE_MS;
  }

  /** Never rejects: when the issuer is unavailable, the keys stay as they are. */
  #refresh(): Promise<void> {
    if (this.#activeFetch !== null) return this.#activeFetch;
    const now = this.#clock.now();
    const age = now - this.#attemptedAt;
    if (age >= 0 && age < COOLDOWN_MS) return Promise.resolve();
    this.#attemptedAt = now;
    this.#activeFetch = this.#fetch().finally(() => {
      this.#activeFetch = null;
    });
    return this.#activeFetch;
  }

  async #fetch(): Promise<void> {
    try {
      const answer = await this.#fetchJson(this.#url);
      // createLocalJWKSet throws on anything that is not a key set.
      this.#keys = createLocalJWKSet(answer as JSONWebKeySet);
      this.#fetchedAt = this.#clock.now();
    } catch (error) {
      this.#options.onFailure?.(this.issuer, error);
    }
  }
}
