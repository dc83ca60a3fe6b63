// The users who work with profiles, and their roles. These users cannot sign in here: a password is
// accepted, because clients send one, and dropped.

import { LIMIT_MAX } from '../../ports/collection.ts';
import { ROLE_TYPES, USER_STATUSES, USER_TYPES } from '../../ports/resources.ts';
import type { Descriptor, FieldRule } from './descriptor.ts';
import { addError } from './faults.ts';
import { filtersOf } from './field-filters.ts';

const NAME = { type: 'text', required: true, lengthMax: 255 } as const;
const LOCALE_MAX = 255;

const USER_FIELDS: Readonly<Record<string, FieldRule>> = {
  name: NAME,
  email: NAME,
  type: { type: 'word', words: USER_TYPES, required: true },
  title: { type: 'text', lengthMax: 255 },
  status: { type: 'own', byDefault: 'Active' },
  login: NAME,
  lastLogin: { type: 'text', write: 'never' },
  cookiesAcceptedAt: { type: 'text', write: 'never' },
  preferredLanguage: { type: 'text', lengthMax: LOCALE_MAX },
  locale: { type: 'own' },
  groupStrings: { type: 'text' },
  sailpointIdentityId: { type: 'text', lengthMax: 255 },
  profileId: { type: 'reference', to: 'profile', hidden: true },
};

export const user: Descriptor = {
  kind: 'user',
  singular: 'user',
  title: 'User',
  collection: {
    key: 'users',
    limitMax: LIMIT_MAX,
    filters: filtersOf(USER_FIELDS, {
      nameContains: { type: 'part', of: 'name' },
      status: { type: 'word', words: USER_STATUSES },
      sailpointIdentityId: { type: 'exact' },
      locale: { type: 'text' },
    }),
    // The public API description names the filter like this.
    filterAliases: { user_status: 'status' },
    orders: [
      ...['id', 'uid', 'name', 'login', 'email', 'title', 'status', 'type', 'lastLogin'],
      ...['createdAt', 'updatedAt'],
    ],
  },
  fields: USER_FIELDS,
  unique: [['login']],
  complete(draft, { body, before, errors, restores }) {
    if (body.has('status')) {
      // Vendor scripts send 1 for the first status.
      const status = body.get('status') === 1 ? 'Active' : body.get('status');
      const word = USER_STATUSES.find((candidate) => candidate === status);
      if (word === undefined) addError(errors, 'status', 'is not included in the list');
      else draft['status'] = word;
    }
    // One value with two names: a client that sends a whole record back changes one of them.
    const locale = body.get('locale') ?? null;
    if (locale !== null && typeof locale !== 'string')
      addError(errors, 'locale', 'must be a string');
    else if (locale !== null && locale.length > LOCALE_MAX)
      addError(errors, 'locale', `is too long (maximum is ${LOCALE_MAX} characters)`);
    else if (locale !== null && locale !== before?.['locale'])
      draft['preferredLanguage'] = locale === '' ? null : locale;
    draft['locale'] = draft['preferredLanguage'];
    const lacksProfile = (record: Readonly<Record<string, unknown>> | null) =>
      record?.['type'] === 'NeaccessUser' && record['profileId'] === null;
    // The profile of a stored user may have been deleted.
    if (restores || lacksProfile(before) || !lacksProfile(draft) || errors['profile_id']) return;
    addError(errors, 'profile_id', "can't be blank");
  },
  nameOf: ({ login }) => String(login),
};

const ROLE_FIELDS: Readonly<Record<string, FieldRule>> = {
  name: NAME,
  type: { type: 'word', words: ROLE_TYPES, required: true, byDefault: 'NeprofileRole' },
  groups: { type: 'texts' },
  archived: { type: 'flag' },
};

export const role: Descriptor = {
  kind: 'role',
  singular: 'role',
  title: 'Role',
  collection: {
    key: 'roles',
    limitMax: LIMIT_MAX,
    filters: filtersOf(ROLE_FIELDS, {
      type: { type: 'word', words: [...ROLE_TYPES, 'IdproxyRole'] },
    }),
    orders: ['id', 'uid', 'name', 'type'],
  },
  fields: ROLE_FIELDS,
  nameOf: ({ name }) => String(name),
};
