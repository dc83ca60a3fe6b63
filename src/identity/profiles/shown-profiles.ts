// Profiles as callers read them: the record and the values of its attributes, each one text. What values point to is
// told by the name it has now.
// Invariant: a page costs as many queries as one record: its values, their attributes and, by kind, what they point to.
import { DATE_FORMAT_DEFAULT, dateText } from './date-format.ts';
import type { Profile, ProfileRecords, ProfileValue, Referent } from './profile-records.ts';
import type { Attribute } from './resources.ts';
import { type ValueClass, valueClassOf } from './value-class.ts';
import { wireName } from './wire-names.ts';

/** A profile by the names of the wire; the values by the uid of their attribute. */
export type ShownProfile = Readonly<Record<string, unknown>>;

/** Texts of values, by profile id and attribute uid. */
export type ShownValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** With attributes, and in the given order. */
export async function showProfiles(
  records: ProfileRecords,
  tenantId: string,
  profiles: readonly Profile[],
): Promise<readonly ShownProfile[]> {
  const ids = profiles.map(({ id }) => id);
  const values = await shownValues(records, tenantId, await records.valuesOf(tenantId, ids));
  return profiles.map((profile) => ({
    ...withoutAttributes(profile),
    attributes: Object.fromEntries(values.get(profile.id) ?? []),
  }));
}

/** The record alone. */
export function withoutAttributes(profile: Profile): ShownProfile {
  return Object.fromEntries(
    MEMBERS.map(([member, name]) => [name, profile[member as keyof Profile]]),
  );
}

const MEMBERS = (
  [
    ...['id', 'uid', 'name', 'profileTypeId', 'status', 'idProofingStatus', 'archived'],
    ...['createdAt', 'updatedAt'],
  ] as const
).map((member) => [member, wireName(member)] as const);

/** The texts of values; attributes in the order of their uid. */
export async function shownValues(
  records: ProfileRecords,
  tenantId: string,
  values: readonly ProfileValue[],
): Promise<ShownValues> {
  const ids = [...new Set(values.map(({ attributeId }) => attributeId))];
  const found = await records.attributesBy(tenantId, 'id', ids);
  const attributes = new Map(found.map((attribute) => [attribute.id, attribute]));
  const names = await namesOf(records, tenantId, values, attributes);
  const shown = new Map<string, Map<string, string>>();
  for (const { uid, profileId, text } of texts(values, attributes, names)) {
    const texts = shown.get(profileId) ?? new Map<string, string>();
    texts.set(uid, text);
    shown.set(profileId, texts);
  }
  return shown;
}

/** Texts that are not empty: what a value pointed to may be gone. */
function texts(
  values: readonly ProfileValue[],
  attributes: ReadonlyMap<string, Attribute>,
  names: ReadonlyMap<string, string>,
): { uid: string; profileId: string; text: string }[] {
  return values
    .flatMap(({ profileId, attributeId, items }) => {
      const attribute = attributes.get(attributeId);
      if (attribute === undefined) return [];
      const format = attribute.dateFormat ?? DATE_FORMAT_DEFAULT;
      const text = items
        .flatMap(({ value, day, refId }) => {
          if (refId !== null) return names.get(refId) ?? [];
          return day === null ? (value ?? []) : dateText(day, format);
        })
        .join(', ');
      return text === '' ? [] : [{ uid: attribute.uid, profileId, text }];
    })
    .sort((a, b) => (a.uid === b.uid ? 0 : a.uid < b.uid ? -1 : 1));
}

async function namesOf(
  records: ProfileRecords,
  tenantId: string,
  values: readonly ProfileValue[],
  attributes: ReadonlyMap<string, Attribute>,
): Promise<ReadonlyMap<string, string>> {
  const ids = { option: new Set<string>(), profile: new Set<string>(), user: new Set<string>() };
  for (const { attributeId, items } of values) {
    const attribute = attributes.get(attributeId);
    const kind: ValueClass = attribute === undefined ? 'text' : valueClassOf(attribute);
    if (kind !== 'option' && kind !== 'profile' && kind !== 'user') continue;
    for (const { refId } of items) if (refId !== null) ids[kind].add(refId);
  }
  const names = new Map<string, string>();
  for (const [referent, set] of Object.entries(ids)) {
    if (set.size === 0) continue;
    for (const { id, text } of await records.shownAs(tenantId, referent as Referent, [...set]))
      names.set(id, text);
  }
  return names;
}
