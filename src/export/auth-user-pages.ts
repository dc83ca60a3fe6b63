// The auth users to export, in pages by id.
import { representation } from '../service/accounts/auth-users.ts';
import type { AuthUser, Records } from '../service/ports/store.ts';
import { pagesById } from './pages-by-id.ts';

const PAGE_SIZE = 500;

/**
 * Pages of auth users, in the form of the public API.
 * @param only ids of the auth users to export; null for all
 */
export async function* authUserPages(
  records: Pick<Records, 'authUserPage'>,
  tenantId: string,
  only: ReadonlySet<string> | null,
): AsyncGenerator<readonly AuthUser[]> {
  const read = (afterId: string) => records.authUserPage(tenantId, afterId, PAGE_SIZE);
  for await (const users of pagesById(read)) {
    yield users.filter(({ id }) => only === null || only.has(id)).map(representation);
  }
}
