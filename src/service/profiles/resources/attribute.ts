// Attributes, and the options of those with a list to choose from. The class of an attribute cannot
// be changed, since the stored values of profiles depend on it.

import { LIMIT_MAX } from '../../ports/collection.ts';
import {
  ATTRIBUTE_CLASSES,
  DATE_FORMATS,
  type DataType,
  VALIDATION_METHODS,
  type Validation,
} from '../../ports/resources.ts';
import type { Descriptor, Draft, FieldRule, Writing } from './descriptor.ts';
import { addError } from './faults.ts';
import { filtersOf } from './field-filters.ts';
import { writeNested } from './nested-records.ts';

const DATA_TYPES = Object.keys(ATTRIBUTE_CLASSES) as DataType[];
const REFERENCE = { type: 'reference', to: 'attribute' } as const;

const ATTRIBUTE_FIELDS: Readonly<Record<string, FieldRule>> = {
  label: { type: 'text', required: true, lengthMax: 255 },
  description: { type: 'text' },
  toolTip: { type: 'text' },
  crypt: { type: 'flag' },
  archived: { type: 'flag' },
  archivedOn: { type: 'text', write: 'never' },
  dateFormat: { type: 'word', words: DATE_FORMATS },
  selectableStatus: { type: 'text', lengthMax: 255 },
  riskType: { type: 'text', byDefault: 'none', lengthMax: 255 },
  riskScoreSetting: { type: 'text', byDefault: 'standard', lengthMax: 255 },
  ownershipDriven: { type: 'flag' },
  allowMultipleSelections: { type: 'flag' },
  filteredByNeAttribute: { type: 'flag' },
  filteringNeAttributeId: REFERENCE,
  neAttributeFilterId: REFERENCE,
  // Always null: mirrored attributes are not supported.
  reverseAssociationAttribute: { type: 'own' },
  profileTypeId: { type: 'reference', to: 'profileType' },
  legacyId: { type: 'text', lengthMax: 255 },
  dataType: { type: 'own' },
  type: { type: 'own' },
  validations: { type: 'own', byDefault: [] },
};

export const attribute: Descriptor = {
  kind: 'attribute',
  singular: 'ne_attribute',
  title: 'Ne Attribute',
  collection: {
    key: 'ne_attributes',
    limitMax: LIMIT_MAX,
    filters: filtersOf(ATTRIBUTE_FIELDS, {
      dataType: { type: 'word', words: DATA_TYPES },
      type: { type: 'word', words: Object.values(ATTRIBUTE_CLASSES) },
    }),
    orders: ['id', 'uid', 'label', 'dataType', 'type', 'createdAt', 'updatedAt'],
  },
  showsTimes: true,
  fields: ATTRIBUTE_FIELDS,
  async complete(draft, writing) {
    const { before, now } = writing;
    readClass(draft, writing);
    if (draft['archived'] !== true) draft['archivedOn'] = null;
    else if (before?.['archived'] !== true) draft['archivedOn'] = now;
    await readValidations(draft, writing);
  },
  /** Removes the attribute from the duplicate rules and the naming of profile types. */
  async beforeDelete({ id }, { records, tenantId, now }) {
    for (let offset = 0; ; offset += LIMIT_MAX) {
      const { rows } = await records.resourcePage(tenantId, 'profileType', {
        where: [],
        order: 'id',
        limit: LIMIT_MAX,
        offset,
        total: false,
      });
      for (const type of rows) {
        const others = <R extends { neAttributeId: string }>(items: readonly R[]) =>
          items.filter(({ neAttributeId }) => neAttributeId !== id);
        const profileTypeDupAttributes = others(type.profileTypeDupAttributes);
        const profileTypeNamings = others(type.profileTypeNamings);
        const left = profileTypeDupAttributes.length + profileTypeNamings.length;
        if (left === type.profileTypeDupAttributes.length + type.profileTypeNamings.length)
          continue;
        const changed = { ...type, profileTypeDupAttributes, profileTypeNamings, updatedAt: now };
        await records.updateResource(tenantId, 'profileType', changed);
      }
      if (rows.length < LIMIT_MAX) return;
    }
  },
  nameOf: ({ label }) => String(label),
};

const OPTION_FIELDS: Readonly<Record<string, FieldRule>> = {
  neAttributeId: { ...REFERENCE, required: true, write: 'create' },
  option: { type: 'text', required: true, lengthMax: 255 },
};

export const option: Descriptor = {
  kind: 'option',
  singular: 'ne_attribute_option',
  title: 'Ne Attribute Option',
  collection: {
    key: 'ne_attribute_options',
    limitMax: LIMIT_MAX,
    filters: filtersOf(OPTION_FIELDS),
    orders: ['id', 'uid', 'option', 'neAttributeId'],
  },
  fields: OPTION_FIELDS,
  unique: [['neAttributeId', 'option']],
  nameOf: (record) => String(record['option']),
};

/** Each attribute class has two wire names; either one sets the other. */
function readClass(draft: Draft, { body, before, errors }: Writing): void {
  const dataTypeName = body.get('data_type') ?? null;
  const className = body.get('type') ?? null;
  const byName = DATA_TYPES.find((candidate) => candidate === dataTypeName);
  const byClass = DATA_TYPES.find((candidate) => ATTRIBUTE_CLASSES[candidate] === className);
  if (dataTypeName !== null && byName === undefined)
    addError(errors, 'data_type', 'is not included in the list');
  if (className !== null && byClass === undefined)
    addError(errors, 'type', 'is not included in the list');
  if (errors['data_type'] !== undefined || errors['type'] !== undefined) return;
  const dataType = byName ?? byClass;
  if (dataType === undefined) {
    if (before === null) addError(errors, 'data_type', "can't be blank");
    return;
  }
  if (byClass !== undefined && byClass !== dataType) {
    addError(
      errors,
      'type',
      `must be ${ATTRIBUTE_CLASSES[dataType]} for the data_type ${dataType}`,
    );
  } else if (before !== null && before['dataType'] !== dataType) {
    addError(errors, 'data_type', 'cannot be changed');
  } else {
    draft['dataType'] = dataType;
    draft['type'] = ATTRIBUTE_CLASSES[dataType];
  }
}

async function readValidations(draft: Draft, { body, errors }: Writing): Promise<void> {
  const name = 'validations_attributes';
  const before = draft['validations'] as readonly Validation[];
  draft['validations'] = await writeNested<Validation>(
    body.get(name),
    {
      name,
      before,
      find: async (part, items) =>
        items.find(({ validationMethod }) => validationMethod === part.get('validation_method')) ??
        null,
      async read(part, existing) {
        const method = VALIDATION_METHODS.find((word) => word === part.get('validation_method'));
        const value = part.get('value') ?? existing?.value ?? null;
        if (method === undefined) {
          addError(errors, name, 'validation_method is not included in the list');
          return null;
        }
        if (value === null) return { validationMethod: method, value };
        if (!['string', 'number', 'boolean'].includes(typeof value)) {
          addError(errors, name, 'value must be a string');
          return null;
        }
        return { validationMethod: method, value: String(value) };
      },
    },
    errors,
  );
}
