// The columns of each document type if a request names none. The console shows the same ones.
import type { Mapping } from '../mapping/mapping.ts';
import type { IndexName } from '../query.ts';

export const DOCUMENT_COLUMNS: Readonly<Record<IndexName, readonly string[]>> = {
  identities: [
    'displayName',
    'attributes.jobTitle',
    'attributes.department',
    'attributes.city',
    'accessCount',
    'status',
  ],
  accessprofiles: ['name', 'source.name', 'owner.name', 'entitlementCount', 'enabled', 'modified'],
  roles: ['name', 'owner.name', 'accessProfileCount', 'entitlementCount', 'enabled', 'modified'],
  entitlements: ['displayName', 'source.name', 'attribute', 'value', 'privileged', 'modified'],
  accountactivities: ['created', 'action', 'recipient.name', 'requester.name', 'sources', 'status'],
  events: ['created', 'name', 'actor.name', 'target.name', 'type', 'status'],
};

/** The columns of rows of several document types. */
const ANY_DOCUMENT = ['_type', 'id', 'name', 'created'];

/** Members of an element, relative to its path, from the most telling one on. */
const ELEMENT_MEMBERS = [
  'source.name',
  'name',
  'accountId',
  'type',
  'op',
  'result',
  'disabled',
  'privileged',
  'attribute',
  'value',
  'owner.name',
];
const ELEMENT_MEMBERS_MAX = 5;

/**
 * The columns of rows without `columns`.
 * @param path the nested array whose elements are the rows; null for documents
 */
export function defaultColumns(
  mappings: readonly Mapping[],
  path: string | null,
): readonly string[] {
  const [only] = mappings;
  const documents =
    mappings.length === 1 && only !== undefined
      ? DOCUMENT_COLUMNS[only.index].filter((name) => isKnown(only, name))
      : ANY_DOCUMENT;
  if (path === null) return documents;
  const identifying = only?.index === 'identities' ? 'displayName' : 'name';
  const members = ELEMENT_MEMBERS.map((name) => `${path}.${name}`).filter((name) =>
    mappings.some((mapping) => isKnown(mapping, name)),
  );
  const owner = mappings.some((mapping) => isKnown(mapping, identifying)) ? identifying : 'id';
  return [owner, ...members.slice(0, ELEMENT_MEMBERS_MAX).map((name) => `@${name}`)];
}

function isKnown({ fields }: Mapping, name: string): boolean {
  return fields.has(name);
}
