// Stops the deletions of a part before they exceed half of it: a token that lost its rights, or a
// service that moved, looks as if everything had been deleted.
// Invariant: a search for deletions that was interrupted or refused leaves the next one what is left
// of that half, and not half of the rest.
import { ServiceError } from '../../../errors.ts';
import type { MirrorWorld } from './mirror-world.ts';
import type { PartProgress } from './part-progress.ts';

export class DeletionLimit {
  readonly #progress: PartProgress;
  readonly #here: number;
  readonly #most: number;

  private constructor(progress: PartProgress, here: number, most: number) {
    this.#progress = progress;
    this.#here = here;
    this.#most = most;
  }

  /**
   * Begins a search for deletions, or continues one. The caller ends it by setting `shrinking` to
   * null.
   * @param from a part with fewer documents than this may disappear
   */
  static async of(
    { store, tenantId, choices }: Pick<MirrorWorld, 'store' | 'tenantId' | 'choices'>,
    progress: PartProgress,
    from: number,
  ): Promise<DeletionLimit> {
    const { name, shrinking } = progress.part;
    const counts = await store.read.mirroredCounts(tenantId);
    const here = Math.max(shrinking?.here ?? 0, counts[name] ?? 0);
    await progress.set({ shrinking: { here, deleted: shrinking?.deleted ?? 0 } });
    const isLimited = here >= from && !choices.allowShrinking;
    return new DeletionLimit(progress, here, isLimited ? here / 2 : Number.POSITIVE_INFINITY);
  }

  /**
   * Checks how many documents the remote tenant shows; null if that is unknown.
   * @throws ServiceError `unavailable` if most of them disappeared
   */
  checkTotal(total: number | null): void {
    if (total !== null && total < this.#here - this.#most) this.#refuse(`${total}`);
  }

  /**
   * Checks deletions before they happen; the progress counts them.
   * @throws ServiceError `unavailable` if they are too many
   */
  checkDeletions(deletions: number): void {
    const { shrinking } = this.#progress.part;
    if ((shrinking?.deleted ?? 0) + deletions > this.#most) this.#refuse('less than half');
  }

  #refuse(shown: string): never {
    const { name } = this.#progress.part;
    throw new ServiceError(
      'unavailable',
      `${name}: the remote tenant shows ${shown} of ${this.#here} documents, so no more are deleted here. If that is right, run with --allow-shrinking; otherwise check what its token may see.`,
    );
  }
}
