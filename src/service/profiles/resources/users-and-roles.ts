// The users who work with profiles, and their roles. These users cannot sign in here: a password is
// accepted, because clients send one, and dropped.

import { addError } from '../faults.ts';
import { LIMIT_MAX } from './collection.ts';
import type { Descriptor } from './descriptor.ts';
import { ROLE_TYPES, USER_STATUSES, USER_TYPES } from './resources.ts';

const NAME = { type: 'text', required: true, lengthMax: 255 } as const;
const LOCALE_MAX = 255;

export const user: Descriptor = {
  kind: 'user',
  singular: 'user',
  title: 'User',
  collection: {
    key: 'users',
    limitMax: LIMIT_MAX,
    filters: {
      name: { type: 'text' },
      nameContains: { type: 'part', of: 'name' },
      login: { type: 'text' },
      title: { type: 'text' },
      email: { type: 'text' },
      status: { type: 'word', words: USER_STATUSES },
      type: { type: 'word', words: USER_TYPES },
      sailpointIdentityId: { type: 'exact' },
    },
    // The public API description names the filter like this.
    filterAliases: { user_status: 'status' },
    orders: [
      ...['id', 'uid', 'name', 'login', 'email', 'title', 'status', 'type', 'lastLogin'],
      ...['createdAt', 'updatedAt'],
    ],
  },
  fields: {
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
  },
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

export const role: Descriptor = {
  kind: 'role',
  singular: 'role',
  title: 'Role',
  collection: {
    key: 'roles',
    limitMax: LIMIT_MAX,
    filters: {
      type: { type: 'word', words: [...ROLE_TYPES, 'IdproxyRole'] },
      name: { type: 'text' },
    },
    orders: ['id', 'uid', 'name', 'type'],
  },
  fields: {
    name: NAME,
    type: { type: 'word', words: ROLE_TYPES, required: true, byDefault: 'NeprofileRole' },
    groups: { type: 'texts' },
    archived: { type: 'flag' },
  },
  nameOf: ({ name }) => String(name),
};
