// What the values of an attribute are, by its class: a text, a date, or what they point to. Also
// how two values are told apart, which is what `unique` and duplicate protection ask.

import type { ValueItem, ValueKey } from '../../ports/profile-records.ts';
import type { Attribute, AttributeClass } from '../resources/resources.ts';
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
 * Whether a value may point to several records: by its nature, or because the attribute allows it.
 */
export function takesSeveral({ type, allowMultipleSelections }: Attribute): boolean {
  return allowMultipleSelections || type === 'CheckBoxesAttribute' || type === 'TagsAttribute';
}

/** What tells an item from others of its attribute. */
export function keyOf(item: ValueItem): { readonly by: ValueKey; readonly key: string } {
  if (item.refId !== null) return { by: 'refId', key: item.refId };
  if (item.day !== null) return { by: 'day', key: String(item.day) };
  return { by: 'folded', key: foldText(item.value ?? '') };
}
