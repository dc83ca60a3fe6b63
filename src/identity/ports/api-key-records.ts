// The part of the store's port that keeps API keys of profile management.
// Invariant: of a key only the hash is stored; every method but the lookup by hash takes the tenant.

/** `manage` includes `read`. */
export const API_KEY_SCOPES = ['read', 'manage'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** An API key as stored. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** `fingerprint` of the key. */
  readonly hash: string;
  /** ISO 8601. */
  readonly created: string;
  readonly scope: ApiKeyScope;
  /** ISO 8601; null never expires. */
  readonly expires: string | null;
  /** The auth user who answers for it; null where it was created at the machine without one. */
  readonly ownerId: string | null;
  /** ISO 8601; moves at most once a day. */
  readonly lastUsed: string | null;
  /** The personal access token that created it; it ends with that one. null: nothing but itself ends it. */
  readonly parentId: string | null;
}

export interface ReadableApiKeys {
  /** Looked up before the tenant is known. */
  apiKeyByHash(hash: string): Promise<{ tenantId: string; key: ApiKey } | null>;
  /** In the order they were made. */
  apiKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** The keys whose parent is that personal access token, oldest first. */
  apiKeysCreatedBy(tenantId: string, parentId: string): Promise<readonly ApiKey[]>;
}

export interface WritableApiKeys extends ReadableApiKeys {
  addApiKey(tenantId: string, key: ApiKey): Promise<void>;
  /** @param lastUsed ISO 8601 */
  noteApiKeyUse(tenantId: string, id: string, lastUsed: string): Promise<void>;
  /** Whether there was one. */
  deleteApiKey(tenantId: string, id: string): Promise<boolean>;
}
