// Merges segments in the background, one merge at a time: the merge policy selects segments, a
// worker thread merges them, and the result replaces them between two other changes of the segment
// list. After some seconds without changes the policy merges further, as every segment costs every
// search and an idle time is a good time to pay.
// Invariant: the files of a merge that does not complete are removed.

import {
  type MergePolicyOptions,
  selectIdleMerge,
  selectMerges,
} from '../../../engine/index/merge-policy.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import type { SegmentView } from '../../../engine/sections/segment.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { IndexName } from '../../../query/query.ts';
import type { Builder } from '../building/builder.ts';
import type { FsDirectory } from '../files/fs-directory.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import type { Exclusive } from './exclusive.ts';
import type { IndexSet } from './index-set.ts';
import { newSegment } from './stored-segment.ts';

/** What merging needs from the backend. */
export interface MergeContext {
  readonly set: IndexSet;
  readonly changes: Exclusive;
  readonly builder: Builder;
  readonly directory: FsDirectory;
  mapping(tenantId: string, index: IndexName): Mapping | Promise<Mapping>;
  /** Called when a merged segment has been installed. */
  onMerged(): void;
  /** Called when a segment is damaged. */
  onDamaged(
    error: CorruptSegmentError,
    index: EmbeddedIndex,
    parts: readonly SegmentView[],
  ): Promise<void>;
  /** Called when merging stopped by an error; the next call of `start` tries again. */
  onFailed(error: unknown): void;
  /** The policy while documents are fed. */
  readonly policy: MergePolicyOptions;
  /** Time without changes after which merges go further. */
  readonly restMs: number;
}

interface MergeTask {
  readonly index: EmbeddedIndex;
  readonly parts: readonly SegmentView[];
}

/** The merges of one backend. */
export class BackgroundMerges {
  readonly #context: MergeContext;
  #running: Promise<void> | null = null;
  #rest: NodeJS.Timeout | null = null;
  /** True after some time without changes. */
  #resting = false;
  #stopped = false;
  #merging = false;

  constructor(context: MergeContext) {
    this.#context = context;
  }

  /** True while segments are being merged. */
  get merging(): boolean {
    return this.#merging;
  }

  /** Reports a change: merges until the policy selects nothing, and again after a rest. */
  start(): void {
    if (this.#stopped) return;
    this.#resting = false;
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#resting = true;
      this.#startMerging();
    }, this.#context.restMs).unref();
    this.#startMerging();
  }

  #startMerging(): void {
    if (this.#running !== null || this.#stopped) return;
    this.#running = this.#mergeAll()
      .catch((error) => {
        if (!this.#stopped) this.#context.onFailed(error);
      })
      .finally(() => {
        this.#running = null;
        this.#merging = false;
      });
  }

  /** Starts no further merge and waits for the running one; the builder's owner ends it early. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#rest !== null) clearTimeout(this.#rest);
    await this.#running;
  }

  async #mergeAll(): Promise<void> {
    for (let task = this.#nextTask(); task !== null && !this.#stopped; task = this.#nextTask()) {
      this.#merging = true;
      await this.#merge(task.index, task.parts);
    }
  }

  #nextTask(): MergeTask | null {
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

  async #merge(index: EmbeddedIndex, parts: readonly SegmentView[]): Promise<void> {
    const { set, changes, builder, directory, mapping, onMerged, onDamaged } = this.#context;
    const fields = await mapping(index.tenantId, index.index);
    // The list may have changed while the mapping was read.
    if (!index.hasAll(parts)) return;
    const { generation } = index;
    const name = `s${set.newNumber()}`;
    const paths = directory.pathsOf(name);
    set.beingWritten.add(name);
    // Keeps the files until the merge has read them, even if all their rows are deleted meanwhile.
    const retained = parts.map((part) => index.storedOf(part).sources);
    for (const sources of retained) sources.retain();
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
        onMerged();
      });
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      await onDamaged(error, index, parts);
    } finally {
      for (const sources of retained) sources.release();
      set.beingWritten.delete(name);
      if (!installed) await directory.removeSegment(name);
    }
  }
}
