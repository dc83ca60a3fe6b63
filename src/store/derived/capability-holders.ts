// The table of who has which capability, computed from the list of each auth user.
import { writeHolders } from '../records/auth-user-records.ts';
import { CHECKED_TABLES, differsFromWritten } from '../sql/row-checksum.ts';
import type { Executor, Tree } from '../sql/statement.ts';
import { anyTable, isAfter, type Row } from '../sql/table-pages.ts';

/** A user whose rows are not those of its list. */
interface WrongHolder {
  readonly tenantId: string;
  readonly id: string;
  readonly capabilities: readonly string[];
  /** Rows that are missing or too many. */
  readonly rows: number;
}

const USERS = 200;
const KEYS = ['tenant_id', 'id'];

/** The number of rows that are missing or too many. */
export async function countWrongHolders(
  executor: Executor,
  pause: () => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const { rows } of wrongHolders(executor, pause)) count += rows;
  return count;
}

/** Writes the rows of users for whom some are missing or too many. */
export async function mendHolders(executor: Executor): Promise<void> {
  for await (const { tenantId, id, capabilities } of wrongHolders(executor, executor.pause)) {
    await writeHolders(executor, tenantId, id, capabilities);
  }
}

/** Users whose own row is damaged are left out: their list may be false. */
async function* wrongHolders(
  executor: Executor,
  pause: () => Promise<void>,
): AsyncGenerator<WrongHolder> {
  for (let last: Row | null = null; ; ) {
    const users = new Map<string, { readonly user: Row; readonly held: Set<string> }>();
    for (const row of await executor.query(usersWithHolders(last))) {
      const { held, ...user } = row;
      const name = `${user['tenant_id']} ${user['id']}`;
      const entry = users.get(name) ?? { user, held: new Set() };
      users.set(name, entry);
      if (held !== null) entry.held.add(String(held));
    }
    for (const { user, held } of users.values()) {
      last = user;
      if (differsFromWritten(user)) continue;
      const capabilities = JSON.parse(String(user['capabilities'])) as readonly string[];
      const listed = new Set(capabilities);
      const missing = [...listed].filter((name) => !held.has(name)).length;
      const rows = missing + held.size - (listed.size - missing);
      const [tenantId, id] = [String(user['tenant_id']), String(user['id'])];
      if (rows > 0) yield { tenantId, id, capabilities, rows };
    }
    if (users.size < USERS) return;
    await pause();
  }
}

/** A page of users, each with its rows of the table: in one statement, as others may write meanwhile. */
function usersWithHolders(last: Row | null): Tree<Row> {
  const columns = [...CHECKED_TABLES.auth_user.columns];
  let page = anyTable
    .selectFrom('auth_user')
    .select([...columns, 'checksum'])
    .limit(USERS);
  for (const key of KEYS) page = page.orderBy(key);
  if (last !== null) page = page.where((row) => isAfter(row, KEYS, last));
  return anyTable
    .selectFrom(page.as('auth_user'))
    .leftJoin('capability_holder', (join) =>
      join
        .onRef('capability_holder.tenant_id', '=', 'auth_user.tenant_id')
        .onRef('capability_holder.auth_user_id', '=', 'auth_user.id'),
    )
    .select(columns.map((name) => `auth_user.${name}` as const))
    .select(['auth_user.checksum as written', 'capability_holder.capability as held'])
    .orderBy('auth_user.tenant_id')
    .orderBy('auth_user.id') as unknown as Tree<Row>;
}
