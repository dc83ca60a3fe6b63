// What an anonymised export keeps, by field. Only what is listed here stays: every other text and
// number is replaced, also one that no mapping names.
// Invariant: a listed field has words of the service or names of attributes, never of people.
import { byIndex, staticMapping } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';

/** `keep`: stays. `text`: replaced by other words. `date`: shifted. `value`: replaced. */
export type FieldKind = 'keep' | 'text' | 'date' | 'value';

/** Fields of text with words of the service: types, states, operations, names of attributes. */
const KEPT: Readonly<Record<IndexName, string>> = {
  accessprofiles: 'owner.type entitlements.attribute entitlements.schema apps.owner.type',
  accountactivities: `action stage status requester.type recipient.type
    approvals.result approvals.owner.type approvals.attributeRequest.name approvals.attributeRequest.op approvals.source.type
    originalRequests.op originalRequests.result.status originalRequests.attributeRequests.name
    originalRequests.attributeRequests.op originalRequests.source.type
    expansionItems.cause expansionItems.state expansionItems.attributeRequest.name
    expansionItems.attributeRequest.op expansionItems.source.type
    accountRequests.op accountRequests.provisioningTarget.type accountRequests.source.type
    accountRequests.attributeRequests.name accountRequests.attributeRequests.op accountRequests.result.status`,
  entitlements: `attribute schema sourceSchemaObjectType truncatedAttributes source.type permissions.rights`,
  events: `name action type status operation technicalName objects stack
    attributes.attributeName attributes.operation`,
  identities: `status processingState processingDetails.stage
    attributes.cloudLifecycleState attributes.cloudStatus attributes.identityState
    accounts.source.type access.type access.attribute access.schema`,
  roles: `owner.type entitlements.attribute entitlements.schema entitlements.sourceSchemaObjectType
    dimensionSchemaAttributes.name dimensions.entitlements.attribute dimensions.entitlements.schema
    dimensions.entitlements.sourceSchemaObjectType`,
};

/** Fields whose texts are sentences that people wrote. */
const TEXTS: Readonly<Record<IndexName, string>> = {
  accessprofiles: 'description entitlements.description apps.description',
  accountactivities: 'errors warnings approvals.comments.comment accountRequests.result.errors',
  entitlements: 'description',
  events: 'attributes.error',
  identities: 'processingDetails.stackTrace processingDetails.message access.description',
  roles:
    'description entitlements.description dimensions.description dimensions.entitlements.description',
};

/** Values that the service itself puts in the place of a name. */
const SERVICE_NAMES: ReadonlySet<string> = new Set(['System', 'IdentityNow']);

/** True for a value that stays in any field. */
export function isServiceName(value: string): boolean {
  return SERVICE_NAMES.has(value);
}

const KINDS = byIndex(kindsOf);

function kindsOf(index: IndexName): ReadonlyMap<string, FieldKind> {
  const kinds = new Map<string, FieldKind>();
  for (const { path, type } of staticMapping(index, { name: '', pod: '' }).fields.values()) {
    // Integers of the mapping are counts.
    if (type === 'long' || type === 'boolean') kinds.set(path, 'keep');
    if (type === 'date') kinds.set(path, 'date');
  }
  for (const path of TEXTS[index].split(/\s+/)) kinds.set(path, 'text');
  for (const path of KEPT[index].split(/\s+/)) kinds.set(path, 'keep');
  return kinds;
}

/** The kind of a field of a document; `value` unless it is listed. */
export function fieldKind(index: IndexName, path: string): FieldKind {
  return KINDS[index].get(path) ?? 'value';
}

/** The kinds of listed fields of an index. */
export function listedFields(index: IndexName): ReadonlyMap<string, FieldKind> {
  return KINDS[index];
}

/** The members of an auth user that stay, and those with dates. */
export const AUTH_USER_KINDS: ReadonlyMap<string, FieldKind> = new Map([
  ['capabilities', 'keep'],
  ['lastPasswordChangeDate', 'date'],
  ['lastUnlockTimestamp', 'date'],
  ['lastLoginTimestamp', 'date'],
  ['currentLoginTimestamp', 'date'],
]);

/** The members of records of profile management, by the name that wraps the record. */
const RECORDS: Readonly<Record<string, string>> = {
  profile: 'status id_proofing_status',
  profile_type: 'uid name category profile_type_namings_attributes.order',
  ne_attribute: `uid label date_format selectable_status risk_type risk_score_setting data_type type
    validations_attributes.validation_method validations_attributes.value`,
  ne_attribute_option: '',
  user: 'type status preferred_language locale',
  role: 'type',
  user_role: '',
  role_profile: '',
  user_profile: 'relationship_type',
  user_manager: '',
  risk_level: 'order points',
  risk_score: 'object_type overall_score impact_score probability_score',
};
const RECORD_DATES = 'created_at updated_at archived_on last_login cookies_accepted_at'.split(' ');
const RECORD_TEXTS = 'description tool_tip'.split(' ');

/** The kind of a member of a record. */
export function recordFieldKind(record: string, path: string): FieldKind {
  if (RECORD_DATES.includes(path)) return 'date';
  if (RECORD_TEXTS.includes(path)) return 'text';
  return RECORDS[record]?.split(/\s+/).includes(path) === true ? 'keep' : 'value';
}
