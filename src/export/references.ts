// Which members of a document refer to another document, by index, as data.
import type { IndexName } from '../query/query.ts';

export interface DocumentReference {
  readonly index: IndexName;
  readonly id: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The index of each kind of element of `access`. */
const ACCESS_INDEXES: Readonly<Record<string, IndexName>> = {
  ENTITLEMENT: 'entitlements',
  ACCESS_PROFILE: 'accessprofiles',
  ROLE: 'roles',
};

/** Paths of objects with an `id`, and the index they refer to; null: by the `type` of the element. */
const PATHS: Readonly<Record<IndexName, readonly (readonly [string, IndexName | null])[]>> = {
  identities: [
    ['manager', 'identities'],
    ['access', null],
    ['access.owner', 'identities'],
    ['owns.entitlements', 'entitlements'],
    ['owns.accessProfiles', 'accessprofiles'],
    ['owns.roles', 'roles'],
  ],
  roles: [
    ['owner', 'identities'],
    ['accessProfiles', 'accessprofiles'],
    ['entitlements', 'entitlements'],
    ['dimensions.entitlements', 'entitlements'],
    ['dimensions.accessProfiles', 'accessprofiles'],
  ],
  accessprofiles: [
    ['owner', 'identities'],
    ['entitlements', 'entitlements'],
    ['apps.owner', 'identities'],
  ],
  entitlements: [['owner', 'identities']],
  accountactivities: [
    ['requester', 'identities'],
    ['recipient', 'identities'],
    ['approvals.owner', 'identities'],
  ],
  // Events name their actor and target, without an id.
  events: [],
};

/** The documents that a document refers to; whether they exist is not checked. */
export function referencesOf(index: IndexName, document: Json): DocumentReference[] {
  return PATHS[index].flatMap(([path, to]) =>
    objectsAt(document, path.split('.')).flatMap((object) => {
      const target = to ?? ACCESS_INDEXES[String(object['type'])];
      const id = object['id'];
      return target === undefined || typeof id !== 'string' ? [] : [{ index: target, id }];
    }),
  );
}

function objectsAt(value: unknown, path: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectsAt(item, path));
  if (typeof value !== 'object' || value === null) return [];
  const [name, ...rest] = path;
  return name === undefined ? [value as Json] : objectsAt((value as Json)[name], rest);
}
