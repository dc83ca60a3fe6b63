// The tables, as Kysely types. Columns are what both databases can hold: JSON travels as text, flags as 0 and 1,
// times as ISO 8601 text. migrations/ makes exactly these; a change here is a new migration there.

export interface TenantTable {
  id: string;
  name: string;
  pod: string;
  created: string;
}

export interface AuthUserTable {
  tenant_id: string;
  id: string;
  uid: string;
  /** JSON object: every member but `id`, `uid` and `capabilities`. */
  details: string;
  /** JSON array of strings, in the caller's order. */
  capabilities: string;
}

/** Which auth user holds which capability: `auth_user.capabilities` turned round, written with it. */
export interface CapabilityHolderTable {
  tenant_id: string;
  capability: string;
  auth_user_id: string;
}

export interface CustomCapabilityTable {
  tenant_id: string;
  capability: string;
}

export interface PersonalAccessTokenTable {
  id: string;
  tenant_id: string;
  owner_id: string;
  name: string;
  secret_hash: string;
  /** JSON array of strings. */
  scope: string;
  access_token_validity_seconds: number;
  expiration_date: string | null;
  user_aware_token_never_expires: number;
  managed: number;
  created: string;
  last_used: string | null;
}

export interface OAuthClientTable {
  id: string;
  tenant_id: string;
  name: string;
  secret_hash: string;
  /** JSON array of strings, as the two below. */
  grant_types: string;
  scope: string;
  redirect_uris: string;
  access_token_validity_seconds: number;
  enabled: number;
  created: string;
}

export interface RefreshTokenTable {
  hash: string;
  tenant_id: string;
  client_id: string;
  identity_id: string | null;
  /** JSON array of strings. */
  scope: string;
  expires: string;
}

export interface SigningKeyTable {
  kid: string;
  /** JSON object. */
  jwk: string;
  created: string;
  active: number;
}

/** The sequence is the primary key, so the tail of changes is one range of the table itself. */
export interface DocumentTable {
  sequence: number;
  tenant_id: string;
  index_name: string;
  id: string;
  /** Of the content, for the unchanged test; null in a tombstone, as `root` and `nested`. */
  hash: Uint8Array | null;
  root: Uint8Array | null;
  nested: Uint8Array | null;
}

export interface DocumentCountTable {
  tenant_id: string;
  index_name: string;
  documents: number;
}

export interface DynamicFieldTable {
  tenant_id: string;
  index_name: string;
  path: string;
  type: string;
  nested: string | null;
}

/** Moves with each field that is added, so that a cached mapping knows when it is old. */
export interface DynamicFieldVersionTable {
  tenant_id: string;
  version: number;
}

/** One row per counter. Its row lock makes sequence numbers visible in commit order. */
export interface SequenceCounterTable {
  name: string;
  value: number;
}

export interface Schema {
  tenant: TenantTable;
  auth_user: AuthUserTable;
  capability_holder: CapabilityHolderTable;
  custom_capability: CustomCapabilityTable;
  personal_access_token: PersonalAccessTokenTable;
  oauth_client: OAuthClientTable;
  refresh_token: RefreshTokenTable;
  signing_key: SigningKeyTable;
  document: DocumentTable;
  document_count: DocumentCountTable;
  dynamic_field: DynamicFieldTable;
  dynamic_field_version: DynamicFieldVersionTable;
  sequence_counter: SequenceCounterTable;
}
