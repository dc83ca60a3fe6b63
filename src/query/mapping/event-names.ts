// The names of the events that this service records: one row for each act. An act of the vendor's
// reference of audit events has its `action` and `type`; any other act has ours. `technicalName` is
// always object, operation and status.
// Invariant: no name of ours is one of the vendor's for something else (test/docs/event-names.test.ts).

/** What the event of an act has whatever it acted on. */
export interface EventName {
  /** Kind of the object acted on, e.g. `API_CLIENT`. */
  readonly object: string;
  /** E.g. `CREATE`. */
  readonly operation: string;
  readonly action: string;
  /** Group of events, e.g. `AUTH`. */
  readonly type: string;
}

/** The members that name an event. */
export type NameMember = 'action' | 'technicalName';

/** A name that events have only if an earlier version recorded them. */
export interface FormerName {
  readonly member: NameMember;
  readonly former: string;
  /** Of the same acts since; several where one name has become many. */
  readonly names: readonly string[];
  /**
   * The former name, where the vendor's events have it for something else: a query for it then means
   * those, and matches under no other name.
   */
  readonly isVendors: boolean;
}

/** The acts of an object that is created, changed and deleted. */
type Changes<Object extends string> = {
  readonly [Act in `${Object}_${'CREATE' | 'MODIFY' | 'DELETE'}`]: EventName;
};

/** Our action where the vendor has none: `CREATE`, `API_KEY` → `CreateApiKey`. */
export function ownAction(operation: string, object: string): string {
  const words = `${operation}_${object}`.split('_');
  return words.map((word) => word.slice(0, 1) + word.slice(1).toLowerCase()).join('');
}

function act(
  object: string,
  operation: string,
  type: string,
  action = ownAction(operation, object),
): EventName {
  return { object, operation, action, type };
}

/** @param actions of the creation, the change and the deletion; ours when omitted */
function changes<Object extends string>(
  object: Object,
  type: string,
  [create, modify, remove]: readonly string[] = [],
): Changes<Object> {
  return {
    [`${object}_CREATE`]: act(object, 'CREATE', type, create),
    [`${object}_MODIFY`]: act(object, 'MODIFY', type, modify),
    [`${object}_DELETE`]: act(object, 'DELETE', type, remove),
  } as Changes<Object>;
}

/** The vendor's actions of changes in the past tense. */
function pastOf(object: string): readonly string[] {
  return ['CREATED', 'UPDATED', 'DELETED'].map((verb) => `${object}_${verb}`);
}

/** The row of an object that ends by itself. */
function expiry(object: string): EventName {
  return act(object, 'EXPIRE', 'AUTH', `${object}_EXPIRED`);
}

/** The rows of changes for the vendor's names that are object, operation and status. */
function vendorChanges<Object extends string>(
  own: Object,
  object: string,
  type: string,
): Changes<Object> {
  const row = (operation: string) => act(object, operation, type, `${object}_${operation}_PASSED`);
  return {
    [`${own}_CREATE`]: row('CREATE'),
    [`${own}_MODIFY`]: row('UPDATE'),
    [`${own}_DELETE`]: row('DELETE'),
  } as Changes<Object>;
}

/**
 * Titles of the records of profile management, and the objects of their acts. Users and roles have
 * a prefix: the vendor's events call people USER, and governed roles ROLE.
 */
export const PROFILE_OBJECTS = {
  Profile: 'PROFILE',
  'Profile Type': 'PROFILE_TYPE',
  'Ne Attribute': 'NE_ATTRIBUTE',
  'Ne Attribute Option': 'NE_ATTRIBUTE_OPTION',
  User: 'NE_USER',
  Role: 'NE_ROLE',
  'User Role': 'USER_ROLE',
  'User Manager': 'USER_MANAGER',
  'User Profile': 'USER_PROFILE',
  'Role Profile': 'ROLE_PROFILE',
  'Risk Level': 'RISK_LEVEL',
  'Risk Score': 'RISK_SCORE',
  'Advanced Search': 'ADVANCED_SEARCH',
} as const;

export type ProfileTitle = keyof typeof PROFILE_OBJECTS;

type ProfileObject = (typeof PROFILE_OBJECTS)[ProfileTitle];

const PROFILE_ACTS = Object.assign(
  {},
  ...Object.values(PROFILE_OBJECTS).map((object) => changes(object, 'PROFILE_MANAGEMENT')),
) as Changes<ProfileObject>;

/** A level that the vendor's events name, and its name in them. */
const LEVEL_NAMES = {
  ORG_ADMIN: 'ADMIN',
  CERT_ADMIN: 'CERT_ADMIN',
  HELPDESK: 'HELPDESK',
  REPORT_ADMIN: 'REPORT_ADMIN',
  ROLE_ADMIN: 'ROLE_ADMIN',
  SOURCE_ADMIN: 'SOURCE_ADMIN',
} as const;

type NamedLevel = keyof typeof LEVEL_NAMES;
type LevelActs = { readonly [Act in `${NamedLevel}_${'GRANT' | 'REVOKE'}`]: EventName };

const LEVEL_ACTS = Object.fromEntries(
  Object.entries(LEVEL_NAMES).flatMap(([level, name]) =>
    ['GRANT', 'REVOKE'].map((operation) => [
      `${level}_${operation}`,
      act(`USER_ROLE_${name}`, operation, 'USER_MANAGEMENT', `USER_${name}_${operation}`),
    ]),
  ),
) as LevelActs;

/** Every act, by a name that only this code uses. */
export const EVENT_NAMES = {
  ...changes('PERSONAL_ACCESS_TOKEN', 'AUTH', pastOf('PERSONAL_ACCESS_TOKEN')),
  PERSONAL_ACCESS_TOKEN_EXPIRE: expiry('PERSONAL_ACCESS_TOKEN'),
  ...changes('API_CLIENT', 'AUTH', pastOf('API_CLIENT')),
  // Token requests.
  USE_TOKEN: act('AUTHENTICATION', 'REQUEST', 'AUTH', 'PERSONAL_ACCESS_TOKEN_USED'),
  REFUSE_TOKEN: act('AUTHENTICATION', 'REQUEST', 'AUTH', 'PERSONAL_ACCESS_TOKEN_USE_FAILED'),
  USE_CLIENT: act('AUTHENTICATION', 'REQUEST', 'AUTH', 'CLIENT_TOKEN_ISSUE'),
  REFUSE_CLIENT: act('AUTHENTICATION', 'REQUEST', 'AUTH', 'RequestToken'),
  ACCESS_TOKEN_REVOKE: act('ACCESS_TOKEN', 'REVOKE', 'AUTH'),
  REFRESH_TOKEN_REVOKE: act('REFRESH_TOKEN', 'REVOKE', 'AUTH'),
  API_KEY_CREATE: act('API_KEY', 'CREATE', 'AUTH', 'Provision'),
  API_KEY_DELETE: act('API_KEY', 'DELETE', 'AUTH', 'Provision'),
  SIGNING_KEY_CREATE: act('SIGNING_KEY', 'CREATE', 'AUTH', 'CreateKeys'),
  SIGNING_KEY_ROTATE: act('SIGNING_KEY', 'ROTATE', 'AUTH', 'RotateKeys'),
  SECRETS_KEY_ROTATE: act('SECRETS_KEY', 'ROTATE', 'AUTH', 'ResealKeys'),
  // Auth users: a change of levels has one event, and one more for each level that the vendor names.
  AUTH_USER_PATCH: act('AUTH_USER', 'MODIFY', 'USER_MANAGEMENT', 'CAPABILITY_UPDATE_EVENT'),
  ...LEVEL_ACTS,
  AUTH_USER_PROVISION: act('AUTH_USER', 'CREATE', 'SYSTEM_CONFIG', 'Provision'),
  AUTH_USER_IMPORT_NEW: act('AUTH_USER', 'CREATE', 'USER_MANAGEMENT', 'ImportAuthUsers'),
  AUTH_USER_IMPORT_CHANGED: act('AUTH_USER', 'MODIFY', 'USER_MANAGEMENT', 'ImportAuthUsers'),
  AUTH_USER_RESTRICT: act('AUTH_USER', 'MODIFY', 'USER_MANAGEMENT', 'RestrictAuthUser'),
  AUTH_USER_ENABLE: act('AUTH_USER', 'ENABLE', 'USER_MANAGEMENT'),
  AUTH_USER_DISABLE: act('AUTH_USER', 'DISABLE', 'USER_MANAGEMENT'),
  AUTH_USER_SIGN_OUT: act('AUTH_USER', 'SIGN_OUT', 'USER_MANAGEMENT'),
  AUTH_USER_DELETE: act('AUTH_USER', 'DELETE', 'USER_MANAGEMENT', 'USER_DELETE'),
  // Saved searches, their schedules and runs, dashboards, views.
  ...vendorChanges('SAVED_SEARCH', 'SAVED_SEARCH', 'SYSTEM_CONFIG'),
  ...vendorChanges('SCHEDULED_SEARCH', 'SUBSCRIPTION', 'SYSTEM_CONFIG'),
  SAVED_SEARCH_EXECUTE: act('SAVED_SEARCH', 'EXECUTE', 'SYSTEM_CONFIG'),
  SAVED_SEARCH_COMPLETE: act('SAVED_SEARCH', 'COMPLETE', 'SYSTEM_CONFIG', 'SavedSearchComplete'),
  ...changes('DASHBOARD', 'SYSTEM_CONFIG'),
  ...changes('VIEW', 'SYSTEM_CONFIG'),
  FIELD_MODIFY: act('FIELD', 'MODIFY', 'SYSTEM_CONFIG'),
  // Documents, imports, the store.
  DOCUMENT_DELETE: act('DOCUMENT', 'DELETE', 'SYSTEM_CONFIG'),
  DOCUMENT_IMPORT: act('DOCUMENT', 'IMPORT', 'SYSTEM_CONFIG', 'ImportDocuments'),
  AUTH_USER_IMPORT: act('AUTH_USER', 'IMPORT', 'SYSTEM_CONFIG', 'ImportAuthUsers'),
  PROFILE_IMPORT: act('PROFILE', 'IMPORT', 'SYSTEM_CONFIG', 'ImportProfiles'),
  MIRROR_IMPORT: act('MIRROR', 'IMPORT', 'SYSTEM_CONFIG', 'MirrorTenant'),
  TENANT_CREATE: act('TENANT', 'CREATE', 'SYSTEM_CONFIG', 'Provision'),
  AUDIT_TRAIL_CHAIN: act('AUDIT_TRAIL', 'CHAIN', 'SYSTEM_CONFIG', 'ChainAuditTrail'),
  STORE_REPAIR: act('STORE', 'REPAIR', 'SYSTEM_CONFIG'),
  STORE_RESTORE: act('STORE', 'RESTORE', 'SYSTEM_CONFIG'),
  ...PROFILE_ACTS,
} as const;

/** The name of an act in `EVENT_NAMES`. */
export type Act = keyof typeof EVENT_NAMES;

/** The objects that users own and change. */
export type ChangedObject = 'SAVED_SEARCH' | 'SCHEDULED_SEARCH' | 'DASHBOARD';

/**
 * The acts of granting and revoking levels, for those that the vendor's events name.
 * @param before the levels before, @param after and after the change
 */
export function levelActs(
  before: readonly string[],
  after: readonly string[],
): readonly { readonly act: Act; readonly level: string }[] {
  const named = (levels: readonly string[]) => levels.filter(isNamed);
  const [had, has] = [named(before), named(after)];
  return [
    ...has.filter((level) => !had.includes(level)).map((level) => rowOf(level, 'GRANT')),
    ...had.filter((level) => !has.includes(level)).map((level) => rowOf(level, 'REVOKE')),
  ];
}

function isNamed(level: string): level is NamedLevel {
  return Object.hasOwn(LEVEL_NAMES, level);
}

function rowOf(level: NamedLevel, operation: 'GRANT' | 'REVOKE') {
  return { level, act: `${level}_${operation}` as const };
}
