// Merges segments behind the searches, one merge at a time: the policy says which, a worker thread does it, and the
// result takes the place of its parts between two other changes of the list. When nothing has changed for some seconds
// it goes further than while documents come: each segment costs every search, and only a rest is a good time to pay.
// Invariant: files of a merge that did not come to its end are removed.
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import {
  type MergePolicyOptions,
  selectIdleMerge,
  selectMerges,
} from '../../../engine/index/merge-policy.ts';
import type { SegmentView } from '../../../engine/index/segment.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexName } from '../../../query/query.ts';
import type { EmbeddedIndex } from '../embedded-index.ts';
import type { Exclusive } from '../exclusive.ts';
import { type FsDirectory, indexFile, sourcesFile } from '../files/fs-directory.ts';
import { newSegment } from '../files/stored-segment.ts';
import type { IndexSet } from '../index-set.ts';
import type { Builder } from './builder.ts';

/** What merging needs of the backend. */
export interface MergeContext {
  readonly set: IndexSet;
  readonly changes: Exclusive;
  readonly builder: Builder;
  readonly directory: FsDirectory;
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
  /** While documents come. */
  readonly policy: MergePolicyOptions;
  /** How long nothing must have changed before few segments are made of several. */
  readonly restMs: number;
}

interface Work {
  readonly index: EmbeddedIndex;
  readonly parts: readonly SegmentView[];
}

/** The merges of one backend. */
export class BackgroundMerges {
  readonly #context: MergeContext;
  #running: Promise<void> | null = null;
  #rest: NodeJS.Timeout | null = null;
  /** Nothing has changed for a while. */
  #resting = false;
  #stopped = false;
  #underWay = false;

  constructor(context: MergeContext) {
    this.#context = context;
  }

  /** Whether segments are being merged at this moment. */
  get underWay(): boolean {
    return this.#underWay;
  }

  /** Something has changed: merges until the policy is content, and again when it has been quiet for a while. */
  start(): void {
    if (this.#stopped) return;
    this.#resting = false;
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#resting = true;
      this.#begin();
    }, this.#context.restMs).unref();
    this.#begin();
  }

  #begin(): void {
    if (this.#running !== null || this.#stopped) return;
    this.#running = this.#run()
      .catch((error) => {
        if (!this.#stopped) this.#context.failed(error);
      })
      .finally(() => {
        this.#running = null;
        this.#underWay = false;
      });
  }

  /** Begins no other merge, and settles when the one at work is over; the builder's owner ends it early. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#rest !== null) clearTimeout(this.#rest);
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next !== null && !this.#stopped; next = this.#next()) {
      this.#underWay = true;
      await this.#merge(next.index, next.parts);
    }
  }

  #next(): Work | null {
    const indexes = [...this.#context.set.all()];
    for (const index of indexes) {
      const [parts] = selectMerges(index.views, this.#context.policy);
      if (parts !== undefined && parts.length > 0) return { index, parts };
    }
    if (!this.#resting) return null;
    for (const index of indexes) {
      const parts = selectIdleMerge(index.views);
      if (parts !== null) return { index, parts };
    }
    return null;
  }

  /** What cannot be removed now is removed after the next commit. */
  async #remove(name: string): Promise<void> {
    const { directory } = this.#context;
    for (const file of [indexFile(name), sourcesFile(name)]) {
      await directory.remove(file).catch(() => {});
    }
  }

  async #merge(index: EmbeddedIndex, parts: readonly SegmentView[]): Promise<void> {
    const { set, changes, builder, directory, mapping, merged, damaged } = this.#context;
    const fields = await mapping(index.tenantId, index.index);
    // Something may have changed while the mapping was read.
    if (!index.hasAll(parts)) return;
    const { generation } = index;
    const name = `s${set.newNumber()}`;
    const paths = directory.pathsOf(name);
    set.beingWritten.add(name);
    // Their files must stay until the merge has read them, even where all their rows are deleted meanwhile.
    const held = parts.map((part) => index.storedOf(part).sources);
    for (const sources of held) sources.retain();
    let installed = false;
    const job = { kind: 'merge', name, mapping: fields, paths, ...index.mergeJob(parts) } as const;
    try {
      const written = await builder.run(job);
      await changes.run(async () => {
        if (index.generation !== generation) return;
        const opened = newSegment(directory, name, written, set.caches);
        set.onDisk.add(opened.stored);
        index.installMerged(opened, parts);
        installed = true;
        merged();
      });
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      await damaged(error, index, parts);
    } finally {
      for (const sources of held) sources.release();
      set.beingWritten.delete(name);
      if (!installed) await this.#remove(name);
    }
  }
}
