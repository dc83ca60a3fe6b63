// The lists, evaluated naively over the documents: written from the contract
// (collections.md section 3), not from the code.
import { fold } from '../../src/query/analysis/fold.ts';
import type { Document } from './random-documents.ts';

/** A document, or one of its elements. */
export interface Listed {
  readonly document: Document;
  readonly element: Document;
  readonly position: number;
}

export interface NaiveList {
  readonly path: string;
  readonly type: string;
  /** The array whose elements are listed. */
  readonly element?: string;
  /** By field of filters and sorters. */
  readonly values: Readonly<Record<string, (listed: Listed) => unknown>>;
  readonly sorters: readonly string[];
  /** The values of sorters that differ from those of filters. */
  readonly sortedBy?: NaiveList['values'];
  readonly operators: Readonly<Record<string, string>>;
}

const at =
  (path: string) =>
  ({ document }: Listed): unknown =>
    valueAt(document, path);
const of =
  (path: string) =>
  ({ element }: Listed): unknown =>
    valueAt(element, path);
const always = (value: unknown) => () => value;

export const NAIVE_LISTS: readonly NaiveList[] = [
  {
    path: '/v3/accounts',
    type: 'identity',
    element: 'accounts',
    values: {
      id: of('id'),
      name: of('name'),
      created: of('created'),
      sourceId: of('source.id'),
      identityId: at('id'),
      nativeIdentity: of('accountId'),
      hasEntitlements: ({ element }) =>
        Object.values((element['entitlementAttributes'] ?? {}) as object)
          .flat()
          .some((value) => value !== null),
      uncorrelated: always(false),
      manuallyCorrelated: of('manuallyCorrelated'),
      origin: always(undefined),
      'identity.name': displayed,
      'identity.identityState': at('attributes.identityState'),
      'source.displayableName': of('source.name'),
    },
    sorters: [
      'id name created modified sourceId identityId nativeIdentity manuallyCorrelated',
      'identity.name identity.identityState source.displayableName hasEntitlements',
    ].flatMap((names) => names.split(' ')),
    sortedBy: { 'identity.name': at('displayName') },
    operators: {
      id: 'eq in sw',
      name: 'eq in sw',
      created: 'eq ge gt le lt',
      sourceId: 'eq in sw',
      identityId: 'eq in sw',
      nativeIdentity: 'eq in sw',
      hasEntitlements: 'eq',
      uncorrelated: 'eq',
      manuallyCorrelated: 'eq',
      origin: 'eq in',
      'identity.name': 'eq in sw',
      'identity.identityState': 'eq in',
      'source.displayableName': 'eq in',
    },
  },
  {
    path: '/identities/v1',
    type: 'identity',
    values: {
      id: at('id'),
      name: displayed,
      alias: at('name'),
      uid: at('name'),
      firstname: at('firstName'),
      lastname: at('lastName'),
      email: at('email'),
      cloudStatus: at('status'),
      processingState: at('processingState'),
      correlated: always(true),
      protected: at('protected'),
    },
    sorters: ['name', 'alias', 'uid', 'cloudStatus'],
    sortedBy: { name: at('displayName') },
    operators: {
      id: 'eq in',
      name: 'eq sw',
      alias: 'eq sw',
      uid: 'eq sw',
      firstname: 'eq sw',
      lastname: 'eq sw',
      email: 'eq sw',
      cloudStatus: 'eq',
      processingState: 'eq',
      correlated: 'eq',
      protected: 'eq',
    },
  },
  {
    path: '/beta/public-identities',
    type: 'identity',
    values: { id: at('id'), alias: at('name'), email: at('email'), firstname: at('firstName') },
    sorters: [],
    operators: { id: 'eq in', alias: 'eq sw', email: 'eq sw', firstname: 'eq sw' },
  },
  {
    path: '/v2024/roles',
    type: 'role',
    values: {
      ...{ id: at('id'), name: at('name'), created: at('created'), modified: at('modified') },
      ...{ requestable: at('requestable'), dimensional: at('dimensional') },
      'owner.id': at('owner.id'),
    },
    sorters: ['name', 'created', 'modified'],
    operators: {
      id: 'eq in',
      name: 'eq sw',
      created: 'gt ge le',
      modified: 'lt ge le',
      'owner.id': 'eq in',
      requestable: 'eq',
      dimensional: 'eq',
    },
  },
  {
    path: '/v2025/access-profiles',
    type: 'accessprofile',
    values: {
      ...{ id: at('id'), name: at('name'), created: at('created'), modified: at('modified') },
      ...{ requestable: at('requestable'), 'owner.id': at('owner.id') },
      'source.id': at('source.id'),
    },
    sorters: ['name', 'created', 'modified'],
    operators: {
      id: 'eq in',
      name: 'eq sw',
      created: 'gt ge le',
      modified: 'gt lt ge le',
      requestable: 'eq',
      'owner.id': 'eq in',
      'source.id': 'eq in',
    },
  },
  {
    path: '/v2026/entitlements',
    type: 'entitlement',
    values: {
      ...{ id: at('id'), name: at('name'), attribute: at('attribute'), value: at('value') },
      type: (listed) => at('sourceSchemaObjectType')(listed) ?? at('schema')(listed),
      ...{ created: at('created'), modified: at('modified'), requestable: at('requestable') },
      'source.id': at('source.id'),
    },
    sorters: 'id name type created modified attribute value source.id requestable'.split(' '),
    sortedBy: { type: at('sourceSchemaObjectType') },
    operators: {
      id: 'eq in',
      name: 'eq in sw',
      type: 'eq in',
      attribute: 'eq in',
      value: 'eq in sw',
      created: 'gt lt ge le',
      modified: 'gt lt ge le',
      requestable: 'eq',
      'source.id': 'eq in',
    },
  },
  {
    path: '/v3/account-activities',
    type: 'accountactivity',
    values: { type: shownType, created: at('created'), modified: at('modified') },
    sortedBy: { type: at('action') },
    sorters: ['type', 'created', 'modified'],
    operators: {
      type: 'eq in gt ge le lt ne isnull sw',
      created: 'gt lt ge le eq in ne isnull',
      modified: 'gt lt ge le eq in ne isnull',
    },
  },
];

function shownType({ document }: Listed): unknown {
  const { action } = document;
  return action === 'Access Request' ? 'appRequest' : action;
}

function displayed({ document }: Listed): unknown {
  return document['displayName'] ?? document['name'];
}

function valueAt(value: unknown, path: string): unknown {
  const [name = '', ...below] = path.split('.');
  const member = (value as Document | undefined)?.[name];
  return below.length === 0 ? member : valueAt(member, below.join('.'));
}

/** All objects of a list, by id of their document and position. */
export function listedIn(list: NaiveList, documents: readonly Document[]): Listed[] {
  return documents
    .filter((document) => document['_type'] === list.type)
    .sort((a, b) => compare(a['id'], b['id']))
    .flatMap((document) => {
      if (list.element === undefined) return [{ document, element: document, position: 0 }];
      const elements = (document[list.element] ?? []) as Document[];
      return elements.map((element, position) => ({ document, element, position }));
    });
}

export interface Comparison {
  readonly field: string;
  readonly operator: string;
  readonly values: readonly (string | boolean)[];
}

/** Whether a comparison holds. */
export function holds(
  { field, operator, values }: Comparison,
  list: NaiveList,
  listed: Listed,
): boolean {
  const held = list.values[field]?.(listed) ?? null;
  const isDate = ['created', 'modified'].includes(field);
  const read = (value: unknown) => {
    if (value === null || typeof value === 'boolean') return value;
    return isDate ? Date.parse(String(value)) : fold(String(value));
  };
  const [value = null] = values;
  const difference = compare(read(held), read(value));
  switch (operator) {
    case 'isnull':
      return held === null;
    case 'ne':
      return held === null || difference !== 0;
    case 'eq':
    case 'in':
      return held !== null && values.some((each) => compare(read(held), read(each)) === 0);
    case 'sw':
      return held !== null && fold(String(held)).startsWith(fold(String(value)));
    case 'co':
      return held !== null && fold(String(held)).includes(fold(String(value)));
    case 'gt':
      return held !== null && difference > 0;
    case 'ge':
      return held !== null && difference >= 0;
    case 'lt':
      return held !== null && difference < 0;
    case 'le':
      return held !== null && difference <= 0;
    default:
      throw new TypeError(operator);
  }
}

/** In the order of sorters; of objects that tie the order is left as it is. */
export function sorted(list: NaiveList, listed: readonly Listed[], sorters: string): Listed[] {
  const keys = sorters === '' ? [] : sorters.split(',');
  return [...listed].sort((one, other) => {
    for (const key of keys) {
      const name = key.replace(/^-/, '');
      const value = { ...list.values, ...list.sortedBy }[name];
      const [a, b] = [value?.(one) ?? null, value?.(other) ?? null];
      if (a === null || b === null) {
        if (a === b) continue;
        return a === null ? 1 : -1;
      }
      const isDate = ['created', 'modified'].includes(name);
      const difference = isDate ? Date.parse(String(a)) - Date.parse(String(b)) : inOrder(a, b);
      if (difference !== 0) return key.startsWith('-') ? -difference : difference;
    }
    return compare(idOf(list, one), idOf(list, other));
  });
}

/** Texts without case, then by code points. */
function inOrder(a: unknown, b: unknown): number {
  if (typeof a === 'boolean') return compare(a, b);
  return compare(fold(String(a)), fold(String(b))) || compare(a, b);
}

/** The id of the listed object, by which ties are ordered. */
export function idOf(list: NaiveList, { document, element }: Listed): unknown {
  return list.element === undefined ? document['id'] : element['id'];
}

/** Texts by code points. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
