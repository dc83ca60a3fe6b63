// What the signed-in user may probably do, so that pages which the service would refuse are not
// offered. Scopes of tokens are left out: the service decides, and a refused page says why.
import { ACCESS, type Operation } from '../../src/auth/access.ts';
import type { Person } from './claims.ts';

/** True if the levels admit the user to an operation. */
export function mayProbably(
  { identityId, levels }: Pick<Person, 'identityId' | 'levels'>,
  operation: Operation,
): boolean {
  const rule = ACCESS[operation];
  if (identityId === null) return rule.appTokens;
  if (rule.levels === 'any' || levels.includes('ORG_ADMIN')) return true;
  return rule.levels.some((level) => levels.includes(level));
}
