// The part of the store's port for credentials: personal access tokens, API clients, and keys of
// profile management. What they have in common is here once; the rest is by kind.
// Invariant: a secret is stored as a hash only; ids are unique over all tenants and kinds.

/** `pat`: a personal access token. `client`: an API client. `key`: an API key. */
export type CredentialKind = 'pat' | 'client' | 'key';

interface AnyCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly name: string;
  /** `hashSecret` of the secret; of an API key, by which it is found, its `fingerprint`. */
  readonly secretHash: string;
  readonly scope: readonly string[];
  /** The auth user who owns it; null for none. */
  readonly ownerId: string | null;
  /** The personal access token that created it, and with which it ends; null for none. */
  readonly parentId: string | null;
  /** The view that it is restricted to; null: none. */
  readonly view: string | null;
  /** ISO 8601, like the next two; null for never. */
  readonly expires: string | null;
  readonly created: string;
  /** Updated at most once a day. */
  readonly lastUsed: string | null;
}

/** A personal access token. It acts for its owner. */
export interface PersonalAccessToken extends AnyCredential {
  readonly kind: 'pat';
  readonly ownerId: string;
  readonly accessTokenValiditySeconds: number;
  readonly userAwareTokenNeverExpires: boolean;
  readonly managed: boolean;
}

/** An API client. It acts for itself, without a user. */
export interface OAuthClient extends AnyCredential {
  readonly kind: 'client';
  /** Empty for none, like the next two. */
  readonly description: string;
  readonly businessName: string;
  readonly homepageUrl: string;
  /**
   * In the spelling of the public API: `CLIENT_CREDENTIALS`, `REFRESH_TOKEN`, `AUTHORIZATION_CODE`.
   */
  readonly grantTypes: readonly string[];
  readonly accessType: 'ONLINE' | 'OFFLINE';
  readonly accessTokenValiditySeconds: number;
  /** How long a refresh token may stay unused. */
  readonly refreshTokenValiditySeconds: number;
  readonly redirectUris: readonly string[];
  readonly enabled: boolean;
  readonly strongAuthSupported: boolean;
  readonly claimsSupported: boolean;
  /** ISO 8601. */
  readonly modified: string;
  /** Epoch seconds: access tokens issued earlier are rejected; 0 if it was never disabled. */
  readonly tokensValidFrom: number;
}

/** A key of profile management, which is sent with each request. */
export interface ApiKey extends AnyCredential {
  readonly kind: 'key';
}

export type Credential = PersonalAccessToken | OAuthClient | ApiKey;

/** The credentials of a kind. */
export type CredentialOf<K extends CredentialKind> = Extract<Credential, { readonly kind: K }>;

/** A credential with its tenant. */
export type TenantCredential<C extends Credential = Credential> = C & { readonly tenantId: string };

export interface CredentialRecords {
  /** Found before the tenant is known. */
  credentialById(id: string): Promise<TenantCredential | null>;
  /** Found before the tenant is known, by the hash of the key. */
  apiKeyByHash(secretHash: string): Promise<TenantCredential<ApiKey> | null>;
  /**
   * Those of a kind, oldest first.
   * @param ownerId null: those of all owners and of none
   */
  credentialsOf<K extends CredentialKind>(
    tenantId: string,
    kind: K,
    ownerId?: string | null,
  ): Promise<readonly CredentialOf<K>[]>;
  /** Those whose parent is that personal access token, oldest first. */
  credentialsCreatedBy(tenantId: string, parentId: string): Promise<readonly Credential[]>;
  /**
   * The personal access tokens of all tenants that expire at `instant` or before, at most `limit` of
   * them, those that expired first before the others.
   * @param instant epoch milliseconds
   */
  expiredTokens(
    instant: number,
    limit: number,
  ): Promise<readonly TenantCredential<PersonalAccessToken>[]>;
}

export interface WritableCredentialRecords extends CredentialRecords {
  addCredential(tenantId: string, credential: Credential): Promise<void>;
  /** Changes all but parent and view. */
  updateCredential(tenantId: string, credential: Credential): Promise<void>;
  /** @param lastUsed ISO 8601 */
  noteCredentialUse(tenantId: string, id: string, lastUsed: string): Promise<void>;
  /** Also deletes its refresh tokens. @returns whether it existed */
  deleteCredential(tenantId: string, id: string): Promise<boolean>;
}
