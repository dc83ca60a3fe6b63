// The filters of profiles (contract/profiles.md section 3.2): members of the record, and attributes
// of the tenant by their uid. Filters on attributes are conditions of a search, as rules are; an
// index finds what they match.

import type { FilterValue, PageRequest } from '../../ports/collection.ts';
import type { ProfileFilters } from '../../ports/profile-records.ts';
import type { Condition, RecordFilters, ValueTest } from '../../ports/profile-search.ts';
import type { Attribute, ReferableKind } from '../../ports/resources.ts';
import type { Records } from '../../ports/store.ts';
import { parameterRefused } from '../resources/faults.ts';
import { DATE_FORMAT_DEFAULT, dayOf } from '../values/date-format.ts';
import { foldText } from '../values/fold-text.ts';
import { statusOf } from '../values/profile-draft.ts';
import { valueClassOf } from '../values/value-class.ts';
import { NEVER } from './resolved-rule.ts';
import { type RuleSubjects, ruleSubjects } from './rule-subjects.ts';

/** Most attributes that one request filters by, as many as a search may have rules. */
const ATTRIBUTES_MAX = 100;

/** The parameters of a request that lists profiles. */
export interface ProfileFilterRequest extends PageRequest {
  /** Parameters that are no member of profiles, and may be attributes of the tenant. */
  readonly others: ReadonlyMap<string, string>;
}

/** The filters on members of the record. */
export async function recordFilters(
  records: Records,
  tenantId: string,
  filters: PageRequest['filters'],
): Promise<RecordFilters> {
  const { uid, name, nameContains: part, status, idProofingStatus } = filters;
  const idOf = async (to: ReferableKind, key: FilterValue | undefined) =>
    key === undefined
      ? undefined
      : ((await records.resourceId(tenantId, to, String(key))) ?? String(key));
  const id = await idOf('profile', filters['id']);
  const profileTypeId = await idOf('profileType', filters['profileTypeId']);
  return {
    ...(id === undefined ? {} : { id }),
    ...(uid === undefined ? {} : { uid: String(uid) }),
    ...(name === undefined ? {} : { name: foldText(String(name)) }),
    ...(part === undefined ? {} : { nameContains: foldText(String(part)) }),
    ...(profileTypeId === undefined ? {} : { profileTypeId }),
    ...(status === undefined ? {} : { status: statusOf(status) ?? '' }),
    ...(idProofingStatus === undefined ? {} : { idProofingStatus: String(idProofingStatus) }),
    ...spanOf(filters['createdAt'], 'createdFrom', 'createdBefore'),
    ...spanOf(filters['updatedAt'], 'updatedFrom', 'updatedBefore'),
  };
}

/** A filter by time as two conditions of the store. */
function spanOf<F extends keyof ProfileFilters, B extends keyof ProfileFilters>(
  span: FilterValue | undefined,
  from: F,
  before: B,
): Partial<Record<F | B, string>> {
  if (typeof span !== 'object') return {};
  return { [from]: span.from, [before]: span.before } as Record<F | B, string>;
}

/** Filters on attributes. */
export interface AttributeFilters {
  readonly conditions: readonly Condition[];
  /** The uids of these attributes. */
  readonly uids: readonly string[];
  /** Parameters that are no attribute of the tenant. */
  readonly unknown: readonly string[];
}

/**
 * The filters on attributes; an empty value is none.
 * @param sent values by the uid of an attribute
 * @throws ServiceError `request_invalid` for a value that cannot be one of the attribute, and too
 * many attributes
 */
export async function attributeFilters(
  records: Records,
  tenantId: string,
  sent: ReadonlyMap<string, string>,
): Promise<AttributeFilters> {
  if (sent.size === 0) return { conditions: [], uids: [], unknown: [] };
  const attributes = await records.attributesBy(tenantId, 'uid', [...sent.keys()]);
  const byUid = new Map(attributes.map((attribute) => [attribute.uid, attribute]));
  const unknown = [...sent.keys()].filter((name) => !byUid.has(name));
  const uids = [...byUid.keys()].filter((uid) => sent.get(uid) !== '');
  if (uids.length > ATTRIBUTES_MAX) {
    throw parameterRefused(
      `a list has at most ${ATTRIBUTES_MAX} filters on attributes, and here are ${uids.length}`,
    );
  }
  const subjects = ruleSubjects(records, tenantId);
  const conditions: Condition[] = [];
  for (const uid of uids) {
    const attribute = byUid.get(uid);
    if (attribute === undefined) continue;
    conditions.push(await conditionOf(attribute, (sent.get(uid) ?? '').trim(), subjects));
  }
  return { conditions, uids, unknown };
}

/** One item of the attribute has the value. */
async function conditionOf(
  attribute: Attribute,
  value: string,
  subjects: RuleSubjects,
): Promise<Condition> {
  const { id: attributeId, uid, dateFormat } = attribute;
  const type = valueClassOf(attribute);
  switch (type) {
    case 'text':
      return valueCondition(attributeId, { kind: 'equals', text: foldText(value) });
    case 'date': {
      const format = dateFormat ?? DATE_FORMAT_DEFAULT;
      const day = dayOf(value, format) ?? dayOf(value, 'yyyy-mm-dd');
      if (day === null) throw parameterRefused(`${uid} must be a date in the form ${format}`);
      return valueCondition(attributeId, { kind: 'day', span: { min: day, max: day } });
    }
    case 'option':
    case 'profile':
    case 'user': {
      const id = await (type === 'option'
        ? subjects.optionId(attributeId, value)
        : subjects.idOf(type, value));
      return id === null ? NEVER : valueCondition(attributeId, { kind: 'refersTo', id });
    }
    case 'attachment':
      throw parameterRefused(`${uid} cannot be a filter, as attachments are not stored`);
  }
}

function valueCondition(attributeId: string, test: ValueTest): Condition {
  return { kind: 'value', attributeId, test, negated: false };
}

/** The conditions that these filters are, for a search. */
export function conditionsOfFilters({
  profileTypeId,
  status,
  ...filters
}: RecordFilters): readonly Condition[] {
  return [
    ...(profileTypeId === undefined
      ? []
      : [{ kind: 'profileType', id: profileTypeId, negated: false } as const]),
    ...(status === undefined ? [] : [{ kind: 'status', statuses: [status] } as const]),
    ...(Object.keys(filters).length === 0 ? [] : [{ kind: 'record', filters } as const]),
  ];
}
