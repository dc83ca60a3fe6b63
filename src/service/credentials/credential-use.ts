// The last use of a credential, which lists show and filter by: recorded at most once a day, since
// programs use one all the time.
import type { TenantCredential, WritableRecords } from '../ports/store.ts';

const DAY_MS = 86_400_000;

type Used = Pick<TenantCredential, 'id' | 'tenantId' | 'lastUsed'>;

/** @param now epoch milliseconds */
export function isFirstUseToday({ lastUsed }: Pick<Used, 'lastUsed'>, now: number): boolean {
  return lastUsed === null || now - Date.parse(lastUsed) >= DAY_MS;
}

/** Records a use in the caller's transaction. @param now epoch milliseconds */
export async function noteUse(
  records: WritableRecords,
  credential: Used,
  now: number,
): Promise<void> {
  if (!isFirstUseToday(credential, now)) return;
  const { tenantId, id } = credential;
  await records.noteCredentialUse(tenantId, id, new Date(now).toISOString());
}
