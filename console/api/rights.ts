// What the signed-in user may do, by the levels, scopes and views of the session and the access table
// of the service. It decides what the console offers; the service decides by the current rights.
import { mayDo, type Operation } from '../../src/auth/access.ts';
import type { Person } from './claims.ts';

/** True if the session grants an operation; a session that has ended grants none. */
export function mayUser(
  person: Pick<Person, 'identityId' | 'levels' | 'scopes' | 'views'> | null,
  operation: Operation,
): boolean {
  if (person === null) return false;
  const { identityId, levels, scopes } = person;
  const views = isRestricted(person) ? (person.views ?? []).map((name) => ({ name })) : null;
  return mayDo({ identityId, capabilities: levels, scopes, views }, operation);
}

/** True if views restrict what the session sees. */
export function isRestricted({ views }: Pick<Person, 'views'>): boolean {
  return views !== null && views.length > 0;
}
