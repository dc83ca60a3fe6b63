// Where a thing that a document names can be looked at: its own page where the service has its document, else a
// search for what has to do with it.
import type { IndexName } from '../../src/query/query.ts';
import { writtenValue } from '../search/completion.ts';
import { firstText } from '../search/document-value.ts';
import { printSearch, wholeOf } from '../search/search-state.ts';

/** By the member it stands in. */
const BY_MEMBER: Readonly<Record<string, IndexName>> = {
  manager: 'identities',
  owner: 'identities',
  requester: 'identities',
  recipient: 'identities',
  entitlements: 'entitlements',
  accessProfiles: 'accessprofiles',
  roles: 'roles',
};
/** By the type it says it is of. */
const BY_TYPE: Readonly<Record<string, IndexName>> = {
  IDENTITY: 'identities',
  ROLE: 'roles',
  ACCESS_PROFILE: 'accessprofiles',
  ENTITLEMENT: 'entitlements',
};

/**
 * The address of what is referred to; null where there is none.
 * @param member the name of the member that refers to it
 * @param thing an object with an id, and perhaps a type
 */
export function referenceAddress(member: string, thing: unknown): string | null {
  const id = firstText(thing, 'id');
  if (id === '') return null;
  const index = BY_TYPE[firstText(thing, 'type').toUpperCase()] ?? BY_MEMBER[member];
  if (index !== undefined) return documentAddress(index, id);
  if (member === 'source' || member === 'sources') return sourceAddress(id);
  return null;
}

/** The page of a document. */
export function documentAddress(index: IndexName, id: string): string {
  return `#/document/${index}/${encodeURIComponent(id)}`;
}

/** A search. */
export function searchAddress(index: IndexName, query: string): string {
  return `#${printSearch({ ...wholeOf(index), query })}`;
}

/** Sources have no documents of their own: who has an account there is what can be seen of one. */
function sourceAddress(id: string): string {
  return searchAddress('identities', `@accounts(source.id:${writtenValue(id)})`);
}
