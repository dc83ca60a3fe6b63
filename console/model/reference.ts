// Addresses for the references in documents: the page of the document if the service has one, else
// a search for related documents.
import type { IndexName } from '../../src/query/query.ts';
import { printValue } from './completion.ts';
import { firstText } from './document-value.ts';
import { defaultSearch, printSearch } from './search-state.ts';

/** The index that a member refers to. */
const BY_MEMBER: Readonly<Record<string, IndexName>> = {
  manager: 'identities',
  owner: 'identities',
  requester: 'identities',
  recipient: 'identities',
  entitlements: 'entitlements',
  accessProfiles: 'accessprofiles',
  roles: 'roles',
};
/** The index of a `type` value. */
const BY_TYPE: Readonly<Record<string, IndexName>> = {
  IDENTITY: 'identities',
  ROLE: 'roles',
  ACCESS_PROFILE: 'accessprofiles',
  ENTITLEMENT: 'entitlements',
};

/**
 * The address of a referenced object; null if it has none.
 * @param member the member that has the reference
 * @param thing an object with an id and an optional type; an actor or target of an event may have
 *   a name alone
 */
export function referenceAddress(member: string, thing: unknown): string | null {
  const id = firstText(thing, 'id');
  if (id === '') return eventsAddress(member, firstText(thing, 'name'));
  const index = BY_TYPE[firstText(thing, 'type').toUpperCase()] ?? BY_MEMBER[member];
  if (index !== undefined) return documentAddress(index, id);
  if (member === 'source' || member === 'sources') return sourceAddress(id);
  return null;
}

/** The address of a document's page. */
export function documentAddress(index: IndexName, id: string): string {
  return `#/document/${index}/${encodeURIComponent(id)}`;
}

/** The address of a search. */
export function searchAddress(index: IndexName, query: string): string {
  return `#${printSearch({ ...defaultSearch(index), query })}`;
}

/** Events name their actor and target without an id, so these link to their other events. */
function eventsAddress(member: string, name: string): string | null {
  if (name === '' || (member !== 'actor' && member !== 'target')) return null;
  return searchAddress('events', `${member}.name.exact:${printValue(name)}`);
}

/** Sources have no documents, so they link to the identities with an account there. */
function sourceAddress(id: string): string {
  return searchAddress('identities', `@accounts(source.id:${printValue(id)})`);
}
