// Describes a run that has ended: the members of the completion event (contract/search.md
// section 8), which e-mails, webhooks and the audit trail share.

import { indexOfType } from '../../query/mapping/document-types.ts';
import type {
  SavedSearch,
  SearchRun,
  TypeResult,
} from '../../service/ports/saved-search-records.ts';
import type { AuthUser } from '../../service/ports/store.ts';

/** The result of one document type. */
export interface CompletedType {
  readonly count: number;
  /** Name of the documents, such as `identities`. */
  readonly noun: string;
  /** Header and first rows; only where the query details are displayed. */
  readonly preview?: readonly (readonly string[])[];
}

export interface Completion {
  readonly fileName: string;
  /** Empty if the owner has none. */
  readonly ownerEmail: string;
  readonly ownerName: string;
  readonly query: string;
  readonly searchName: string;
  /** By type, spelt as `Identity`. */
  readonly searchResults: Readonly<Record<string, CompletedType>>;
}

const TITLES: Readonly<Record<string, string>> = {
  accessprofile: 'AccessProfile',
  accountactivity: 'AccountActivity',
  entitlement: 'Entitlement',
  event: 'Event',
  identity: 'Identity',
  role: 'Role',
};
const MAX_FILE_NAME = 60;

export function completionOf({
  run,
  search,
  owner,
}: {
  readonly run: SearchRun;
  readonly search: SavedSearch;
  readonly owner: AuthUser | null;
}): Completion {
  const results = run.results.map((result) => [
    TITLES[result.type] ?? result.type,
    completedType(result, run.displayQueryDetails),
  ]);
  return {
    fileName: fileNameOf(search),
    ownerEmail: owner?.email ?? '',
    ownerName: owner?.displayName ?? run.ownerId,
    query: search.query,
    searchName: nameOf(search),
    searchResults: Object.fromEntries(results),
  };
}

function completedType({ type, count, preview }: TypeResult, withPreview: boolean): CompletedType {
  return { count, noun: nounOf(type), ...(withPreview ? { preview } : {}) };
}

/** The name of an index, which is the plural of its type. */
export function nounOf(type: string): string {
  const index = indexOfType(type) ?? type;
  return index.replace('accessprofiles', 'access profiles').replace('accountact', 'account act');
}

export function nameOf({ name, id }: Pick<SavedSearch, 'name' | 'id'>): string {
  return name === '' ? id : name;
}

/** A name for the CSV, of letters and digits. */
export function fileNameOf(search: Pick<SavedSearch, 'name' | 'id'>): string {
  const words = nameOf(search)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_FILE_NAME);
  return `${words === '' ? search.id : words}.csv`;
}

/** The path at which the CSV of a run is. */
export function resultsPath({ savedSearchId, id }: SearchRun, type?: string): string {
  const path = `/v2024/saved-searches/${savedSearchId}/runs/${id}/results.csv`;
  return type === undefined ? path : `${path}?type=${type}`;
}
