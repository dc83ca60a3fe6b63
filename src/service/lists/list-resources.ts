// The lists that are answered from the documents of search, as a table (collections.md section 3).
// Fields, operators, sorters and largest pages are those of the public specification.
import type { Operation } from '../../auth/access.ts';
import { LIST_PAGE, type PageBounds } from '../../query/collections/collection-page.ts';
import type { IndexName } from '../../query/query.ts';
import { absent, constant, date, field, flag, type ListFields, text } from './list-field.ts';
import { accessProfile, entitlement, role } from './shapes/access.ts';
import { accountActivity, SHOWN_TYPES } from './shapes/account-activities.ts';
import { account } from './shapes/accounts.ts';
import { assignedIdentity, identity, publicIdentity } from './shapes/identities.ts';
import type { Json } from './shapes/members.ts';

/** A list whose objects are documents, or elements of an array of documents. */
export interface ListResource {
  /** The area of the path, e.g. `/roles`. */
  readonly area: string;
  /** What one object is called in messages, with its article. */
  readonly called: string;
  readonly rights: ListRights;
  readonly index: IndexName;
  /** The array whose elements are the objects; null: the objects are documents. */
  readonly element: string | null;
  readonly page: PageBounds;
  readonly fields: ListFields;
  /** Whether its objects need the nested arrays of the documents. */
  readonly nested: boolean;
  /** @param element the element that is the object, if objects are elements */
  readonly shape: (document: Json, element: Json, options: ShapeOptions) => Json;
}

/** The rights that a list and one object by its id need; null: objects are not read by id. */
export interface ListRights {
  readonly list: Operation;
  readonly object: Operation | null;
}

/** The list of the entitlements that an object has itself, and the right that it needs. */
export interface HeldEntitlements {
  readonly holders: ListResource;
  readonly right: Operation;
}

export interface ShapeOptions {
  /** Whether attributes are included. */
  readonly detail: boolean;
}

/** Roles have many references each. */
const ROLE_PAGE: PageBounds = { byDefault: 50, most: 50 };

/** The name of a person as people read it; service accounts may have a login name alone. */
const DISPLAYED = ['displayName', 'name'];

export const ACCOUNTS: ListResource = {
  area: '/accounts',
  called: 'an account',
  rights: { list: 'account:read', object: 'account:read' },
  index: 'identities',
  element: 'accounts',
  page: LIST_PAGE,
  nested: true,
  fields: {
    id: text('accounts.id', 'eq in sw', 'sorts'),
    name: text('accounts.name', 'eq in sw', 'sorts'),
    created: date('accounts.created', 'eq ge gt le lt', 'sorts'),
    modified: absent('date', 'eq ge gt le lt', 'sorts'),
    sourceId: text('accounts.source.id', 'eq in sw', 'sorts'),
    identityId: text('id', 'eq in sw', 'sorts'),
    nativeIdentity: text('accounts.accountId', 'eq in sw', 'sorts'),
    uuid: absent('text', '', 'sorts'),
    hasEntitlements: field('flag', { anyBelow: 'accounts.entitlementAttributes' }, 'eq', 'sorts'),
    entitlements: field('text', { allBelow: 'accounts.entitlementAttributes' }, 'eq', 'sorts'),
    uncorrelated: constant(false, 'eq'),
    manuallyCorrelated: flag('accounts.manuallyCorrelated', 'eq', 'sorts'),
    origin: absent('text', 'eq in', 'sorts'),
    'identity.name': text(DISPLAYED, 'eq in sw', 'sorts'),
    'identity.correlated': constant(true, 'eq', 'sorts'),
    'identity.identityState': text('attributes.identityState', 'eq in', 'sorts'),
    'source.displayableName': text('accounts.source.name', 'eq in', 'sorts'),
    'source.authoritative': absent('flag', 'eq', 'sorts'),
    'source.connectionType': absent('text', 'eq in', 'sorts'),
    'recommendation.method': absent('text', 'eq in isnull'),
    'sourceOwner.name': absent('text', '', 'sorts'),
  },
  shape: (document, element, { detail }) => account(document, element, detail),
};

export const IDENTITIES: ListResource = {
  area: '/identities',
  called: 'an identity',
  rights: { list: 'identity:read', object: 'identity:read' },
  index: 'identities',
  element: null,
  page: LIST_PAGE,
  nested: false,
  fields: {
    id: text('id', 'eq in'),
    name: text(DISPLAYED, 'eq sw', 'sorts'),
    alias: text('name', 'eq sw', 'sorts'),
    // Scripts call it so.
    uid: text('name', 'eq sw', 'sorts'),
    firstname: text('firstName', 'eq sw'),
    lastname: text('lastName', 'eq sw'),
    email: text('email', 'eq sw'),
    cloudStatus: text('status', 'eq', 'sorts'),
    processingState: text('processingState', 'eq'),
    correlated: constant(true, 'eq'),
    protected: flag('protected', 'eq'),
  },
  shape: identity,
};

const PUBLIC_IDENTITIES: ListResource = {
  ...IDENTITIES,
  area: '/public-identities',
  rights: { list: 'public-identity:read', object: null },
  fields: {
    id: text('id', 'eq in'),
    name: text(DISPLAYED, '', 'sorts'),
    alias: text('name', 'eq sw'),
    uid: text('name', 'eq sw'),
    email: text('email', 'eq sw'),
    firstname: text('firstName', 'eq sw'),
    lastname: text('lastName', 'eq sw'),
  },
  shape: (document, _element, { detail }) => publicIdentity(document, detail),
};

/** The identities that have a role. */
export const ASSIGNED_IDENTITIES: ListResource = {
  ...IDENTITIES,
  rights: { list: 'role:holders', object: null },
  fields: {
    id: text('id', 'eq in', 'sorts'),
    aliasName: text('name', 'eq sw', 'sorts'),
    email: text('email', 'eq sw', 'sorts'),
    name: text(DISPLAYED, 'eq sw co', 'sorts'),
  },
  shape: assignedIdentity,
};

export const ROLES: ListResource = {
  area: '/roles',
  called: 'a role',
  rights: { list: 'role:read', object: 'role:read' },
  index: 'roles',
  element: null,
  page: ROLE_PAGE,
  nested: true,
  fields: {
    id: text('id', 'eq in'),
    name: text('name', 'eq sw', 'sorts'),
    created: date('created', 'gt ge le', 'sorts'),
    modified: date('modified', 'lt ge le', 'sorts'),
    'owner.id': text('owner.id', 'eq in'),
    requestable: flag('requestable', 'eq'),
    dimensional: flag('dimensional', 'eq'),
  },
  shape: role,
};

export const ACCESS_PROFILES: ListResource = {
  area: '/access-profiles',
  called: 'an access profile',
  rights: { list: 'access-profile:read', object: 'access-profile:read' },
  index: 'accessprofiles',
  element: null,
  page: LIST_PAGE,
  nested: true,
  fields: {
    id: text('id', 'eq in'),
    name: text('name', 'eq sw', 'sorts'),
    created: date('created', 'gt ge le', 'sorts'),
    modified: date('modified', 'gt lt ge le', 'sorts'),
    'owner.id': text('owner.id', 'eq in'),
    requestable: flag('requestable', 'eq'),
    'source.id': text('source.id', 'eq in'),
  },
  shape: accessProfile,
};

export const ENTITLEMENTS: ListResource = {
  area: '/entitlements',
  called: 'an entitlement',
  rights: { list: 'entitlement:list', object: 'entitlement:read' },
  index: 'entitlements',
  element: null,
  page: LIST_PAGE,
  nested: true,
  fields: {
    id: text('id', 'eq in', 'sorts'),
    name: text('name', 'eq in sw', 'sorts'),
    type: text(['sourceSchemaObjectType', 'schema'], 'eq in', 'sorts'),
    attribute: text('attribute', 'eq in', 'sorts'),
    value: text('value', 'eq in sw', 'sorts'),
    'source.id': text('source.id', 'eq in', 'sorts'),
    requestable: flag('requestable', 'eq', 'sorts'),
    created: date('created', 'gt lt ge le', 'sorts'),
    modified: date('modified', 'gt lt ge le', 'sorts'),
    'owner.id': absent('text', 'eq in'),
  },
  shape: entitlement,
};

export const OF_ROLES: HeldEntitlements = { holders: ROLES, right: 'role:read' };
export const OF_ACCESS_PROFILES: HeldEntitlements = {
  holders: ACCESS_PROFILES,
  right: 'access-profile:entitlements',
};

/** What the entitlements of a role or access profile are filtered and sorted by. */
export const HELD_ENTITLEMENTS: ListFields = {
  id: text('id', 'eq in'),
  name: text('name', 'eq sw', 'sorts'),
  attribute: text('attribute', 'eq sw', 'sorts'),
  value: text('value', 'eq sw', 'sorts'),
  created: date('created', 'gt lt ge le', 'sorts'),
  modified: date('modified', 'gt lt ge le', 'sorts'),
  'owner.id': text('owner.id', 'eq in'),
  'source.id': text('source.id', 'eq in'),
};

export const ACCOUNT_ACTIVITIES: ListResource = {
  area: '/account-activities',
  called: 'an account activity',
  rights: { list: 'account-activity:read', object: 'account-activity:read' },
  index: 'accountactivities',
  element: null,
  page: LIST_PAGE,
  nested: true,
  fields: {
    type: field(
      'text',
      { paths: ['action'], shown: SHOWN_TYPES },
      'eq in gt ge le lt ne isnull sw',
      'sorts',
    ),
    created: date('created', 'gt lt ge le eq in ne isnull sw', 'sorts'),
    modified: date('modified', 'gt lt ge le eq in ne isnull sw', 'sorts'),
  },
  shape: accountActivity,
};

/** The lists of documents and elements. Sources are no documents: see sources.ts. */
export const LIST_RESOURCES = {
  accounts: ACCOUNTS,
  identities: IDENTITIES,
  publicIdentities: PUBLIC_IDENTITIES,
  roles: ROLES,
  accessProfiles: ACCESS_PROFILES,
  entitlements: ENTITLEMENTS,
  accountActivities: ACCOUNT_ACTIVITIES,
} as const satisfies Readonly<Record<string, ListResource>>;
