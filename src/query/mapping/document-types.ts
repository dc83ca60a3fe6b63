// The static fields of the six document types, as data. A shape lists leaf names by type (separated
// by blanks); `objects` are plain members, `nested` are correlated arrays, `dynamic` are maps whose
// leaves come from documents. Arrays of scalars or plain objects are declared like single values.
// Invariant: no nested path is below another.

import type { IndexName } from '../query.ts';
import type { Constants, Field, FieldType, Mapping } from './mapping.ts';

/** A value for each index. */
export function byIndex<T>(make: (index: IndexName) => T): Readonly<Record<IndexName, T>> {
  const entries = INDEX_NAMES.map((index) => [index, make(index)]);
  return Object.fromEntries(entries) as Record<IndexName, T>;
}

/** Returns the `_type` of the documents of an index. */
export function typeOf(index: IndexName): string {
  return TYPES[index].type;
}

/** Returns the index whose documents have a `_type`, if any. */
export function indexOfType(type: string): IndexName | undefined {
  return INDEX_NAMES.find((index) => TYPES[index].type === type);
}

/** Returns the mapping of an index without dynamic fields. */
export function staticMapping(
  index: IndexName,
  tenant: { readonly name: string; readonly pod: string },
): Mapping {
  const type = TYPES[index].type;
  const envelope = { _type: type, _version: 'v2', pod: tenant.pod, org: tenant.name };
  // Events have their own `type` field; elsewhere `type` repeats `_type`.
  const constants: Constants = index === 'events' ? envelope : { ...envelope, type };
  return { index, ...LEAVES[index], identifying: TYPES[index].identifying, constants };
}

/** Returns the mapping with added fields; existing paths are unchanged. */
export function withFields(mapping: Mapping, fields: readonly Field[]): Mapping {
  const merged = new Map(mapping.fields);
  for (const field of fields) if (!merged.has(field.path)) merged.set(field.path, field);
  return { ...mapping, fields: byPath(merged) };
}

/** In order of path, since every request needs them so. */
function byPath(fields: ReadonlyMap<string, Field>): Mapping['fields'] {
  return new Map([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Shape {
  readonly text?: string;
  readonly keyword?: string;
  readonly date?: string;
  readonly long?: string;
  readonly boolean?: string;
  readonly dynamic?: string;
  readonly objects?: Readonly<Record<string, Shape>>;
}

interface DocumentType {
  readonly type: string;
  readonly root: Shape;
  readonly nested: Readonly<Record<string, Shape>>;
  readonly identifying: Mapping['identifying'];
}

const REF: Shape = { keyword: 'id', text: 'name' };
const TYPED_REF: Shape = { keyword: 'id type', text: 'name' };
const SOURCE_REF: Shape = { keyword: 'id', text: 'name type' };
const OWNER: Shape = { keyword: 'id type', text: 'name email' };
const DISPLAYED_REF: Shape = { keyword: 'id', text: 'name displayName' };
const ATTRIBUTE_REQUEST: Shape = { text: 'name op value' };
const ENTITLEMENT_PART: Shape = {
  keyword: 'id',
  text: 'name description attribute value schema',
  boolean: 'privileged hasPermissions',
};
const ROLE_ENTITLEMENT: Shape = {
  ...ENTITLEMENT_PART,
  keyword: 'id hash',
  text: `${ENTITLEMENT_PART.text} sourceSchemaObjectType`,
};

const NAMED = [
  { path: 'name', boost: 4 },
  { path: 'displayName', boost: 4 },
];

/** In name order. */
const TYPES: Readonly<Record<IndexName, DocumentType>> = {
  accessprofiles: {
    type: 'accessprofile',
    root: {
      keyword: 'id',
      text: 'name description tags',
      date: 'created modified synced',
      boolean: 'enabled requestable requestCommentsRequired',
      long: 'entitlementCount segmentCount',
      objects: { source: REF, owner: OWNER },
    },
    nested: {
      entitlements: ENTITLEMENT_PART,
      segments: REF,
      apps: { keyword: 'id', text: 'name description', objects: { owner: OWNER } },
    },
    identifying: NAMED.slice(0, 1),
  },
  accountactivities: {
    type: 'accountactivity',
    root: {
      keyword: 'id trackingNumber',
      text: 'action stage status sources errors warnings',
      date: 'created modified synced',
      objects: { requester: TYPED_REF, recipient: TYPED_REF },
    },
    nested: {
      approvals: {
        keyword: 'accountUuid',
        text: 'result',
        date: 'modified',
        objects: {
          comments: { text: 'comment commenter', date: 'date' },
          owner: TYPED_REF,
          attributeRequest: ATTRIBUTE_REQUEST,
          source: SOURCE_REF,
        },
      },
      originalRequests: {
        keyword: 'accountUuid',
        text: 'accountId op',
        objects: {
          result: { text: 'status' },
          attributeRequests: ATTRIBUTE_REQUEST,
          source: SOURCE_REF,
        },
      },
      expansionItems: {
        keyword: 'id',
        text: 'accountId cause name state',
        objects: { attributeRequest: ATTRIBUTE_REQUEST, source: SOURCE_REF },
      },
      accountRequests: {
        text: 'accountId op',
        objects: {
          provisioningTarget: SOURCE_REF,
          source: SOURCE_REF,
          attributeRequests: ATTRIBUTE_REQUEST,
          result: { keyword: 'ticketId', text: 'status errors' },
        },
      },
    },
    identifying: [
      { path: 'recipient.name', boost: 2 },
      { path: 'requester.name', boost: 2 },
    ],
  },
  entitlements: {
    type: 'entitlement',
    root: {
      keyword: 'id hash',
      text: 'name displayName description attribute value schema sourceSchemaObjectType tags truncatedAttributes',
      date: 'created modified synced',
      boolean: 'privileged cloudGoverned requestable containsDataAccess',
      // Documents of earlier versions of the public service have an identityCount.
      long: 'segmentCount identityCount',
      dynamic: 'attributes',
      objects: {
        source: TYPED_REF,
        manuallyUpdatedFields: { boolean: 'DESCRIPTION DISPLAY_NAME' },
      },
    },
    nested: { segments: REF, permissions: { text: 'target rights' } },
    identifying: NAMED,
  },
  events: {
    type: 'event',
    root: {
      keyword: 'id trackingNumber details ipAddress stack',
      text: 'name action type status operation technicalName objects',
      date: 'created synced',
      dynamic: 'attributes',
      objects: { actor: { text: 'name' }, target: { text: 'name' } },
    },
    nested: {},
    identifying: [
      { path: 'name', boost: 2 },
      { path: 'actor.name', boost: 2 },
      { path: 'target.name', boost: 2 },
    ],
  },
  identities: {
    type: 'identity',
    root: {
      keyword: 'id',
      text: 'name displayName firstName lastName email phone employeeNumber status processingState tags visibleSegments',
      date: 'created modified synced',
      boolean: 'inactive protected disabled locked isManager',
      long: 'accountCount appCount accessCount entitlementCount roleCount accessProfileCount ownsCount tagCount visibleSegmentCount',
      dynamic: 'attributes',
      objects: {
        manager: DISPLAYED_REF,
        identityProfile: REF,
        source: REF,
        processingDetails: { text: 'stage stackTrace message', date: 'date', long: 'retryCount' },
        owns: {
          boolean: 'fallbackApprover',
          objects: {
            sources: REF,
            entitlements: REF,
            accessProfiles: REF,
            roles: REF,
            apps: REF,
            governanceGroups: REF,
          },
        },
      },
    },
    nested: {
      accounts: {
        keyword: 'id',
        text: 'name accountId',
        date: 'created passwordLastSet',
        boolean: 'disabled locked privileged manuallyCorrelated supportsPasswordChange',
        dynamic: 'entitlementAttributes accountAttributes',
        objects: { source: SOURCE_REF },
      },
      apps: {
        keyword: 'id',
        text: 'name',
        objects: { source: REF, account: { keyword: 'id', text: 'accountId' } },
      },
      access: {
        keyword: 'id type',
        text: 'name displayName description attribute value schema',
        boolean:
          'privileged standalone disabled enabled requestable requestCommentsRequired revocable cloudEligible cloudGoverned',
        objects: { source: REF, owner: DISPLAYED_REF },
      },
    },
    identifying: [
      ...NAMED,
      { path: 'email', boost: 2 },
      { path: 'firstName', boost: 2 },
      { path: 'lastName', boost: 2 },
    ],
  },
  roles: {
    type: 'role',
    root: {
      keyword: 'id',
      text: 'name description tags',
      date: 'created modified synced',
      boolean: 'enabled requestable requestCommentsRequired dimensional',
      long: 'entitlementCount segmentCount accessProfileCount dimensionSchemaAttributeCount',
      objects: {
        owner: OWNER,
        dimensionSchemaAttributes: { text: 'name displayName', boolean: 'derived' },
      },
    },
    nested: {
      accessProfiles: REF,
      entitlements: ROLE_ENTITLEMENT,
      segments: REF,
      dimensions: {
        keyword: 'id',
        text: 'name description',
        objects: { entitlements: ROLE_ENTITLEMENT, accessProfiles: REF },
      },
    },
    identifying: NAMED.slice(0, 1),
  },
};

/** All indexes in name order, the order of a plan's targets. */
export const INDEX_NAMES = Object.keys(TYPES) as readonly IndexName[];

type Leaves = Pick<Mapping, 'fields' | 'nestedPaths' | 'dynamicRoots'>;

const LEAVES = byIndex((index) => leavesOf(TYPES[index]));

function leavesOf({ root, nested }: DocumentType): Leaves {
  const fields = new Map<string, Field>();
  const dynamicRoots: string[] = [];
  const add = (shape: Shape, prefix: string, nestedPath: string | null): void => {
    for (const type of ['keyword', 'text', 'date', 'long', 'boolean'] as const) {
      for (const name of namesIn(shape[type])) {
        const path = prefix + name;
        fields.set(path, {
          path,
          type: type satisfies FieldType,
          nested: nestedPath,
          dynamic: false,
        });
      }
    }
    for (const name of namesIn(shape.dynamic)) dynamicRoots.push(prefix + name);
    for (const [name, member] of Object.entries(shape.objects ?? {})) {
      add(member, `${prefix}${name}.`, nestedPath);
    }
  };
  add(root, '', null);
  for (const [path, shape] of Object.entries(nested)) add(shape, `${path}.`, path);
  return { fields: byPath(fields), nestedPaths: Object.keys(nested), dynamicRoots };
}

function namesIn(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(' ');
}
