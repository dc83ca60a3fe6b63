// The columns of tables of profiles: the members of the record and the attributes, each with how it
// is shown, sorted and written to a file. Dates are `yyyy-mm-dd` in all of them.
import type { ComponentChildren } from 'preact';
import type { Profile } from '../../../api/profiles-api.ts';
import {
  type ProfileAttribute,
  type ProfileType,
  valueKindOf,
} from '../../../model/profiles/attributes.ts';
import { isoOfDate } from '../../../model/profiles/dates.ts';
import { SERVICE_ORDERS } from '../../../model/profiles/sorting.ts';
import { href } from '../../../ui/route.ts';
import { Status } from '../../../ui/values/status.tsx';
import { Value } from '../../../ui/values/value.tsx';

export interface ProfileColumn {
  /** A member of the record, or `attributes.` and the uid of an attribute. */
  readonly key: string;
  readonly label: string;
  show(profile: Profile): ComponentChildren;
  /** The text of the cell, as in a file. */
  cell(profile: Profile): string;
}

const PREFIX = 'attributes.';

/** All columns: the members, then the attributes in their order. */
export function profileColumns(
  types: readonly ProfileType[],
  attributes: readonly ProfileAttribute[],
): ProfileColumn[] {
  const names = new Map(types.map(({ id, name }) => [id, name]));
  return [
    {
      ...{ key: 'name', label: 'Name' },
      show: ({ id, name }) => <a href={href('profiles', 'of', id)}>{name || '(no name)'}</a>,
      cell: ({ name }) => name,
    },
    textColumn('type', 'Type', ({ profile_type_id }) => names.get(profile_type_id) ?? ''),
    {
      ...{ key: 'status', label: 'Status' },
      show: ({ status }) => <Status word={status} />,
      cell: ({ status }) => status,
    },
    ...attributes
      .filter(({ type }) => valueKindOf(type) !== 'none')
      .map((attribute) =>
        textColumn(attributeKey(attribute), attribute.label, (profile) =>
          attributeText(attribute, profile),
        ),
      ),
    textColumn('uid', 'UID', ({ uid }) => uid),
    textColumn('id', 'ID', ({ id }) => id),
    textColumn('created_at', 'Created', ({ created_at }) => created_at),
    textColumn('updated_at', 'Updated', ({ updated_at }) => updated_at),
  ];
}

/** The key of the column of an attribute. */
export function attributeKey({ uid }: Pick<ProfileAttribute, 'uid'>): string {
  return `${PREFIX}${uid}`;
}

/** The value of an attribute of a profile; a date as `yyyy-mm-dd`. */
export function attributeText(
  { uid, type, date_format }: ProfileAttribute,
  { attributes = {} }: Pick<Profile, 'attributes'>,
): string {
  const text = Object.hasOwn(attributes, uid) ? (attributes[uid] ?? '') : '';
  if (valueKindOf(type) !== 'date') return text;
  return isoOfDate(text, date_format) ?? text;
}

/** Whether a table can be sorted by a column: by some only if few profiles match. */
export function isSortable(key: string, isSmall: boolean): boolean {
  return isSmall || (SERVICE_ORDERS as readonly string[]).includes(key);
}

function textColumn(key: string, label: string, cell: (profile: Profile) => string): ProfileColumn {
  return { key, label, cell, show: (profile) => <Value value={cell(profile)} /> };
}
