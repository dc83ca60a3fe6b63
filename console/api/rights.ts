// What the signed-in user may do, by the levels and scopes of the session and the access table of the
// service. It decides what the console offers; the service decides by the current rights.
import { mayDo, type Operation } from '../../src/auth/access.ts';
import type { Person } from './claims.ts';

/** True if the session grants an operation; a session that has ended grants none. */
export function mayUser(
  person: Pick<Person, 'identityId' | 'levels' | 'scopes'> | null,
  operation: Operation,
): boolean {
  if (person === null) return false;
  const { identityId, levels, scopes } = person;
  return mayDo({ identityId, capabilities: levels, scopes }, operation);
}
