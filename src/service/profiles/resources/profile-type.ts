// Profile types: kinds of profiles, with the attributes that identify duplicates and those that
// make up the name.
import { randomUUID } from 'node:crypto';
import { newId } from '../../../auth/secrets.ts';
import { LIMIT_MAX } from '../../ports/collection.ts';
import { CATEGORIES, type DupAttribute, type Naming } from '../../ports/resources.ts';
import type { Descriptor, Draft, FieldRule, Writing } from './descriptor.ts';
import { addError } from './faults.ts';
import { filtersOf } from './field-filters.ts';
import { writeNested } from './nested-records.ts';

const FIELDS: Readonly<Record<string, FieldRule>> = {
  name: { type: 'text', required: true, lengthMax: 255 },
  category: { type: 'word', words: CATEGORIES },
  bypassDupProtection: { type: 'flag' },
  archived: { type: 'flag' },
  permittedRoleIds: { type: 'references', to: 'role' },
  iscSynced: { type: 'flag' },
  profileTypeDupAttributes: { type: 'own', byDefault: [] },
  profileTypeNamings: { type: 'own', byDefault: [] },
};

export const profileType: Descriptor = {
  kind: 'profileType',
  singular: 'profile_type',
  title: 'Profile Type',
  collection: {
    key: 'profile_types',
    limitMax: LIMIT_MAX,
    filters: filtersOf(FIELDS),
    orders: ['id', 'uid', 'name', 'category', 'createdAt', 'updatedAt'],
  },
  fields: FIELDS,
  async complete(draft, writing) {
    draft['profileTypeDupAttributes'] = await writeItems<DupAttribute>(
      'profile_type_dup_attributes_attributes',
      draft['profileTypeDupAttributes'] as readonly DupAttribute[],
      draft,
      writing,
      async (_body, item) => item,
    );
    const namings = await writeItems<Naming>(
      'profile_type_namings_attributes',
      draft['profileTypeNamings'] as readonly Naming[],
      draft,
      writing,
      async (body, item, before, place) => {
        const order = body.get('order') ?? before?.order ?? place;
        if (Number.isSafeInteger(order) && Number(order) >= 0)
          return { ...item, order: Number(order) };
        addError(
          writing.errors,
          'profile_type_namings_attributes',
          'order must be an integer from 0 on',
        );
        return null;
      },
    );
    draft['profileTypeNamings'] = [...namings].sort((a, b) => a.order - b.order);
  },
  async beforeDelete({ id }, { records, tenantId, errors }) {
    if ((await records.countProfilesOfType(tenantId, id)) > 0) {
      addError(errors, 'base', 'profiles of this type exist');
    }
  },
  nameOf: ({ name }) => String(name),
};

/** Items that each refer to an attribute, by id or uid; each attribute occurs once. */
function writeItems<R extends DupAttribute>(
  name: string,
  before: readonly R[],
  draft: Draft,
  { body, records, tenantId, errors }: Writing,
  finish: (
    body: ReadonlyMap<string, unknown>,
    item: DupAttribute,
    before: R | null,
    place: number,
  ) => Promise<DupAttribute | null>,
): Promise<readonly R[]> {
  let place = before.length;
  const attributeId = async (key: unknown) =>
    typeof key === 'string' ? records.resourceId(tenantId, 'attribute', key) : null;
  return writeNested<R>(
    body.get(name),
    {
      name,
      before,
      async find(part, items) {
        const key = part.get('id') ?? part.get('uid');
        if (key !== undefined) return items.find(({ id, uid }) => key === id || key === uid);
        const attribute = await attributeId(part.get('ne_attribute_id'));
        return items.find(({ neAttributeId }) => neAttributeId === attribute) ?? null;
      },
      async read(part, existing, items) {
        const neAttributeId = await attributeId(
          part.get('ne_attribute_id') ?? existing?.neAttributeId,
        );
        if (neAttributeId === null) {
          addError(errors, name, 'ne_attribute_id was not found');
          return null;
        }
        const moves = neAttributeId !== existing?.neAttributeId;
        if (moves && items.some((other) => other.neAttributeId === neAttributeId)) {
          addError(errors, name, 'ne_attribute_id has already been taken');
          return null;
        }
        const item = {
          id: existing?.id ?? randomUUID(),
          uid: existing?.uid ?? newId(),
          profileTypeId: draft.id,
          neAttributeId,
        };
        return (await finish(part, item, existing, place++)) as R | null;
      },
    },
    errors,
  );
}
