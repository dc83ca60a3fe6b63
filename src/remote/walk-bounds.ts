// Ends a walk through a list of a remote tenant that would not end by itself: pages that do not go
// on after those before, or far more documents than the remote tenant counts. Copies, sweeps and
// comparisons of every part of a mirror, and computed rows, are bounded here alone.
// Invariant: a tenant that answers as documented is never stopped, however fast it grows: before
// that its documents are counted again.
import { ServiceError } from '../errors.ts';
import { RECOUNTS_MAX, UNCOUNTED_MAX, WALK_GROWTH, WALK_MARGIN } from './remote-limits.ts';
import { shownText } from './remote-text.ts';

/** The remote tenant sent what no walk can be believed after; `passed` documents of it were listed. */
export class DoubtfulWalk extends ServiceError {
  readonly passed: number;

  constructor(message: string, passed: number) {
    super('unavailable', message);
    this.passed = passed;
  }
}

export class WalkBounds {
  readonly #name: string;
  readonly #recount: () => Promise<number | null>;
  #passedMax: number;
  #recounts = 0;

  /**
   * @param name of the list, for errors
   * @param total how many documents were announced; null if that is unknown
   * @param recount asks how many there are now; null if that cannot be told
   */
  constructor(name: string, total: number | null, recount: () => Promise<number | null>) {
    this.#name = name;
    this.#passedMax = mostOf(total ?? 0);
    this.#recount = recount;
  }

  /**
   * Checks a page of a walk by ids, before anything of it is stored.
   * @param after the last id of the page before
   * @param passed documents of the walk, including this page
   * @throws DoubtfulWalk; ServiceError if the documents cannot be counted
   */
  async checkPage(after: string | null, ids: readonly string[], passed: number): Promise<void> {
    const before = Buffer.from(after ?? '');
    const wrong = ids.find((id) => Buffer.compare(Buffer.from(id), before) <= 0);
    if (wrong !== undefined) {
      this.#refuse(
        `expected ids after ${shownText(after ?? '')}, but the remote tenant listed ${shownText(wrong)}, as if it ignored the order or the place that it was asked for`,
        passed - ids.length,
      );
    }
    await this.checkCount(passed);
  }

  /** Checks how many documents a walk has passed. @throws as `checkPage` */
  async checkCount(passed: number): Promise<void> {
    while (passed > this.#passedMax) {
      const total = await this.#recount();
      this.#recounts += 1;
      const isCounted = total !== null && Number.isSafeInteger(total);
      const most = isCounted ? mostOf(total) : UNCOUNTED_MAX;
      if (passed > most || this.#recounts > RECOUNTS_MAX) {
        const counts = isCounted ? `counts ${total} documents` : 'counts no documents';
        this.#refuse(`the remote tenant ${counts}, but has listed ${passed} and goes on`, passed);
      }
      this.#passedMax = most;
    }
  }

  /**
   * Checks a walk by offsets: documents are listed again when others appeared before them, a few of
   * many; a service that ignores the offset lists the same ones for ever.
   * @param passed listed documents, also repeated ones
   * @param different the different ones
   * @param page those of the last page
   * @throws as `checkPage`
   */
  async checkOffset(passed: number, different: number, page: number): Promise<void> {
    if (passed > 2 * (different + page)) {
      this.#refuse('the remote tenant repeats records, as if it ignored the offset', passed);
    }
    await this.checkCount(passed);
  }

  #refuse(reason: string, passed: number): never {
    throw new DoubtfulWalk(
      `${this.#name}: ${reason}. The list is not complete: check the address and what answers there.`,
      passed,
    );
  }
}

/** Documents that a walk may pass if there are so many. */
function mostOf(total: number): number {
  return WALK_GROWTH * total + WALK_MARGIN;
}
