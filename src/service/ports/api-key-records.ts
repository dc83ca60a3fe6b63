// The part of the store's port for API keys of profile management.
// Invariant: only the hash of a key is stored; every method except the lookup by hash takes the
// tenant.

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
  /** The auth user who owns it; null if it was created on the command line without an owner. */
  readonly ownerId: string | null;
  /** ISO 8601; updated at most once a day. */
  readonly lastUsed: string | null;
  /** The personal access token that created it and with which it ends; null: it has no parent. */
  readonly parentId: string | null;
}

export interface ReadableApiKeys {
  /** A lookup before the tenant is known. */
  apiKeyByHash(hash: string): Promise<{ tenantId: string; key: ApiKey } | null>;
  /** In the order of creation. */
  apiKeys(tenantId: string): Promise<readonly ApiKey[]>;
  /** The keys whose parent is that personal access token, oldest first. */
  apiKeysCreatedBy(tenantId: string, parentId: string): Promise<readonly ApiKey[]>;
}

export interface WritableApiKeys extends ReadableApiKeys {
  addApiKey(tenantId: string, key: ApiKey): Promise<void>;
  /** @param lastUsed ISO 8601 */
  noteApiKeyUse(tenantId: string, id: string, lastUsed: string): Promise<void>;
  /** Returns whether the key existed. */
  deleteApiKey(tenantId: string, id: string): Promise<boolean>;
}
