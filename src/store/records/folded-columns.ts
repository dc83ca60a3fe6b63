// The columns that lists compare text without case by: `fold` of analysis/fold.ts, which neither
// database has (SQLite folds A to Z alone, PostgreSQL by its locale).
// Invariant: whatever writes a row of these tables writes them with it.
import { fold } from '../../query/analysis/fold.ts';
import type { AuthUser } from '../../service/ports/store.ts';
import type { AuthUserTable } from '../sql/schema.ts';

/** The folded text of auth users, by column: the member that it has. */
export const AUTH_USER_FOLDED = {
  id_folded: 'id',
  uid_folded: 'uid',
  alias_folded: 'alias',
  display_name_folded: 'displayName',
  firstname_folded: 'firstname',
  lastname_folded: 'lastname',
  email_folded: 'email',
  identification_number_folded: 'identificationNumber',
} as const satisfies Partial<Record<keyof AuthUserTable, keyof AuthUser>>;

export type AuthUserFoldedColumn = keyof typeof AUTH_USER_FOLDED;

/** The folded columns of an auth user; null where it has no such text. */
export function foldedUser(
  user: Readonly<Partial<Record<keyof AuthUser, unknown>>>,
): Record<AuthUserFoldedColumn, string | null> {
  const folded = Object.entries(AUTH_USER_FOLDED).map(([column, member]) => {
    const value = user[member];
    return [column, typeof value === 'string' ? fold(value) : null];
  });
  return Object.fromEntries(folded);
}
