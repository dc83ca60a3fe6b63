// The tables, as Kysely types. Columns are what both databases can hold: JSON is text, flags are 0
// and 1, times are ISO 8601 text. migrations/ creates exactly these; a change here needs a new
// migration there.
import type { Generated } from 'kysely';
import type { CredentialKind } from '../../service/ports/credential-records.ts';

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
  enabled: Generated<number>;
  /** Epoch seconds: tokens issued earlier are rejected; 0 if the user was never signed out. */
  tokens_valid_from: Generated<number>;
  /** The view that all its tokens are restricted to. */
  view_name: Generated<string | null>;
  /** Text without case, for lists (records/folded-columns.ts); null: it has none. */
  id_folded: string | null;
  uid_folded: string | null;
  alias_folded: string | null;
  display_name_folded: string | null;
  firstname_folded: string | null;
  lastname_folded: string | null;
  email_folded: string | null;
  identification_number_folded: string | null;
}

/** The state of identities that are no auth users, for tokens of other issuers. */
export interface AbsentUserTable {
  tenant_id: string;
  id: string;
  enabled: number;
  /** As in `auth_user`. */
  tokens_valid_from: number;
  /** 1 for one that was an auth user before. */
  deleted: number;
}

/** Access tokens, or families of them, that are rejected until they have expired anyway. */
export interface RevokedTokenTable {
  tenant_id: string;
  /**
   * `jti` of an access token, or the id of the chain of refresh tokens it was issued from; of another
   * issuer's token a fingerprint.
   */
  id: string;
  /** Epoch milliseconds. */
  expires: number;
}

/** The auth users of each capability: the inverse of `auth_user.capabilities`, written with it. */
export interface CapabilityHolderTable {
  tenant_id: string;
  capability: string;
  auth_user_id: string;
}

export interface CustomCapabilityTable {
  tenant_id: string;
  capability: string;
}

/** Personal access tokens, API clients and API keys. */
export interface CredentialTable {
  id: string;
  tenant_id: string;
  kind: CredentialKind;
  name: string;
  secret_hash: string;
  /** JSON array of strings. */
  scope: string;
  owner_id: string | null;
  /** Id of the personal access token that created it. */
  parent_id: string | null;
  /** The view it is restricted to. */
  view_name: string | null;
  expires: string | null;
  created: string;
  /** JSON object: the members that only its kind has. */
  details: string;
  last_used: string | null;
}

export interface RefreshTokenTable {
  id: string;
  tenant_id: string;
  client_id: string;
  secret_hash: string;
  /** JSON array; null: the scopes of the client. */
  scope: string | null;
  created: string;
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
  /**
   * Hash of the content, to detect unchanged documents; null in a tombstone, as `root`, `nested`.
   */
  hash: Uint8Array | null;
  /** Both parts of the document, or its root alone: see records/document-bytes.ts. */
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
  /** Epoch milliseconds; null: from before it was recorded. */
  since: number | null;
  /** The type that documents may still be indexed by; null: all are by `type`. */
  indexed_as: string | null;
}

/** Increases with each field that is added or changed, so that cached mappings are invalidated. */
export interface DynamicFieldVersionTable {
  tenant_id: string;
  version: number;
}

/**
 * One row per counter: `document`, the last sequence number, whose row lock makes numbers visible in
 * commit order, and `purged`, the highest number of a purged tombstone.
 */
export interface SequenceCounterTable {
  name: string;
  value: number;
}

/** The first change of a process is the one after `sequence`; only the last 1,000 are kept. */
export interface StoreWriterTable {
  sequence: number;
  /** A random id of the process. */
  id: string;
}

/** One event of the audit trail in the hash chain of its tenant; rows are only inserted. */
export interface AuditEventTable {
  sequence: number;
  tenant_id: string;
  /** 1, 2, 3, … within the tenant. */
  number: number;
  id: string;
  /** The event as JSON. */
  event: string;
  /** Hexadecimal digits, as `hash`. */
  previous_hash: string;
  hash: string;
  /** The attribute `targetId` of the event as JSON spells it; null if it has none. */
  target_id: string | null;
}

/** The end of each tenant's chain. */
export interface AuditHeadTable {
  tenant_id: string;
  number: number;
  hash: string;
  /** How many of the first events are older than the chain. */
  carried: number;
}

/** How far events were exported, by target, and who holds the lease. */
export interface AuditExportTable {
  target: string;
  sequence: number;
  owner: string;
  /** Epoch milliseconds. */
  lease_until: number;
}

/** A change whose age is known, and the clock of the last purge: a row each. */
export interface PurgeStateTable {
  name: string;
  /** This and the next: of a lease of earlier builds; without use. */
  owner: string;
  lease_until: number;
  /** The last change at `marked_at`. */
  marked_sequence: number;
  /** Epoch milliseconds. */
  marked_at: number;
}

/** Until when documents of the events of a tenant may have been purged. */
export interface EventPurgeTable {
  tenant_id: string;
  /** Epoch milliseconds. */
  purged_before: number;
}

/** A tenant that is copied from a remote one. */
export interface MirrorTable {
  tenant_id: string;
  source: string;
  /** JSON object: the other members of a mirror. */
  details: string;
}

/** How far each part of a mirror was copied. */
export interface MirrorPartTable {
  tenant_id: string;
  part: string;
  /** JSON object. */
  progress: string;
}

/** The documents and records that a mirror brought. */
export interface MirrorItemTable {
  tenant_id: string;
  part: string;
  id: string;
}

/** What every record of profile management has; times are ISO 8601 with milliseconds. */
interface Resource {
  tenant_id: string;
  id: string;
  /** The readable key, unique per tenant and table. */
  uid: string;
  created_at: string;
  updated_at: string;
}

/** `…_folded` is the column before it after `foldText`: filters and orders compare it. */
export interface ProfileTypeTable extends Resource {
  name: string;
  name_folded: string;
  category: string | null;
  archived: number;
  /** JSON object: the members without a column of their own. */
  details: string;
}

export interface AttributeTable extends Resource {
  label: string;
  label_folded: string;
  data_type: string;
  type: string;
  profile_type_id: string | null;
  archived: number;
  details: string;
  filtering_ne_attribute_id: string | null;
  ne_attribute_filter_id: string | null;
}

export interface AttributeOptionTable extends Resource {
  ne_attribute_id: string;
  option: string;
  option_folded: string;
}

export interface ProfileUserTable extends Resource {
  name: string;
  name_folded: string;
  email: string;
  email_folded: string;
  login: string;
  login_folded: string;
  type: string;
  title: string | null;
  title_folded: string | null;
  status: string;
  last_login: string | null;
  sailpoint_identity_id: string | null;
  details: string;
  profile_id: string | null;
}

export interface ProfileRoleTable extends Resource {
  name: string;
  name_folded: string;
  type: string;
  archived: number;
  details: string;
}

export interface UserRoleTable extends Resource {
  user_id: string;
  role_id: string;
}

export interface RoleProfileTable extends Resource {
  role_id: string;
  profile_id: string;
}

export interface UserProfileTable extends Resource {
  user_id: string;
  profile_id: string;
  ne_attribute_id: string | null;
  relationship_type: string;
}

export interface UserManagerTable extends Resource {
  user_id: string;
  manager_id: string;
}

export interface RiskLevelTable extends Resource {
  label: string;
  label_folded: string;
  order: number;
  points: number | null;
  details: string;
}

export interface RiskScoreTable extends Resource {
  object_id: string;
  object_type: string;
  overall_score: number | null;
  overall_risk_level_id: string | null;
  impact_risk_level_id: string | null;
  probability_risk_level_id: string | null;
  details: string;
}

export interface ProfileTable extends Resource {
  uid_folded: string;
  name: string;
  name_folded: string;
  profile_type_id: string;
  status: string;
  id_proofing_status: string | null;
  archived: number;
  /** The number of its rows in `profile_value`, so that lost ones are noticed. */
  items: Generated<number>;
}

/**
 * One item of one attribute of one profile. `value` is what was written; the columns after it are
 * what rules compare: `folded` and its `reversed` text, `number` if it is a decimal number, `day`
 * (days since 1970-01-01) of a date, `ref_id` of the option, profile or user it refers to (then
 * `value` and `folded` are null: names are read from the referent).
 */
export interface ProfileValueTable {
  tenant_id: string;
  profile_id: string;
  attribute_id: string;
  position: number;
  value: string | null;
  folded: string | null;
  reversed: string | null;
  number: number | null;
  day: number | null;
  ref_id: string | null;
  /** Of the row: row-checksum.ts. */
  checksum?: string | null | undefined;
}

export interface AdvancedSearchTable extends Resource {
  label: string | null;
  /** JSON array, in the order of creation. */
  rules: string;
}

export interface JobTable {
  tenant_id: string;
  id: string;
  status: string;
  job_type: string;
  /** JSON array. */
  job_data: string;
  created: string;
}

export interface SavedSearchTable {
  tenant_id: string;
  id: string;
  owner_id: string;
  created: string;
  /** 0 or 1. */
  shared: number;
  /** JSON object: the other members. */
  details: string;
  /** Without case, for lists. */
  owner_folded: string | null;
}

export interface ScheduledSearchTable {
  tenant_id: string;
  id: string;
  owner_id: string;
  saved_search_id: string;
  created: string;
  /** Epoch milliseconds of the next run; null: none. */
  next_due: number | null;
  /** JSON object: the other members. */
  details: string;
  /** Without case, for lists. */
  owner_folded: string | null;
  saved_search_folded: string | null;
}

export interface SearchRunTable {
  tenant_id: string;
  id: string;
  saved_search_id: string;
  /** Order of creation within the tenant. */
  number: number;
  /** Epoch milliseconds from which a process may take it; null: it has ended. */
  open_at: number | null;
  /** JSON object: the other members. */
  details: string;
}

/** The CSV of runs, in parts. */
export interface SearchRunPartTable {
  tenant_id: string;
  run_id: string;
  attempt: number;
  type: string;
  part: number;
  /** Compressed with gzip. */
  bytes: Uint8Array;
}

export interface SearchDeliveryTable {
  tenant_id: string;
  id: string;
  run_id: string;
  saved_search_id: string;
  created: string;
  /** Epoch milliseconds from which a process may try it; null: it has ended. */
  open_at: number | null;
  /** JSON object: the other members. */
  details: string;
}

export interface DashboardTable {
  tenant_id: string;
  id: string;
  owner_id: string;
  /** 0 or 1. */
  shared: number;
  created: string;
  name: string;
  modified: string;
  tile_count: number;
  /** JSON array; the last column, so that a list need not read it. */
  tiles: string;
}

/** A part of a tenant that credentials are restricted to. */
export interface ViewTable {
  tenant_id: string;
  /** Its name. */
  id: string;
  created: string;
  modified: string;
  /** JSON object: the other members. */
  details: string;
}

/** The migrations that have run; only migrate.ts reads and writes it. */
export interface SchemaMigrationTable {
  name: string;
}

export interface Schema {
  schema_migration: SchemaMigrationTable;
  tenant: TenantTable;
  auth_user: AuthUserTable;
  capability_holder: CapabilityHolderTable;
  custom_capability: CustomCapabilityTable;
  credential: CredentialTable;
  refresh_token: RefreshTokenTable;
  revoked_token: RevokedTokenTable;
  absent_user: AbsentUserTable;
  signing_key: SigningKeyTable;
  document: DocumentTable;
  document_count: DocumentCountTable;
  dynamic_field: DynamicFieldTable;
  dynamic_field_version: DynamicFieldVersionTable;
  sequence_counter: SequenceCounterTable;
  store_writer: StoreWriterTable;
  audit_event: AuditEventTable;
  audit_head: AuditHeadTable;
  audit_export: AuditExportTable;
  purge_state: PurgeStateTable;
  event_purge: EventPurgeTable;
  mirror: MirrorTable;
  mirror_part: MirrorPartTable;
  mirror_item: MirrorItemTable;
  profile_type: ProfileTypeTable;
  ne_attribute: AttributeTable;
  ne_attribute_option: AttributeOptionTable;
  profile_user: ProfileUserTable;
  profile_role: ProfileRoleTable;
  user_role: UserRoleTable;
  role_profile: RoleProfileTable;
  user_profile: UserProfileTable;
  user_manager: UserManagerTable;
  risk_level: RiskLevelTable;
  risk_score: RiskScoreTable;
  profile: ProfileTable;
  profile_value: ProfileValueTable;
  advanced_search: AdvancedSearchTable;
  job: JobTable;
  saved_search: SavedSearchTable;
  scheduled_search: ScheduledSearchTable;
  search_run: SearchRunTable;
  search_run_part: SearchRunPartTable;
  search_delivery: SearchDeliveryTable;
  dashboard: DashboardTable;
  document_view: ViewTable;
}
