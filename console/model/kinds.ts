// The six document types as the console shows them: names, default columns, facets and sort. The
// tabs have the same order.
import type { IndexName } from '../../src/query/query.ts';
import { DOCUMENT_COLUMNS } from '../../src/query/rows/default-columns.ts';

/** A facet: a field whose values filter a search. */
export interface Facet {
  readonly field: string;
  readonly label: string;
  /** The nested array that contains the field. */
  readonly nested?: string;
  /** Values are texts by default. */
  readonly kind?: 'boolean';
}

/** A document type. */
export interface Kind {
  readonly index: IndexName;
  /** `_type` of its documents. */
  readonly type: string;
  readonly plural: string;
  readonly singular: string;
  readonly columns: readonly string[];
  readonly facets: readonly Facet[];
  readonly sort: string;
  /** The date field of the timeline; null: no timeline. */
  readonly timeline: string | null;
}

export const KINDS: readonly Kind[] = [
  {
    index: 'identities',
    type: 'identity',
    plural: 'Identities',
    singular: 'Identity',
    columns: DOCUMENT_COLUMNS.identities,
    facets: [
      { field: 'attributes.cloudLifecycleState', label: 'Lifecycle state' },
      { field: 'attributes.department', label: 'Department' },
      { field: 'attributes.country', label: 'Country' },
      { field: 'attributes.employeeType', label: 'Employee type' },
      { field: 'accounts.source.name', label: 'Account source', nested: 'accounts' },
      { field: 'access.name', label: 'Access', nested: 'access' },
      { field: 'isManager', label: 'Is a manager', kind: 'boolean' },
    ],
    sort: 'displayName',
    timeline: null,
  },
  {
    index: 'accessprofiles',
    type: 'accessprofile',
    plural: 'Access profiles',
    singular: 'Access profile',
    columns: DOCUMENT_COLUMNS.accessprofiles,
    facets: [
      { field: 'source.name', label: 'Source' },
      { field: 'owner.name', label: 'Owner' },
      { field: 'enabled', label: 'Enabled', kind: 'boolean' },
      { field: 'requestable', label: 'Requestable', kind: 'boolean' },
    ],
    sort: 'name',
    timeline: null,
  },
  {
    index: 'roles',
    type: 'role',
    plural: 'Roles',
    singular: 'Role',
    columns: DOCUMENT_COLUMNS.roles,
    facets: [
      { field: 'owner.name', label: 'Owner' },
      { field: 'enabled', label: 'Enabled', kind: 'boolean' },
      { field: 'requestable', label: 'Requestable', kind: 'boolean' },
      { field: 'accessProfiles.name', label: 'Access profile', nested: 'accessProfiles' },
    ],
    sort: 'name',
    timeline: null,
  },
  {
    index: 'entitlements',
    type: 'entitlement',
    plural: 'Entitlements',
    singular: 'Entitlement',
    columns: DOCUMENT_COLUMNS.entitlements,
    facets: [
      { field: 'source.name', label: 'Source' },
      { field: 'privileged', label: 'Privileged', kind: 'boolean' },
      { field: 'attribute', label: 'Attribute' },
      { field: 'requestable', label: 'Requestable', kind: 'boolean' },
      { field: 'tags', label: 'Tag' },
    ],
    sort: 'name',
    timeline: null,
  },
  {
    index: 'accountactivities',
    type: 'accountactivity',
    plural: 'Account activities',
    singular: 'Account activity',
    columns: DOCUMENT_COLUMNS.accountactivities,
    facets: [
      { field: 'action', label: 'Action' },
      { field: 'status', label: 'Status' },
      { field: 'stage', label: 'Stage' },
      { field: 'sources', label: 'Source' },
      { field: 'approvals.result', label: 'Approval', nested: 'approvals' },
    ],
    sort: '-created',
    timeline: 'created',
  },
  {
    index: 'events',
    type: 'event',
    plural: 'Events',
    singular: 'Event',
    columns: DOCUMENT_COLUMNS.events,
    facets: [
      { field: 'type', label: 'Type' },
      { field: 'status', label: 'Status' },
      { field: 'action', label: 'Action' },
      { field: 'actor.name', label: 'Actor' },
      { field: 'operation', label: 'Operation' },
    ],
    sort: '-created',
    timeline: 'created',
  },
];

/** The document type of an index. */
export function kindOf(index: IndexName): Kind {
  const kind = KINDS.find((candidate) => candidate.index === index);
  if (kind === undefined) throw new Error(`No kind of documents for ${index}`);
  return kind;
}

/** The index that the search begins with. @param types those with visible documents */
export function firstVisible(types: readonly IndexName[]): IndexName {
  return KINDS.find(({ index }) => types.includes(index))?.index ?? 'identities';
}

/** The document type of an index name; undefined if there is no such index. */
export function kindNamed(index: string): Kind | undefined {
  return KINDS.find((kind) => kind.index === index);
}

/** The label of a field: the last part of its path, as words. */
export function labelOf(field: string): string {
  const names = field.split('.').filter((name) => name !== 'attributes');
  const last =
    names.at(-1) === 'name'
      ? names.slice(-2, -1).concat(names.length > 1 ? [] : 'name')
      : names.slice(-1);
  const words = last
    .join(' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
