// Stores a record of profile management as another service shows it, with its keys and times, in
// the caller's transaction: for mirrors, which are no callers of the API and have no audit events of
// single records.
// Invariant: a record that changes nothing writes nothing.

import type { Attribute, ProfileType, ResourceKind, ResourceTypes } from '../../ports/resources.ts';
import type { PutOutcome, WritableRecords } from '../../ports/store.ts';
import type { Draft } from './descriptor.ts';
import { descriptors } from './descriptors.ts';
import { type FieldErrors, isFaultless, sentenceOf } from './faults.ts';
import { membersOf } from './members-of.ts';
import { readRecord } from './record-reader.ts';
import { wireName } from './wire-names.ts';

/** A record by wire names. */
export type ShownRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** The key of a kind's collection, such as `profile_types`. */
export function collectionOf(kind: ResourceKind): string {
  return descriptors[kind].collection.key;
}

/**
 * Adds or updates a record.
 * @param now ISO 8601 with milliseconds, for records that show no times
 * @returns a sentence if it cannot be stored
 */
export async function putShownRecord<K extends ResourceKind>(
  records: WritableRecords,
  tenantId: string,
  kind: K,
  shown: ShownRecord,
  now: string,
): Promise<PutOutcome | { readonly refused: string }> {
  const descriptor = descriptors[kind];
  const before = (await records.resource(tenantId, kind, shown.id)) as Draft | null;
  const body = new Map(Object.entries(shown));
  if (kind === 'profileType') {
    const isHere = async (attribute: unknown) =>
      typeof attribute === 'string' &&
      (await records.resourceId(tenantId, 'attribute', attribute)) !== null;
    await addItems(body, before as unknown as ProfileType | null, isHere);
  }
  if (kind === 'attribute') addValidations(body, before as unknown as Attribute | null);
  const errors: FieldErrors = {};
  const id = shown.id;
  const draft = await readRecord(descriptor, { records, tenantId, now, errors, id, before, body });
  // The API never shows the profile of a user.
  if (kind === 'user') delete errors['profile_id'];
  if (!isFaultless(errors)) return { refused: sentenceOf(errors) };
  for (const [member, rule] of Object.entries(descriptor.fields)) {
    if (rule.write === 'never' && rule.type !== 'own')
      draft[member] = body.get(wireName(member)) ?? null;
  }
  for (const member of ['createdAt', 'updatedAt']) {
    const time = timeIn(body.get(wireName(member)));
    if (time !== null) draft[member] = time;
  }
  const record = draft as unknown as ResourceTypes[K];
  if (before === null) {
    await records.addResource(tenantId, kind, record);
    return 'created';
  }
  if (JSON.stringify(before) === JSON.stringify(draft)) return 'unchanged';
  await records.updateResource(tenantId, kind, record);
  return 'updated';
}

/**
 * Deletes a record.
 * @returns whether it existed, or a sentence if it cannot be deleted
 */
export async function deleteShownRecord(
  records: WritableRecords,
  tenantId: string,
  kind: ResourceKind,
  id: string,
  now: string,
): Promise<boolean | { readonly refused: string }> {
  const record = await records.resource(tenantId, kind, id);
  if (record === null) return false;
  const errors: FieldErrors = {};
  await descriptors[kind].beforeDelete?.(record, { records, tenantId, now, errors });
  if (!isFaultless(errors)) return { refused: sentenceOf(errors) };
  return records.deleteResource(tenantId, kind, id);
}

/**
 * Items are shown under one name and written under another; those no longer shown are deleted. Types
 * and attributes refer to each other: items whose attribute is not here yet come when the type is
 * stored again.
 */
async function addItems(
  body: Map<string, unknown>,
  before: ProfileType | null,
  isHere: (attribute: unknown) => Promise<boolean>,
): Promise<void> {
  const lists = {
    profile_type_dup_attributes: before?.profileTypeDupAttributes,
    profile_type_namings: before?.profileTypeNamings,
  };
  for (const [name, stored = []] of Object.entries(lists)) {
    const shown = body.get(name);
    if (!Array.isArray(shown)) continue;
    const items: unknown[] = [];
    for (const item of shown) {
      const { ne_attribute_id, order } = item ?? {};
      // What is no object is refused with the record.
      if (membersOf(item) === null) items.push(item);
      else if (await isHere(ne_attribute_id)) items.push({ ne_attribute_id, order });
    }
    const attributes = new Set(shown.map((item) => item?.ne_attribute_id));
    const gone = stored
      .filter(({ neAttributeId }) => !attributes.has(neAttributeId))
      .map(({ id }) => ({ id, _destroy: true }));
    body.set(`${name}_attributes`, [...items, ...gone]);
  }
}

/** As the items of a profile type. */
function addValidations(body: Map<string, unknown>, before: Attribute | null): void {
  const shown = body.get('validations');
  if (!Array.isArray(shown)) return;
  const methods = new Set(shown.map((item) => item?.validation_method));
  const gone = (before?.validations ?? [])
    .filter(({ validationMethod }) => !methods.has(validationMethod))
    .map(({ validationMethod }) => ({ validation_method: validationMethod, _destroy: true }));
  body.set('validations_attributes', [...shown, ...gone]);
}

function timeIn(value: unknown): string | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
