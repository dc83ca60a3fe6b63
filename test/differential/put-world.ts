// Writes a plain world of profiles to a tenant of a store, through the port.

import type { Attribute, DataType, DateFormat } from '../../src/service/ports/resources.ts';
import { ATTRIBUTE_CLASSES } from '../../src/service/ports/resources.ts';
import type { Store, WritableRecords } from '../../src/service/ports/store.ts';
import { dayOf } from '../../src/service/profiles/values/date-format.ts';
import type { PlainAttribute, PlainProfile, PlainWorld } from './plain-world.ts';

const AT = '2026-01-01T00:00:00.000Z';
const TIMES = { createdAt: AT, updatedAt: AT };

/** Creates all records of the world in a tenant. */
export async function putWorld(store: Store, tenantId: string, world: PlainWorld): Promise<void> {
  await store.write(async (records) => {
    await putNamed(records, tenantId, world);
    await records.addProfiles(tenantId, world.profiles.map(profileOf));
    const values = world.profiles.flatMap(({ id, values }) =>
      Object.entries(values).map(([attributeId, items]) => {
        const attribute = world.attributes.find((one) => one.id === attributeId)!;
        return { profileId: id, attributeId, items: items.map((item) => itemOf(attribute, item)) };
      }),
    );
    await records.addValues(tenantId, values);
  });
}

async function putNamed(records: WritableRecords, tenantId: string, world: PlainWorld) {
  for (const one of world.attributes) {
    await records.addResource(tenantId, 'attribute', attributeOf(one));
  }
  for (const { attributeId, label, ...keys } of world.options) {
    await records.addResource(tenantId, 'option', {
      ...{ ...keys, ...TIMES, neAttributeId: attributeId, option: label },
    });
  }
  for (const keys of world.types) {
    await records.addResource(tenantId, 'profileType', {
      ...{ ...keys, ...TIMES, name: keys.uid, category: null, bypassDupProtection: false },
      ...{ archived: false, permittedRoleIds: [], iscSynced: false },
      ...{ profileTypeDupAttributes: [], profileTypeNamings: [] },
    });
  }
  for (const keys of world.users) {
    await records.addResource(tenantId, 'user', {
      ...{ ...keys, ...TIMES, name: keys.uid, email: `${keys.uid}@acme.test`, login: keys.uid },
      ...{ type: 'NeprofileUser', title: null, status: 'Active', lastLogin: null, locale: null },
      ...{ cookiesAcceptedAt: null, preferredLanguage: null, groupStrings: null },
      ...{ sailpointIdentityId: null, profileId: null },
    });
  }
  for (const { order, ...keys } of world.levels) {
    const level = { ...keys, uid: keys.id, ...TIMES, label: keys.id, order, points: null };
    await records.addResource(tenantId, 'riskLevel', level);
  }
  for (const { id, riskLevelId } of world.profiles) {
    // A score of another object with the same id, which must be ignored.
    const other = world.levels[0]?.id ?? null;
    for (const [objectType, level] of [
      ['Profile', riskLevelId],
      ['WorkflowSession', other],
    ] as const) {
      if (level === null) continue;
      const key = `${objectType}-${id}`;
      await records.addResource(tenantId, 'riskScore', {
        ...{ id: key, uid: key, ...TIMES, objectId: id, objectType, overallScore: 1 },
        ...{ overallRiskLevelId: level, impactScore: null, impactRiskLevelId: null },
        ...{ probabilityScore: null, probabilityRiskLevelId: null },
      });
    }
  }
}

function attributeOf({ id, uid, type, dateFormat }: PlainAttribute): Attribute {
  const [dataType] = Object.entries(ATTRIBUTE_CLASSES).find(([, name]) => name === type)!;
  return {
    ...{ id, uid, ...TIMES, label: uid, description: null, toolTip: null, crypt: false },
    ...{ archived: false, archivedOn: null, dateFormat: dateFormat as DateFormat | null },
    ...{ selectableStatus: null, riskType: 'none', riskScoreSetting: 'standard' },
    ...{ ownershipDriven: false, allowMultipleSelections: true, filteredByNeAttribute: false },
    ...{ filteringNeAttributeId: null, neAttributeFilterId: null, profileTypeId: null },
    ...{ reverseAssociationAttribute: null, legacyId: null, validations: [] },
    ...{ dataType: dataType as DataType, type: ATTRIBUTE_CLASSES[dataType as DataType] },
  };
}

function profileOf(profile: PlainProfile) {
  return {
    ...{ id: profile.id, uid: profile.uid, name: profile.name, status: profile.status },
    ...{ profileTypeId: profile.profile_type_id, idProofingStatus: null },
    ...{ archived: profile.archived },
    ...{ createdAt: profile.created_at, updatedAt: profile.updated_at },
  };
}

function itemOf({ type }: PlainAttribute, item: string) {
  if (/^Text/.test(type)) return { value: item, day: null, refId: null };
  if (type === 'DateAttribute') return { value: item, day: dayOf(item, 'yyyy-mm-dd'), refId: null };
  return { value: null, day: null, refId: item };
}
