// The indexes that a search worker has been told of, and their segments, opened. A segment that is in several states of
// an index is opened once, and keeps what was made for it.
// Invariant: a segment that no index has any more is let go of, its file with it.
import type { Segment, SegmentView } from '../../../engine/index/segment.ts';
import { openSegment } from '../../../engine/index/segment-reader.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan } from '../../../query/plan.ts';
import { checksum } from '../files/fs-directory.ts';
import { searchedIndex } from '../files/segment-index.ts';
import { SegmentSources } from '../files/segment-sources.ts';
import type { SegmentCaches } from '../files/stored-segment.ts';
import type { OpenTarget } from './open-target.ts';
import type { SharedSegment, SharedView } from './search-messages.ts';

interface Opened {
  readonly segment: Segment;
  readonly sources: SegmentSources;
}

export class WorkerSegments {
  readonly #caches: SegmentCaches;
  readonly #segments = new Map<string, Opened>();
  readonly #views = new Map<string, readonly SegmentView[]>();
  readonly #mappings = new Map<string, Mapping>();

  constructor(caches: SegmentCaches) {
    this.#caches = caches;
  }

  /** What an index is from now on; without views it is forgotten. */
  put(key: string, views: readonly SharedView[], news: readonly SharedSegment[]): void {
    for (const shared of news) {
      this.#segments.get(shared.name)?.sources.release();
      this.#segments.set(shared.name, this.#open(shared));
    }
    if (views.length === 0) {
      this.#views.delete(key);
      this.#mappings.delete(key);
    } else {
      this.#views.set(
        key,
        views.map(({ segment, liveDocs, liveCount }) => {
          return { segment: this.#opened(segment).segment, liveDocs, liveCount };
        }),
      );
    }
    this.#forgetUnused();
  }

  learn(key: string, mapping: Mapping): void {
    this.#mappings.set(key, mapping);
  }

  /** The names of the segments it holds. */
  get segments(): string[] {
    return [...this.#segments.keys()];
  }

  /** The plan's targets that have an index. @param keys by target */
  targets(plan: Plan, keys: readonly (string | null)[]): OpenTarget[] {
    return plan.targets.flatMap((target, at) => {
      const key = keys[at] ?? null;
      if (key === null) return [];
      const views = this.#views.get(key);
      const mapping = this.#mappings.get(key);
      if (views === undefined || mapping === undefined) throw new Error(`Nothing told of ${key}`);
      return [{ ...target, mapping, snapshot: { views, release: () => {} } }];
    });
  }

  #opened(name: string): Opened {
    const opened = this.#segments.get(name);
    if (opened === undefined) throw new Error(`Nothing told of segment ${name}`);
    return opened;
  }

  #open({ name, index: indexHandle, sources: sourcesHandle }: SharedSegment): Opened {
    const index = searchedIndex(name, indexHandle, this.#caches.pages);
    const sources = new SegmentSources(name, sourcesHandle);
    const options = { checksum, sourceCache: this.#caches.sources };
    return { segment: openSegment(name, index, sources, options), sources };
  }

  #forgetUnused(): void {
    const used = new Set<Segment>();
    for (const views of this.#views.values()) for (const { segment } of views) used.add(segment);
    for (const [name, { segment, sources }] of this.#segments) {
      if (used.has(segment)) continue;
      this.#segments.delete(name);
      sources.release();
    }
  }
}
