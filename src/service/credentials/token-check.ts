// Verifies access tokens: Authorization header in, Caller out. The signature is checked once per
// token and cached. Key, tenant, revocation and levels are read from the store, and read again
// after any write of this process, and every FRESH_MS because other nodes write too. A token of
// another issuer can be revoked, and its person signed out and disabled, like those of this service.
// Invariant: a token has no scope that its credential, or a parent of it, has lost since it was
// issued, and sees through every view that restricts its user, its credential, or a parent of it.
// Invariant: a credential deleted on this node is refused from the very next request on.

import { commonScopes } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { OWN_CLAIMS, readClaims, type TokenClaims } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import type { ExternalIssuers, IssuerKeys } from '../../auth/external-issuers.ts';
import {
  CLOCK_SKEW_SECONDS,
  OWN_ALGORITHM,
  readToken,
  refused,
  type TokenRules,
  type UnverifiedToken,
  verifyToken,
} from '../../auth/jwt.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { VerifiedTokens } from '../../auth/verified-tokens.ts';
import { ServiceError } from '../../errors.ts';
import type { Store, TokenState, UserStatus } from '../ports/store.ts';
import { viewsInForce } from '../views/views-in-force.ts';
import { boundsOf, type CredentialBounds, ENDED } from './credential-bounds.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The values of `iss` and `aud` in the service's own tokens. */
export interface OwnIssuer {
  readonly issuer: string;
  readonly audience: string;
}

/** Milliseconds for which a credential's state is cached while this process writes nothing. */
export const FRESH_MS = 500;

interface Verified {
  readonly claims: TokenClaims;
  /** null for tokens issued here. */
  readonly external: IssuerKeys | null;
  /** Id of the signing key. */
  readonly kid: string | undefined;
  /** null until the first check. */
  status: CheckedStatus | null;
  /** The check that is running, if any. */
  running: RunningCheck | null;
}

interface CheckedStatus {
  readonly caller: Caller;
  /** The store's write count before it was read. */
  readonly writes: number;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** A check that every request may share that came in while it had read nothing older. */
interface RunningCheck {
  readonly result: Promise<Caller>;
  /** The store's write count before it began. */
  readonly writes: number;
  /** Epoch milliseconds. */
  readonly from: number;
}

/** The stored state of the party behind a token. */
interface PartyStatus extends Pick<Caller, 'capabilities' | 'ownerCapabilities'> {
  /** Scopes of the token that its credential still has. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds when the credential expires. */
  readonly until: number;
  /** Names of the views that restrict it. */
  readonly views: readonly string[];
}

/** A token that somebody else presents. */
export interface InspectedToken {
  readonly claims: TokenClaims;
  readonly tenantId: string;
  /** Its current scopes. */
  readonly scopes: readonly string[];
  readonly issuer: 'own' | 'external';
}

const BEARER = /^bearer +(\S+) *$/i;

/** Verifies access tokens. */
export class TokenCheck {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #keys: SigningKeys;
  readonly #own: TokenRules;
  readonly #external: ExternalIssuers | null;
  readonly #verified = new VerifiedTokens<Verified>();

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
    return this.#verify(token);
  }

  async #verify(token: string): Promise<Caller> {
    const now = this.#clock.now();
    const verified = this.#verified.get(token, now) ?? (await this.#checkToken(token, now));
    const cached = verified.status;
    const { writes } = this.#store;
    if (cached !== null && cached.writes === writes && now >= cached.from && now < cached.until) {
      return cached.caller;
    }
    return this.#sharedCheck(token, verified, now);
  }

  /** Checks the status once for all requests between two writes that arrive while it is checked. */
  #sharedCheck(token: string, verified: Verified, now: number): Promise<Caller> {
    const { running } = verified;
    const { writes } = this.#store;
    const ageMs = running === null ? FRESH_MS : now - running.from;
    if (running?.writes === writes && ageMs >= 0 && ageMs < FRESH_MS) return running.result;
    const result = this.#checkStatus(token, verified, now);
    const check: RunningCheck = { result, writes, from: now };
    verified.running = check;
    const end = () => {
      if (verified.running === check) verified.running = null;
    };
    result.then(end, end);
    return result;
  }

  /**
   * Verifies a token that the caller did not sign in with.
   * @returns null for a token that is not accepted
   * @throws ServiceError `unavailable`
   */
  async inspect(text: string): Promise<InspectedToken | null> {
    const now = this.#clock.now();
    try {
      const verified = this.#verified.get(text, now) ?? (await this.#checkToken(text, now));
      const { claims, external } = verified;
      const { tenantId, scopes } = await this.#checkStatus(text, verified, now);
      return { claims, tenantId, scopes, issuer: external === null ? 'own' : 'external' };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'token_invalid') return null;
      throw error;
    }
  }

  /**
   * Finds what a token says that is to be revoked. It need not be accepted now: it may become valid
   * later, or again once its user is enabled or its credential ends later.
   * @returns null for a token that is never accepted
   * @throws ServiceError `unavailable` if the key of another issuer's token is not known now
   */
  async signedToken(text: string): Promise<Omit<InspectedToken, 'scopes'> | null> {
    try {
      const token = readToken(text);
      const external = this.#issuerOf(token);
      const at = Math.max(this.#clock.now(), token.startsMs);
      const claims = await readSigned(token, external, withKey(external) ?? this.#own, at);
      if (external === null) return { claims, tenantId: claims.tenant, issuer: 'own' };
      return { claims, tenantId: await this.#tenantOf(claims, external), issuer: 'external' };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'token_invalid') return null;
      throw error;
    }
  }

  async #checkToken(text: string, now: number): Promise<Verified> {
    const token = readToken(text);
    const external = this.#issuerOf(token);
    const claims = await readSigned(token, external, external ?? this.#own, now);
    const verified = { claims, external, kid: token.header.kid, status: null, running: null };
    this.#verified.set(text, verified, claims.expires, now);
    return verified;
  }

  /** The external issuer of a token; null for tokens issued here. */
  #issuerOf({ issuer }: UnverifiedToken): IssuerKeys | null {
    if (issuer === this.#own.issuer) return null;
    const external = this.#external?.find(issuer) ?? null;
    if (external === null) throw refused('the issuer is unknown');
    return external;
  }

  async #checkStatus(text: string, verified: Verified, now: number): Promise<Caller> {
    const { writes } = this.#store;
    const { claims, external, kid = '' } = verified;
    // The key may have been deleted since the signature was checked.
    if (external === null && (await this.#keys.publicKey(kid)) === null) {
      throw refused('the signing key is unknown');
    }
    const tenantId = external === null ? claims.tenant : await this.#tenantOf(claims, external);
    const [party, isRevoked] = await Promise.all([
      external === null
        ? this.#ownStatus(tenantId, claims, now)
        : this.#externalStatus(tenantId, claims, external),
      this.#store.read.isRevoked(tenantId, claims.tokenId, claims.family),
    ]);
    if (isRevoked) throw refused('the token was revoked');
    const caller: Caller = {
      tenantId,
      views: await viewsInForce(this.#store.read, tenantId, party.views),
      current: () => this.#verify(text),
      identityId: claims.identityId,
      userName: claims.userName,
      clientId: claims.clientId,
      scopes: party.scopes,
      capabilities: party.capabilities,
      ownerCapabilities: party.ownerCapabilities,
      personalTokenId: claims.strategy === 'pat' ? claims.clientId : null,
      credentialEnds: party.until,
      tokenId: claims.tokenId,
    };
    const until = Math.min(now + FRESH_MS, party.until);
    verified.status = { caller, writes, from: now, until };
    return caller;
  }

  /**
   * The id of the tenant that another issuer's token names by id or name. It must exist: tokens never
   * create tenants.
   */
  async #tenantOf({ tenant: claimed }: TokenClaims, issuer: IssuerKeys): Promise<string> {
    const { read } = this.#store;
    const tenant = (await read.tenantById(claimed)) ?? (await read.tenantByName(claimed));
    if (tenant === null) throw refused('the tenant is unknown');
    if (!issuer.speaksFor(tenant)) throw refused('the issuer does not speak for this tenant');
    return tenant.id;
  }

  async #ownStatus(tenantId: string, claims: TokenClaims, now: number): Promise<PartyStatus> {
    const { identityId, issuedAt } = claims;
    const { read } = this.#store;
    const [tenant, bounds, user] = await Promise.all([
      read.tenantById(tenantId),
      this.#credentialBounds(tenantId, claims),
      identityId === null ? null : read.userStatus(tenantId, identityId),
    ]);
    if (tenant === null) throw refused('the tenant is unknown');
    const { ends: until, validFrom, scopes: credentialScopes, views, owners } = bounds;
    if (until <= now) throw refused('the credential behind the token was revoked');
    if (issuedAt < validFrom) throw refused('the credential was disabled since');
    const scopes = commonScopes(claims.scopes, credentialScopes);
    const common = { scopes, until, ownerCapabilities: owners };
    if (identityId === null) return { capabilities: [], views, ...common };
    if (user === null) throw refused('the user behind the token is gone');
    refuseEnded(user, claims);
    return { capabilities: user.capabilities, views: withView(user, views), ...common };
  }

  /**
   * A user who is stored here has the stored levels, others those mapped by the issuer's entry. A
   * client of the issuer has none, and can be disabled and signed out by its id, as introspection
   * names it.
   */
  async #externalStatus(
    tenantId: string,
    claims: TokenClaims,
    issuer: IssuerKeys,
  ): Promise<PartyStatus> {
    const { identityId, clientId, authorities, expires, scopes } = claims;
    const common = { scopes, until: expires, ownerCapabilities: [] };
    const status = await this.#store.read.personStatus(tenantId, identityId ?? clientId);
    if (status !== null) {
      // The clock of the issuer may be ahead, so `iat` may lie after the sign-out that it was issued before.
      refuseEnded(status, { issuedAt: claims.issuedAt - CLOCK_SKEW_SECONDS });
    }
    if (identityId === null) return { capabilities: [], views: [], ...common };
    if (status === null || 'deleted' in status) {
      return { capabilities: issuer.levelsOf(authorities), views: [], ...common };
    }
    return { capabilities: status.capabilities, views: withView(status, []), ...common };
  }

  /**
   * The bounds of the credential behind a token, without those of its own user; `ENDED` when it no
   * longer exists.
   */
  async #credentialBounds(
    tenantId: string,
    { clientId, strategy, identityId }: TokenClaims,
  ): Promise<CredentialBounds> {
    const credential = await this.#store.read.credentialById(clientId);
    if (credential?.tenantId !== tenantId || credential.kind !== strategy) return ENDED;
    if (credential.ownerId !== identityId) return ENDED;
    return boundsOf(this.#store.read, credential, null);
  }
}

/** Checks a token and reads its claims. @param at epoch milliseconds */
async function readSigned(
  token: UnverifiedToken,
  external: IssuerKeys | null,
  rules: TokenRules,
  at: number,
): Promise<TokenClaims> {
  const payload = await verifyToken(token, rules, at);
  return readClaims(
    payload,
    external?.claims ?? OWN_CLAIMS,
    external,
    fingerprint(token.signedText),
  );
}

/** The rules of an issuer, under which a key that is not known now is no reason to give a token up. */
function withKey(external: IssuerKeys | null): TokenRules | null {
  if (external === null) return null;
  const { issuer, audience, algorithms, maxAgeSeconds } = external;
  const keyFor = (header: UnverifiedToken['header']) =>
    external.keyFor(header).catch(() => {
      throw new ServiceError('unavailable', 'The token cannot be checked now. Try again later.', {
        causes: [`no key of the issuer ${issuer} that is known now has signed it`],
      });
    });
  return { issuer, audience, algorithms, maxAgeSeconds, keyFor };
}

/** @throws ServiceError `token_invalid` for a person who is disabled or signed out since */
function refuseEnded(
  { enabled, tokensValidFrom }: TokenState,
  { issuedAt }: Pick<TokenClaims, 'issuedAt'>,
): void {
  if (!enabled) throw refused('the user behind the token is disabled');
  if (issuedAt < tokensValidFrom) throw refused('the user has signed out since');
}

/** The views of a credential and of the auth user who uses it. */
function withView({ view }: UserStatus, views: readonly string[]): readonly string[] {
  return view === null ? views : [view, ...views];
}
