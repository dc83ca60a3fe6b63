// Tables of the records of profile management: a column has the wire's spelling of its member, text
// that is compared has a folded column too, and members without a column are one JSON object,
// `details`.
// Invariant: a record is read as it was written.

import type { Resource, ResourceKind, ResourceTypes } from '../../service/ports/resources.ts';
import { wireName } from '../../service/profiles/resources/wire-names.ts';
import { foldText } from '../../service/profiles/values/fold-text.ts';
import type { Schema } from '../sql/schema.ts';
import type { SqlValue } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

/** A table of records with the columns every record has. */
export type ResourceTableName = {
  [T in keyof Schema]: Schema[T] extends { uid: string; created_at: string } ? T : never;
}[keyof Schema];

export interface ResourceTable {
  readonly name: ResourceTableName;
  /** Members whose column holds the value unchanged. */
  readonly plain: readonly string[];
  /** As `plain`, with a folded column in addition. */
  readonly folded: readonly string[];
  /** Members with a column that may be missing. */
  readonly optional: readonly string[];
  /** Boolean members. */
  readonly flags: readonly string[];
  /** Whether other members are stored in `details`. */
  readonly hasDetails: boolean;
}

const BASE = ['id', 'uid', 'createdAt', 'updatedAt'];

function table(name: ResourceTableName, parts: Partial<Omit<ResourceTable, 'name'>>) {
  const { plain = [], folded = [], flags = [], optional = [], hasDetails = false } = parts;
  return { name, plain: [...BASE, ...plain], folded, flags, optional, hasDetails };
}

export const RESOURCE_TABLES: Readonly<Record<ResourceKind, ResourceTable>> = {
  profileType: table('profile_type', {
    ...{ plain: ['category'], folded: ['name'], flags: ['archived'], hasDetails: true },
    optional: ['category'],
  }),
  attribute: table('ne_attribute', {
    plain: [
      ...['dataType', 'type', 'profileTypeId', 'filteringNeAttributeId', 'neAttributeFilterId'],
    ],
    optional: ['profileTypeId', 'filteringNeAttributeId', 'neAttributeFilterId'],
    ...{ folded: ['label'], flags: ['archived'], hasDetails: true },
  }),
  option: table('ne_attribute_option', { plain: ['neAttributeId'], folded: ['option'] }),
  user: table('profile_user', {
    plain: ['type', 'status', 'lastLogin', 'sailpointIdentityId', 'profileId'],
    ...{ folded: ['name', 'email', 'login', 'title'], hasDetails: true },
    optional: ['lastLogin', 'sailpointIdentityId', 'profileId', 'title'],
  }),
  role: table('profile_role', {
    ...{ plain: ['type'], folded: ['name'], flags: ['archived'], hasDetails: true },
  }),
  userRole: table('user_role', { plain: ['userId', 'roleId'] }),
  roleProfile: table('role_profile', { plain: ['roleId', 'profileId'] }),
  userProfile: table('user_profile', {
    plain: ['userId', 'profileId', 'neAttributeId', 'relationshipType'],
    optional: ['neAttributeId'],
  }),
  userManager: table('user_manager', { plain: ['userId', 'managerId'] }),
  riskLevel: table('risk_level', {
    ...{ plain: ['order', 'points'], folded: ['label'], hasDetails: true },
    optional: ['points'],
  }),
  riskScore: table('risk_score', {
    plain: [
      ...['objectId', 'objectType', 'overallScore', 'overallRiskLevelId'],
      ...['impactRiskLevelId', 'probabilityRiskLevelId'],
    ],
    optional: [
      ...['overallScore', 'overallRiskLevelId', 'impactRiskLevelId', 'probabilityRiskLevelId'],
    ],
    hasDetails: true,
  }),
};

/** The column by which a member is compared and ordered. */
export interface ComparedColumn {
  readonly column: string;
  /** Whether it holds folded text. */
  readonly folds: boolean;
  /** Whether it may be null. */
  readonly optional: boolean;
  /** Whether rows are compared and ordered by its text with ASCII letters in lower case. */
  readonly lowered?: boolean;
  /** Whether it is no column but a member of the JSON in `details`. */
  readonly inDetails?: boolean;
}

/** The column by which a member is compared. */
export function comparedColumn(
  { plain, folded, flags, optional: optionals, hasDetails }: ResourceTable,
  member: string,
): ComparedColumn {
  const column = wireName(member);
  const optional = optionals.includes(member);
  if (folded.includes(member)) return { column: `${column}_folded`, folds: true, optional };
  if (plain.includes(member) || flags.includes(member)) return { column, folds: false, optional };
  if (hasDetails) return { column: member, folds: false, optional: true, inDetails: true };
  throw new Error(`no column holds ${member}`);
}

/** All columns except the tenant's. */
export function columnsOf({ plain, folded, flags, hasDetails }: ResourceTable): string[] {
  return [
    ...[...plain, ...flags].map(wireName),
    ...folded.flatMap((member) => [wireName(member), `${wireName(member)}_folded`]),
    ...(hasDetails ? ['details'] : []),
  ];
}

/** A record as a row. */
export function rowOf(spec: ResourceTable, record: Resource): Record<string, SqlValue> {
  const row: Record<string, SqlValue> = {};
  const details: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(record)) {
    const column = wireName(member);
    if (spec.flags.includes(member)) row[column] = Number(value);
    else if (spec.plain.includes(member)) row[column] = value;
    else if (spec.folded.includes(member)) {
      row[column] = value;
      row[`${column}_folded`] = typeof value === 'string' ? foldText(value) : null;
    } else details[member] = value;
  }
  if (spec.hasDetails) row['details'] = JSON.stringify(details);
  return row;
}

/** The record of a row. */
export function recordOf<K extends ResourceKind>(
  spec: ResourceTable,
  row: Readonly<Record<string, unknown>>,
): ResourceTypes[K] {
  const record: Record<string, unknown> = {};
  for (const member of [...spec.plain, ...spec.folded]) record[member] = row[wireName(member)];
  for (const member of spec.flags) record[member] = Boolean(row[wireName(member)]);
  if (spec.hasDetails) {
    const details = storedJson(String(row['details']), `record of ${spec.name}`, String(row['id']));
    Object.assign(record, details);
  }
  return record as unknown as ResourceTypes[K];
}
