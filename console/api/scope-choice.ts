// The scopes that a new token may be given, with what each allows. Both come from the access table of
// the service; scopes that allow the same are offered once.
import { ACCESS, mayDo, type Operation, uncoveredScopes } from '../../src/auth/access.ts';
import type { Person } from './claims.ts';

/** A scope as a form offers it. */
export interface ScopeRow {
  readonly name: string;
  /** What it allows with the levels of the user. */
  readonly grants: readonly string[];
}

/** The scopes that allow a user something and that their session may pass on, in order of the table. */
export function scopeRows(
  person: Pick<Person, 'identityId' | 'levels' | 'scopes'> | null,
): readonly ScopeRow[] {
  if (person === null) return [];
  const { identityId, levels: capabilities, scopes: held } = person;
  const names = new Set(
    Object.values(ACCESS).flatMap(({ scopes }) => (scopes === 'any' ? [] : scopes)),
  );
  const rows = new Map<string, ScopeRow>();
  for (const name of names) {
    const operations = (Object.keys(ACCESS) as Operation[]).filter(
      (operation) =>
        ACCESS[operation].scopes !== 'any' &&
        mayDo({ identityId, capabilities, scopes: [name] }, operation),
    );
    const key = operations.join();
    if (operations.length === 0 || rows.has(key)) continue;
    if (uncoveredScopes(held, [name]).length > 0) continue;
    rows.set(key, { name, grants: operations.map((operation) => ACCESS[operation].summary) });
  }
  return [...rows.values()];
}
