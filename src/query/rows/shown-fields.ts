// Which fields are shown without a choice: columns and facets of a document type, as far as documents fill
// them. In the places of those that hardly any document has come fields of the tenant's own.
// Invariant: as long as documents fill the default fields, these are shown.
import type { Kind } from '../mapping/mapping.ts';
import type { IndexName } from '../query.ts';
import { DOCUMENT_COLUMNS } from './default-columns.ts';

/** The facets of each document type. */
export const DOCUMENT_FACETS: Readonly<Record<IndexName, readonly string[]>> = {
  identities: [
    'attributes.cloudLifecycleState',
    'attributes.department',
    'attributes.country',
    'attributes.employeeType',
    'accounts.source.name',
    'access.name',
    'isManager',
  ],
  accessprofiles: ['source.name', 'owner.name', 'enabled', 'requestable'],
  roles: ['owner.name', 'enabled', 'requestable', 'accessProfiles.name'],
  entitlements: ['source.name', 'privileged', 'attribute', 'requestable', 'tags'],
  accountactivities: ['action', 'status', 'stage', 'sources', 'approvals.result'],
  events: ['type', 'status', 'action', 'actor.name', 'operation'],
};

/** Columns after the tenant's own fields. */
const MORE_COLUMNS = ['email', 'employeeNumber', 'manager.name', 'source.name', 'description'];
/** The first column, where nothing has what is shown by default. */
const NAME = 'name';

/** The fields to count documents of, whatever the tenant has. */
export function countedFields(index: IndexName): readonly string[] {
  return [
    ...new Set([...DOCUMENT_COLUMNS[index], ...DOCUMENT_FACETS[index], ...MORE_COLUMNS, NAME]),
  ];
}

/** What is shown of an index. */
export interface ShownFields {
  readonly columns: readonly string[];
  readonly facets: readonly string[];
}

/** What documents have. */
export interface Filling {
  /** The number of documents. */
  readonly total: number;
  /** How many of them have each field. */
  readonly documents: ReadonlyMap<string, number>;
}

/** A field of the tenant's own. */
export interface OwnField {
  readonly path: string;
  readonly kind: Kind;
  /** Documents that have it. */
  readonly documents: number;
  /** Its different values, about. */
  readonly values: number;
}

/** The share of documents from which on a field is worth showing. */
const SHARE_MIN = 0.05;
/** The most different values that a facet is made of. */
const FACET_VALUES_MAX = 50;

/** Whether enough documents have a field. */
export function isFilled({ total, documents }: Filling, path: string): boolean {
  const count = documents.get(path) ?? 0;
  return count > 0 && count >= total * SHARE_MIN;
}

/** True if each default field is filled, or there is no document: then own fields do not matter. */
export function needsNoOthers(index: IndexName, filling: Filling): boolean {
  const defaults = [...DOCUMENT_COLUMNS[index], ...DOCUMENT_FACETS[index]];
  return filling.total === 0 || defaults.every((path) => isFilled(filling, path));
}

/** @param own filled fields of the tenant's own */
export function shownFields(
  index: IndexName,
  filling: Filling,
  own: readonly OwnField[],
): ShownFields {
  const [columns, facets] = [DOCUMENT_COLUMNS[index], DOCUMENT_FACETS[index]];
  if (needsNoOthers(index, filling)) return { columns, facets };
  const differing = own.filter(({ values }) => values > 1 || filling.total === 1);
  // Departments say more than numbers of badges, which nobody shares.
  const isGroup = ({ values, documents }: OwnField) => Number(values <= documents / 2);
  const ranked = differing.toSorted(
    (a, b) => isGroup(b) - isGroup(a) || b.documents - a.documents || (a.path < b.path ? -1 : 1),
  );
  const more = MORE_COLUMNS.filter((path) => isFilled(filling, path));
  const values = ranked.filter(
    (field) =>
      field.values <= FACET_VALUES_MAX &&
      isGroup(field) === 1 &&
      (field.kind === 'text' || field.kind === 'boolean'),
  );
  return {
    columns: replaced(
      columns,
      filling,
      [...ranked.map(({ path }) => path), ...more],
      isFilled(filling, NAME) ? NAME : null,
    ),
    facets: replaced(
      facets,
      filling,
      values.map(({ path }) => path),
    ),
  };
}

/**
 * The defaults, each that is not filled replaced by the next other field; all if nothing is filled.
 * @param first replaces the first one; null: as the others
 */
function replaced(
  defaults: readonly string[],
  filling: Filling,
  others: readonly string[],
  first: string | null = null,
): readonly string[] {
  const left = others.filter((path) => !defaults.includes(path));
  const shown = defaults.flatMap((path, at) => {
    if (isFilled(filling, path)) return [path];
    return at === 0 && first !== null ? [first] : left.splice(0, 1);
  });
  return shown.length === 0 ? defaults : shown;
}
