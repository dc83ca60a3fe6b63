// Issuers other than this service whose tokens are taken: each with its published keys (RFC 7517). Keys are
// fetched when first needed, refreshed in the background, and kept through an outage of the issuer.
// Invariant: per issuer at most one fetch is under way and at most one begins per cool-down, whatever is sent.
import {
  createLocalJWKSet,
  errors,
  type CryptoKey as JoseKey,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { type ClaimNames, OWN_CLAIMS } from './claims.ts';
import type { Clock } from './clock.ts';
import { EXTERNAL_ALGORITHMS, refused, type TokenRules } from './jwt.ts';
import type { FetchJson } from './outbound.ts';

/** An issuer as configured. */
export interface ExternalIssuer {
  /** Exactly as in the claim `iss`. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The token must be meant for one of these. */
  readonly audience: readonly string[];
  /** Names or ids of the tenants it may speak for. */
  readonly tenants: readonly string[];
  readonly claims?: Partial<ClaimNames>;
  /** Levels of users who are unknown here, by values of the claim `authorities`; none when left out. */
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  /** Seconds after its claim `iat` in which a token is accepted. Default MAX_TOKEN_AGE_SECONDS. */
  readonly maxTokenAgeSeconds?: number;
}

/** 12 hours, as long as the longest token issued here. */
export const MAX_TOKEN_AGE_SECONDS = 43_200;

/** How keys are kept. */
export interface KeyCacheOptions {
  /** Least milliseconds between the beginnings of two fetches. */
  readonly cooldownMs?: number;
  /** Milliseconds after which keys are refreshed in the background. */
  readonly maxAgeMs?: number;
  /** Told when a fetch fails. */
  readonly onFailure?: (issuer: string, error: unknown) => void;
}

const COOLDOWN_MS = 30_000;
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

  /** The issuer of that name with the rules for its tokens, or null. */
  find(issuer: string): IssuerKeys | null {
    return this.#issuers.get(issuer) ?? null;
  }
}

/** One issuer: the rules for its tokens, and the keys it has published. */
export class IssuerKeys implements TokenRules {
  readonly algorithms = EXTERNAL_ALGORITHMS;
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly tenants: readonly string[];
  readonly claims: ClaimNames;
  readonly maxAgeSeconds: number;
  readonly #levels: ReadonlyMap<string, readonly string[]>;
  readonly #url: URL;
  readonly #fetchJson: FetchJson;
  readonly #clock: Clock;
  readonly #options: KeyCacheOptions;
  #keys: LocalJWKSet | null = null;
  #fetched = Number.NEGATIVE_INFINITY;
  #attempted = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

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
    this.#levels = new Map(Object.entries(config.levels ?? {}));
    this.#url = new URL(config.jwksUrl);
    this.#fetchJson = fetchJson;
    this.#clock = clock;
    this.#options = options;
  }

  /** The levels of a user who is unknown here, from the values of the claim `authorities`. */
  levelsOf(authorities: readonly string[]): readonly string[] {
    return [...new Set(authorities.flatMap((value) => this.#levels.get(value) ?? []))];
  }

  /** The key a header names; an unknown one is asked for once per cool-down. */
  async keyFor(header: JWSHeaderParameters): Promise<JoseKey> {
    const known = await this.#find(header);
    if (known !== null) {
      if (this.#isOld()) void this.#refresh();
      return known;
    }
    await this.#refresh();
    const found = await this.#find(header);
    if (found === null) throw refused('the signing key is unknown');
    return found;
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

  #isOld(): boolean {
    return this.#clock.now() - this.#fetched >= (this.#options.maxAgeMs ?? MAX_AGE_MS);
  }

  /** Never rejects: an issuer that is away leaves the keys as they are. */
  #refresh(): Promise<void> {
    if (this.#running !== null) return this.#running;
    const now = this.#clock.now();
    const age = now - this.#attempted;
    if (age >= 0 && age < (this.#options.cooldownMs ?? COOLDOWN_MS)) return Promise.resolve();
    this.#attempted = now;
    this.#running = this.#fetch().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #fetch(): Promise<void> {
    try {
      const answer = await this.#fetchJson(this.#url);
      // createLocalJWKSet refuses what is not a key set.
      this.#keys = createLocalJWKSet(answer as JSONWebKeySet);
      this.#fetched = this.#clock.now();
    } catch (error) {
      this.#options.onFailure?.(this.issuer, error);
    }
  }
}
