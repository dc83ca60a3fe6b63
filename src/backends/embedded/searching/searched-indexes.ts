// Where a search finds its segments: in the thread that changes the indexes, or in another one.
import type { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import type { Plan, Target } from '../../../query/plan.ts';
import type { Mappings } from '../../../service/ports/search-backend.ts';
import type { Snapshot } from '../indexes/embedded-index.ts';
import type { OpenTarget } from './open-target.ts';

/** A target of a plan on a snapshot, which must be released. */
export interface SearchedTarget extends OpenTarget {
  readonly snapshot: Snapshot & {
    /** A number that no other views of any index have. */
    readonly state: number;
  };
}

/** One index, to be searched. */
export interface SearchedIndex {
  /** Why it cannot answer; null: it can. */
  readonly rebuildReason: string | null;
  /** A snapshot of its segments; null: it has none. */
  open(): SearchedTarget['snapshot'] | null;
}

export interface SearchedIndexes {
  /** @throws ServiceError `unavailable` if the indexes are closed */
  get(tenantId: string, target: Target): SearchedIndex;
  /** Called when a segment of the targets is damaged. Resolves when it is not searched any more. */
  onDamaged(
    error: CorruptSegmentError,
    tenantId: string,
    targets: readonly SearchedTarget[],
  ): Promise<void>;
}

/**
 * The targets of a plan that have an index, with snapshots that must be released.
 * @throws ServiceError `unavailable` if one of them cannot answer now
 */
export function searchedTargets(
  indexes: SearchedIndexes,
  tenantId: string,
  plan: Plan,
  mappings: Mappings,
): SearchedTarget[] {
  const opened: SearchedTarget[] = [];
  try {
    for (const target of plan.targets) {
      const index = indexes.get(tenantId, target);
      if (index.rebuildReason !== null) throw rebuilding(index.rebuildReason);
      const snapshot = index.open();
      if (snapshot !== null) opened.push({ ...target, mapping: mappings[target.index], snapshot });
    }
    return opened;
  } catch (error) {
    releaseAll(opened);
    throw error;
  }
}

/** Releases the snapshots of targets. */
export function releaseAll(targets: readonly SearchedTarget[]): void {
  for (const { snapshot } of targets) snapshot.release();
}

/** The error of an index that must be fed again before it answers. */
export function rebuilding(reason: string): ServiceError {
  return new ServiceError('unavailable', 'The search index is being rebuilt', {
    causes: [reason],
    retryAfterSeconds: 5,
  });
}

/** The error of indexes that are closed. */
export function closed(): ServiceError {
  return new ServiceError('unavailable', 'The search index is closed');
}
