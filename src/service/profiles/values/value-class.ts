// The class of an attribute's values: texts, dates, or references. Also the keys by which `unique`
// and duplicate protection compare values.

import type { ValueItem, ValueKey } from '../../ports/profile-records.ts';
import type { Attribute, AttributeClass } from '../../ports/resources.ts';
import { foldText } from './fold-text.ts';

export type ValueClass = 'text' | 'date' | 'option' | 'profile' | 'user' | 'attachment';

const CLASSES: Readonly<Record<AttributeClass, ValueClass>> = {
  TextFieldAttribute: 'text',
  TextAreaAttribute: 'text',
  DropDownAttribute: 'option',
  RadioButtonsAttribute: 'option',
  CheckBoxesAttribute: 'option',
  TagsAttribute: 'option',
  DateAttribute: 'date',
  AttachmentAttribute: 'attachment',
  ProfileSelectAttribute: 'profile',
  ProfileSearchAttribute: 'profile',
  OwnerSelectAttribute: 'user',
  OwnerSearchAttribute: 'user',
  ContributorSelectAttribute: 'user',
  ContributorSearchAttribute: 'user',
};

export function valueClassOf({ type }: Pick<Attribute, 'type'>): ValueClass {
  return CLASSES[type];
}

/**
 * Whether a value may have several references: by its class, or because the attribute allows it.
 */
export function takesSeveral({ type, allowMultipleSelections }: Attribute): boolean {
  return allowMultipleSelections || type === 'CheckBoxesAttribute' || type === 'TagsAttribute';
}

/** The key by which two items of an attribute are compared. */
export function keyOf(item: ValueItem): { readonly by: ValueKey; readonly key: string } {
  if (item.refId !== null) return { by: 'refId', key: item.refId };
  if (item.day !== null) return { by: 'day', key: String(item.day) };
  return { by: 'folded', key: foldText(item.value ?? '') };
}
