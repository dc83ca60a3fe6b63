// Runs a search of profiles by conditions, for advanced searches and for lists that are filtered by
// attributes.
import { cancelled, Deadline } from '../../../scheduling/deadline.ts';
import type { TurnQueue } from '../../../scheduling/turn-queue.ts';
import type { Profile } from '../../ports/profile-records.ts';
import type { BetweenStatements, ProfileSearch } from '../../ports/profile-search.ts';
import type { Records } from '../../ports/store.ts';

/** Milliseconds that a search takes at most, unless a setting says otherwise. */
export const SEARCH_TIMEOUT_MS = 30_000;

/** Yields between two steps of a search, and ends it at the deadline or when its caller is gone. */
export function searchPauses(
  turns: TurnQueue,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): BetweenStatements {
  const deadline = new Deadline(timeoutMs);
  return async () => {
    await turns.next();
    if (signal?.aborted) throw cancelled();
    if (deadline.leftMs <= 0) throw deadline.exceeded();
  };
}

/**
 * The profiles of one page of a search, in its order, without those that were deleted in the
 * meantime; the total if it was requested.
 * @throws what `between` throws
 */
export async function searchProfiles(
  records: Records,
  tenantId: string,
  search: ProfileSearch,
  between: BetweenStatements,
): Promise<{ readonly profiles: readonly Profile[]; readonly total: number | null }> {
  const { ids, total } = await records.matchingProfiles(tenantId, search, between);
  const byId = new Map<string, Profile>();
  for (const one of await records.profilesByKey(tenantId, ids)) byId.set(one.id, one);
  return { profiles: ids.flatMap((id) => byId.get(id) ?? []), total };
}
