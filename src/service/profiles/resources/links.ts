// Records that link two others. Each link is unique, and is deleted with either of its ends.
import type { ProfileTitle } from '../../../query/mapping/event-names.ts';
import { type Collection, LIMIT_MAX } from '../../ports/collection.ts';
import {
  RELATIONSHIP_TYPES,
  type ReferableKind,
  type ResourceKind,
} from '../../ports/resources.ts';
import type { Descriptor, FieldRule } from './descriptor.ts';
import { filtersOf } from './field-filters.ts';
import { wireName } from './wire-names.ts';

const end = (to: ReferableKind): FieldRule => ({ type: 'reference', to, required: true });

function link(
  kind: ResourceKind,
  singular: string,
  title: ProfileTitle,
  ends: Readonly<Record<string, ReferableKind>>,
  more: Partial<Pick<Descriptor, 'fields' | 'unique'>> = {},
): Descriptor {
  const members = Object.keys(ends);
  const fields: Descriptor['fields'] = {
    ...Object.fromEntries(Object.entries(ends).map(([member, to]) => [member, end(to)])),
    ...more.fields,
  };
  const collection: Collection = {
    key: `${singular}s`,
    limitMax: LIMIT_MAX,
    filters: filtersOf(fields),
    orders: ['id', 'uid', ...members],
  };
  return {
    kind,
    singular,
    title,
    collection,
    fields,
    unique: more.unique ?? [members],
    nameOf: (record) => members.map((member) => `${wireName(member)} ${record[member]}`).join(', '),
  };
}

export const userRole = link('userRole', 'user_role', 'User Role', {
  userId: 'user',
  roleId: 'role',
});

export const roleProfile = link('roleProfile', 'role_profile', 'Role Profile', {
  roleId: 'role',
  profileId: 'profile',
});

export const userManager = link('userManager', 'user_manager', 'User Manager', {
  userId: 'user',
  managerId: 'user',
});

/** A user may own a profile and contribute to it, through several attributes. */
export const userProfile: Descriptor = {
  ...link(
    'userProfile',
    'user_profile',
    'User Profile',
    { userId: 'user', profileId: 'profile' },
    {
      fields: {
        neAttributeId: { type: 'reference', to: 'attribute' },
        relationshipType: { type: 'word', words: RELATIONSHIP_TYPES, required: true },
      },
      unique: [['userId', 'relationshipType', 'neAttributeId', 'profileId']],
    },
  ),
};
