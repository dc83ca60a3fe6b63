// The six document types as the console shows them: names, default columns, facets and sort. The
// tabs have the same order.
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import { labelOf } from '../../src/query/rows/column-label.ts';
import { DOCUMENT_COLUMNS } from '../../src/query/rows/default-columns.ts';
import { DOCUMENT_FACETS } from '../../src/query/rows/shown-fields.ts';

export { labelOf, memberLabel } from '../../src/query/rows/column-label.ts';

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

/** Labels of facets that say more than the name of the field. */
const LABELS: Readonly<Record<string, string>> = {
  'attributes.cloudLifecycleState': 'Lifecycle state',
  'accounts.source.name': 'Account source',
  isManager: 'Is a manager',
  'accessProfiles.name': 'Access profile',
  tags: 'Tag',
  sources: 'Source',
  'approvals.result': 'Approval',
};

/** The facets of some fields. */
export function facetsOf(index: IndexName, fields: readonly string[]): readonly Facet[] {
  const mapping = staticMapping(index, { name: '', pod: '' });
  return fields.map((field) => {
    const mapped = mapping.fields.get(field);
    const nested = mapped?.nested ?? null;
    return {
      ...{ field, label: LABELS[field] ?? labelOf(field) },
      ...(nested !== null && { nested }),
      ...(mapped?.type === 'boolean' && { kind: 'boolean' as const }),
    };
  });
}

export const KINDS: readonly Kind[] = [
  {
    index: 'identities',
    type: 'identity',
    plural: 'Identities',
    singular: 'Identity',
    columns: DOCUMENT_COLUMNS.identities,
    facets: facetsOf('identities', DOCUMENT_FACETS.identities),
    sort: 'displayName',
    timeline: null,
  },
  {
    index: 'accessprofiles',
    type: 'accessprofile',
    plural: 'Access profiles',
    singular: 'Access profile',
    columns: DOCUMENT_COLUMNS.accessprofiles,
    facets: facetsOf('accessprofiles', DOCUMENT_FACETS.accessprofiles),
    sort: 'name',
    timeline: null,
  },
  {
    index: 'roles',
    type: 'role',
    plural: 'Roles',
    singular: 'Role',
    columns: DOCUMENT_COLUMNS.roles,
    facets: facetsOf('roles', DOCUMENT_FACETS.roles),
    sort: 'name',
    timeline: null,
  },
  {
    index: 'entitlements',
    type: 'entitlement',
    plural: 'Entitlements',
    singular: 'Entitlement',
    columns: DOCUMENT_COLUMNS.entitlements,
    facets: facetsOf('entitlements', DOCUMENT_FACETS.entitlements),
    sort: 'name',
    timeline: null,
  },
  {
    index: 'accountactivities',
    type: 'accountactivity',
    plural: 'Account activities',
    singular: 'Account activity',
    columns: DOCUMENT_COLUMNS.accountactivities,
    facets: facetsOf('accountactivities', DOCUMENT_FACETS.accountactivities),
    sort: '-created',
    timeline: 'created',
  },
  {
    index: 'events',
    type: 'event',
    plural: 'Events',
    singular: 'Event',
    columns: DOCUMENT_COLUMNS.events,
    facets: facetsOf('events', DOCUMENT_FACETS.events),
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
