// Stops the deletions of a part before they exceed half of it: a token that lost its rights, or a
// service that moved, looks as if everything had been deleted.
import { ServiceError } from '../../errors.ts';
import type { MirrorWorld } from '../mirror-world.ts';

export class DeletionLimit {
  readonly #part: string;
  readonly #here: number;
  readonly #most: number;
  #deletions = 0;

  private constructor(part: string, here: number, most: number) {
    this.#part = part;
    this.#here = here;
    this.#most = most;
  }

  /** @param from a part with fewer documents than this may disappear */
  static async of(
    { store, tenantId, choices }: Pick<MirrorWorld, 'store' | 'tenantId' | 'choices'>,
    part: string,
    from: number,
  ): Promise<DeletionLimit> {
    const here = (await store.read.mirroredCounts(tenantId))[part] ?? 0;
    const isLimited = here >= from && !choices.allowShrinking;
    return new DeletionLimit(part, here, isLimited ? here / 2 : Number.POSITIVE_INFINITY);
  }

  /**
   * Checks how many documents the remote tenant shows; null if that is unknown.
   * @throws ServiceError `unavailable` if most of them disappeared
   */
  checkTotal(total: number | null): void {
    if (total !== null && total < this.#here - this.#most) this.#refuse(`${total}`);
  }

  /** Counts deletions before they happen. @throws ServiceError `unavailable` if they are too many */
  count(deletions: number): void {
    this.#deletions += deletions;
    if (this.#deletions > this.#most) this.#refuse('less than half');
  }

  #refuse(shown: string): never {
    throw new ServiceError(
      'unavailable',
      `${this.#part}: the remote tenant shows ${shown} of ${this.#here} documents, so no more are deleted here. If that is right, run with --allow-shrinking; otherwise check what its token may see.`,
    );
  }
}
