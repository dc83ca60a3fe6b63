// Attributes of profile management for unit tests.
import type { Attribute } from '../../src/service/ports/resources.ts';

/** A text attribute `a1`, unless changed. */
export function attributeOf(changes: Partial<Attribute> = {}): Attribute {
  return {
    ...{ id: 'a1', uid: 'city', createdAt: '2026-01-01T00:00:00.000Z' },
    ...{ updatedAt: '2026-01-01T00:00:00.000Z', label: 'City', description: null, toolTip: null },
    ...{ crypt: false, archived: false, archivedOn: null, dateFormat: null },
    ...{ selectableStatus: null, riskType: '', riskScoreSetting: '', ownershipDriven: false },
    ...{ allowMultipleSelections: false, filteredByNeAttribute: false },
    ...{ filteringNeAttributeId: null, neAttributeFilterId: null },
    ...{ reverseAssociationAttribute: null, profileTypeId: null, legacyId: null },
    ...{ dataType: 'text field', type: 'TextFieldAttribute', validations: [] },
    ...changes,
  };
}
