// The attributes of profiles: what their values are, which ones a type of profiles has, and their
// order by meaning: name, contact, who is responsible, dates, and the rest.

export const STATUSES = ['Active', 'Inactive', 'On Leave', 'Terminated'] as const;

/** The members of a profile attribute that the console reads. */
export interface ProfileAttribute {
  readonly id: string;
  readonly uid: string;
  readonly label: string;
  readonly description?: string | null;
  /** Its class, such as `DateAttribute`. */
  readonly type: string;
  /** null: `mm/dd/yyyy`. */
  readonly date_format?: string | null;
  readonly allow_multiple_selections?: boolean;
  readonly archived?: boolean;
  /** The type that it belongs to; of a profile select, the type of the profiles to select. */
  readonly profile_type_id?: string | null;
  readonly validations?: readonly {
    readonly validation_method: string;
    readonly value: string | null;
  }[];
}

export interface ProfileType {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly category: string;
  /** The attributes that form the name of a profile, in their order. */
  readonly profile_type_namings?: readonly { readonly ne_attribute_id: string }[];
}

/** An option of a select box, or a record to refer to. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The kind of the values of an attribute. */
export type ValueKind = 'text' | 'date' | 'option' | 'profile' | 'user' | 'none';

/** The kind of the values of an attribute class; `none` for attachments. */
export function valueKindOf(type: string): ValueKind {
  if (/^(?:DropDown|RadioButtons|CheckBoxes|Tags)Attribute$/.test(type)) return 'option';
  if (/^Profile(?:Select|Search)Attribute$/.test(type)) return 'profile';
  if (/^(?:Owner|Contributor)(?:Select|Search)Attribute$/.test(type)) return 'user';
  if (type === 'DateAttribute') return 'date';
  return type === 'AttachmentAttribute' ? 'none' : 'text';
}

/** Whether an attribute takes several options or records. */
export function takesSeveral({ type, allow_multiple_selections }: ProfileAttribute): boolean {
  return (
    allow_multiple_selections === true || type === 'CheckBoxesAttribute' || type === 'TagsAttribute'
  );
}

/** Whether an attribute has a validation, such as `required`. */
export function isValidated({ validations = [] }: ProfileAttribute, method: string): boolean {
  return validations.some(({ validation_method }) => validation_method === method);
}

/**
 * The attributes of a type: those of its name, those that belong to it, and those with a value in
 * its profiles. An attribute without a type does not say which types use it.
 * @param used uids of the attributes with a value in some profiles of the type
 */
export function attributesOfType(
  type: ProfileType | undefined,
  all: readonly ProfileAttribute[],
  used: ReadonlySet<string>,
): ProfileAttribute[] {
  const naming = new Set(namingOf(type));
  return all.filter((attribute) => {
    if (used.has(attribute.uid) || naming.has(attribute.id)) return true;
    const belongs = attribute.profile_type_id === type?.id && type !== undefined;
    return belongs && attribute.archived !== true && valueKindOf(attribute.type) !== 'profile';
  });
}

/** Attributes of one meaning, under a title. */
export interface AttributeGroup {
  readonly title: string;
  readonly attributes: readonly ProfileAttribute[];
}

const TITLES = ['Name', 'Contact', 'Responsible', 'Dates', 'Details'] as const;

/** Groups attributes by meaning. Groups without attributes are left out. */
export function groupAttributes(
  type: ProfileType | undefined,
  attributes: readonly ProfileAttribute[],
): AttributeGroup[] {
  const naming = namingOf(type);
  const placed = attributes.map((attribute) => ({ attribute, place: placeOf(attribute, naming) }));
  placed.sort(
    (a, b) =>
      a.place.group - b.place.group ||
      a.place.rank - b.place.rank ||
      a.attribute.label.localeCompare(b.attribute.label, 'en'),
  );
  return TITLES.map((title, at) => ({
    title,
    attributes: placed.filter(({ place }) => place.group === at).map(({ attribute }) => attribute),
  })).filter((group) => group.attributes.length > 0);
}

/** The attributes that a table of a type shows at first: who is responsible, and the dates. */
export function mainAttributes(groups: readonly AttributeGroup[]): ProfileAttribute[] {
  const inGroup = (title: string) =>
    groups.find((group) => group.title === title)?.attributes.slice(0, 2) ?? [];
  return [...inGroup('Responsible'), ...inGroup('Dates')];
}

const CONTACT = /\b(?:e-?mail|phone|mobile|telephone|fax|address)\b/i;
const BEGIN = /\b(?:start|begin|hire|from|joined|valid from)\b/i;
const END = /\b(?:end|until|to|leave|leaving|termination|valid to)\b/i;

/** The group of an attribute, and its place there. */
function placeOf(
  attribute: ProfileAttribute,
  naming: readonly string[],
): { readonly group: number; readonly rank: number } {
  const { id, type, label } = attribute;
  if (naming.includes(id)) return { group: 0, rank: naming.indexOf(id) };
  switch (valueKindOf(type)) {
    case 'user':
      return { group: 2, rank: type.startsWith('Owner') ? 0 : 2 };
    case 'profile':
      return { group: 2, rank: 1 };
    case 'date':
      return { group: 3, rank: BEGIN.test(label) ? 0 : END.test(label) ? 1 : 2 };
    case 'text': {
      const isContact = isValidated(attribute, 'email_format') || CONTACT.test(label);
      return isContact ? { group: 1, rank: 0 } : { group: 4, rank: 1 };
    }
    case 'option':
      return { group: 4, rank: 0 };
    case 'none':
      return { group: 4, rank: 2 };
  }
}

function namingOf(type: ProfileType | undefined): readonly string[] {
  return (type?.profile_type_namings ?? []).map(({ ne_attribute_id }) => ne_attribute_id);
}
