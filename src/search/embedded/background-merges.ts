// Merges segments behind the searches, one merge at a time: the policy says which, a worker thread does it, and the
// result takes the place of its parts between two other changes of the list.
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import { selectMerges } from '../../engine/index/merge-policy.ts';
import type { SegmentView } from '../../engine/index/segment.ts';
import type { Mapping } from '../../query/mapping.ts';
import type { IndexName } from '../../query/plan.ts';
import type { Builder } from './builder.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import type { Exclusive } from './exclusive.ts';
import type { IndexSet } from './index-set.ts';

/** What merging needs of the backend. */
export interface MergeContext {
  readonly set: IndexSet;
  readonly changes: Exclusive;
  readonly builder: Builder;
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** A merged segment has been put in place. */
  merged(): void;
  /** A part turned out to be damaged. */
  damaged(
    error: CorruptSegmentError,
    index: EmbeddedIndex,
    parts: readonly SegmentView[],
  ): Promise<void>;
  /** Merging stopped; the next call of `start` tries again. */
  failed(error: unknown): void;
}

/** The merges of one backend. */
export class BackgroundMerges {
  readonly #context: MergeContext;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(context: MergeContext) {
    this.#context = context;
  }

  /** Merges until the policy is content; does nothing while it is at it. */
  start(): void {
    if (this.#running !== null || this.#stopped) return;
    this.#running = this.#run()
      .catch((error) => {
        if (!this.#stopped) this.#context.failed(error);
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Begins no other merge, and settles when the one at work is over; the builder's owner ends it early. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next !== null && !this.#stopped; next = this.#next()) {
      await this.#merge(next.index, next.parts);
    }
  }

  #next(): { index: EmbeddedIndex; parts: readonly SegmentView[] } | null {
    for (const index of this.#context.set.all()) {
      const [parts] = selectMerges(index.views);
      if (parts !== undefined && parts.length > 0) return { index, parts };
    }
    return null;
  }

  async #merge(index: EmbeddedIndex, parts: readonly SegmentView[]): Promise<void> {
    const { set, changes, builder, mapping, merged, damaged } = this.#context;
    const fields = await mapping(index.tenantId, index.index);
    // Something may have changed while the mapping was read.
    if (!index.hasAll(parts)) return;
    const { generation } = index;
    const name = `s${set.newNumber()}`;
    try {
      const job = { kind: 'merge', name, mapping: fields, ...index.mergeJob(parts) } as const;
      const built = await builder.run(job);
      await changes.run(async () => {
        if (index.generation !== generation) return;
        index.installMerged(name, built, parts);
        merged();
      });
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      await damaged(error, index, parts);
    }
  }
}
