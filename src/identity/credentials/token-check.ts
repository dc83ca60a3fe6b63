// From an Authorization header to a Caller. The signature is checked once per token and remembered; the key, the tenant,
// the revocation and the levels are read from the store, and read again after any write of this process, and after
// FRESH_MS for the sake of writes by others.
// Invariant: a token has no scope that its credential, or one that created it, has lost since the token was issued.
// Invariant: a credential deleted here is refused with the very next request, whatever is remembered.

import { commonScopes } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { OWN_CLAIMS, readClaims, type TokenClaims } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import type { ExternalIssuers, IssuerKeys } from '../../auth/external-issuers.ts';
import { OWN_ALGORITHM, readToken, refused, type TokenRules, verifyToken } from '../../auth/jwt.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { VerifiedTokens } from '../../auth/verified-tokens.ts';
import { ServiceError } from '../../errors.ts';
import { writesOf } from '../ports/observed-store.ts';
import type { Store, Tenant, UserStanding } from '../ports/store.ts';
import {
  boundsOfClient,
  boundsOfToken,
  type CredentialBounds,
  ENDED,
} from './credential-bounds.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The name tokens carry as `iss` and `aud`. */
export interface OwnIssuer {
  readonly issuer: string;
  readonly audience: string;
}

/** Milliseconds the state of a credential is trusted while nothing is written here. */
export const FRESH_MS = 500;

interface Verified {
  readonly claims: TokenClaims;
  /** null: issued here. */
  readonly external: IssuerKeys | null;
  /** What it was signed with. */
  readonly kid: string | undefined;
  /** null until judged, and where writes are not observed. */
  judgement: Judgement | null;
}

interface Judgement {
  readonly caller: Caller;
  /** The store's count of writes before it was read. */
  readonly writes: number;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** What the store says of the party behind a token. */
interface Standing {
  readonly capabilities: readonly string[];
  /** Those that the token was issued with and its credential still has. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds when the credential ends by itself. */
  readonly until: number;
}

const BEARER = /^bearer +(\S+) *$/i;

/** Judges tokens. */
export class TokenCheck {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keys: SigningKeys;
  readonly #own: TokenRules;
  readonly #external: ExternalIssuers | null;
  readonly #verified = new VerifiedTokens<Verified>();
  /** By id or name, as claimed; a tenant never changes. */
  readonly #tenants = new Map<string, Tenant>();

  constructor(
    store: Store,
    keys: SigningKeys,
    clock: Clock,
    own: OwnIssuer,
    external: ExternalIssuers | null,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#external = external;
    this.#keys = keys;
    this.#own = {
      issuer: own.issuer,
      audience: [own.audience],
      algorithms: [OWN_ALGORITHM],
      async keyFor(header) {
        const key = header.kid === undefined ? null : await keys.publicKey(header.kid);
        if (key === null) throw refused('the signing key is unknown');
        return key;
      },
    };
  }

  /**
   * @param authorization the header as sent
   * @throws ServiceError `token_missing`, `token_invalid`
   */
  async verify(authorization: string | undefined): Promise<Caller> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw new ServiceError('token_missing', 'An access token is needed: Authorization: Bearer …');
    }
    const now = this.#clock.now();
    const verified = this.#verified.get(token, now) ?? (await this.#checkToken(token, now));
    const known = verified.judgement;
    const writes = writesOf(this.#store);
    if (known !== null && known.writes === writes && now >= known.from && now < known.until) {
      return known.caller;
    }
    return this.#judge(verified, now, writes);
  }

  /**
   * Judges a token that somebody else sent.
   * @returns what a token issued here says, with the scopes that it has now, or null where it would be refused or has another
   *   issuer
   * @throws ServiceError `unavailable`
   */
  async inspect(text: string): Promise<TokenClaims | null> {
    const now = this.#clock.now();
    try {
      const verified = this.#verified.get(text, now) ?? (await this.#checkToken(text, now));
      if (verified.external !== null) return null;
      const { scopes } = await this.#judge(verified, now, writesOf(this.#store));
      return { ...verified.claims, scopes };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'token_invalid') return null;
      throw error;
    }
  }

  async #checkToken(text: string, now: number): Promise<Verified> {
    const token = readToken(text);
    const own = token.issuer === this.#own.issuer;
    const external = own ? null : (this.#external?.find(token.issuer) ?? null);
    if (!own && external === null) throw refused('the issuer is unknown');
    const payload = await verifyToken(token, external ?? this.#own, now);
    const names = external?.claims ?? OWN_CLAIMS;
    const claims = readClaims(payload, names, external, fingerprint(text));
    const verified = { claims, external, kid: token.header.kid, judgement: null };
    this.#verified.set(text, verified, claims.expires, now);
    return verified;
  }

  async #judge(verified: Verified, now: number, writes: number): Promise<Caller> {
    const { claims, external, kid = '' } = verified;
    // A key may have been thrown away since the signature was checked.
    if (external === null && (await this.#keys.publicKey(kid)) === null) {
      throw refused('the signing key is unknown');
    }
    const tenant = await this.#tenant(claims.tenant, external);
    const standing =
      external === null
        ? await this.#ownStanding(tenant.id, claims, now)
        : await this.#externalStanding(tenant.id, claims, external);
    const caller: Caller = {
      tenantId: tenant.id,
      identityId: claims.identityId,
      userName: claims.userName,
      clientId: claims.clientId,
      scopes: standing.scopes,
      capabilities: standing.capabilities,
      personalTokenId: claims.strategy === 'pat' ? claims.clientId : null,
      credentialEnds: standing.until,
      tokenId: claims.tokenId,
    };
    const until = Math.min(now + FRESH_MS, standing.until);
    verified.judgement = { caller, writes, from: now, until };
    return caller;
  }

  /** The tenant must exist already: a token never brings one into being. */
  async #tenant(claimed: string, external: IssuerKeys | null): Promise<Tenant> {
    let tenant = this.#tenants.get(claimed) ?? null;
    if (tenant === null) {
      const { read } = this.#store;
      tenant = (await read.tenantById(claimed)) ?? (await read.tenantByName(claimed));
      if (tenant === null) throw refused('the tenant is unknown');
      this.#tenants.set(claimed, tenant);
    }
    const allowed = external?.tenants;
    if (allowed !== undefined && !allowed.includes(tenant.id) && !allowed.includes(tenant.name)) {
      throw refused('the issuer does not speak for this tenant');
    }
    return tenant;
  }

  async #ownStanding(tenantId: string, claims: TokenClaims, now: number): Promise<Standing> {
    const [{ ends: until, scopes: held }, isRevoked, user] = await Promise.all([
      claims.strategy === 'pat'
        ? this.#personalTokenBounds(tenantId, claims)
        : this.#clientBounds(tenantId, claims.clientId),
      this.#store.read.isRevoked(tenantId, claims.tokenId, claims.family),
      this.#user(tenantId, claims),
    ]);
    if (isRevoked) throw refused('the token was revoked');
    if (until <= now) throw refused('the credential behind the token was revoked');
    const scopes = commonScopes(claims.scopes, held);
    if (claims.identityId === null) return { capabilities: [], scopes, until };
    if (user === null) throw refused('the user behind the token is gone');
    return { capabilities: user.capabilities, scopes, until };
  }

  /** A user who is known here has the levels stored here; another has those that the issuer's entry maps to. */
  async #externalStanding(
    tenantId: string,
    claims: TokenClaims,
    issuer: IssuerKeys,
  ): Promise<Standing> {
    const { identityId, authorities, expires, scopes } = claims;
    const user = await this.#user(tenantId, claims);
    const mapped = identityId === null ? [] : issuer.levelsOf(authorities);
    return { capabilities: user?.capabilities ?? mapped, scopes, until: expires };
  }

  /**
   * The user behind a token; null where there is none.
   * @throws ServiceError `token_invalid` where the user was disabled, or signed out after the token was issued
   */
  async #user(
    tenantId: string,
    { identityId, issuedAt }: TokenClaims,
  ): Promise<UserStanding | null> {
    if (identityId === null) return null;
    const user = await this.#store.read.userStanding(tenantId, identityId);
    if (user === null) return null;
    if (!user.enabled) throw refused('the user behind the token is disabled');
    if (issuedAt < user.tokensValidFrom) throw refused('the user has signed out since');
    return user;
  }

  /** The bounds of a personal access token; one that is gone has ended. */
  async #personalTokenBounds(tenantId: string, claims: TokenClaims): Promise<CredentialBounds> {
    const found = await this.#store.read.tokenById(claims.clientId);
    if (found === null || found.tenantId !== tenantId) return ENDED;
    if (found.token.ownerId !== claims.identityId) return ENDED;
    return boundsOfToken(this.#store.read, tenantId, found.token);
  }

  async #clientBounds(tenantId: string, clientId: string): Promise<CredentialBounds> {
    const found = await this.#store.read.clientById(clientId);
    if (found?.tenantId !== tenantId) return ENDED;
    return boundsOfClient(this.#store.read, tenantId, found.client);
  }
}
