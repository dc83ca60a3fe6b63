// The indexes that a search worker was sent, with their segments opened. A segment in several
// states of an index is opened once and keeps its caches.
// Invariant: a segment that no index has is released, with its file.
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import type { Segment, SegmentView } from '../../../engine/index/segment.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan } from '../../../query/plan.ts';
import { SegmentSources } from '../files/segment-sources.ts';
import { openSearched, type SegmentCaches } from '../files/stored-segment.ts';
import type { OpenTarget } from './open-target.ts';
import type { SharedSegment, SharedView } from './search-messages.ts';

interface OpenSegment {
  readonly segment: Segment;
  readonly sources: SegmentSources;
}

export class WorkerSegments {
  readonly #caches: SegmentCaches;
  readonly #segments = new Map<string, OpenSegment>();
  readonly #views = new Map<string, readonly SegmentView[]>();
  readonly #mappings = new Map<string, Mapping>();
  /** Why an index could not be opened, by its key. */
  readonly #damages = new Map<string, CorruptSegmentError>();

  constructor(caches: SegmentCaches) {
    this.#caches = caches;
  }

  /**
   * Sets the state of an index; without views it is dropped. A damaged segment is reported to the
   * requests of its index, so that the main thread has it rebuilt.
   */
  updateIndex(key: string, views: readonly SharedView[], news: readonly SharedSegment[]): void {
    if (views.length === 0) this.#damages.delete(key);
    if (this.#damages.has(key)) return;
    try {
      this.#setViews(key, views, news);
    } catch (error) {
      if (!(error instanceof CorruptSegmentError)) throw error;
      this.#damages.set(key, error);
      this.#views.delete(key);
    }
    this.#releaseUnused();
  }

  #setViews(key: string, views: readonly SharedView[], news: readonly SharedSegment[]): void {
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
          return { segment: this.#segment(segment).segment, liveDocs, liveCount };
        }),
      );
    }
  }

  setMapping(key: string, mapping: Mapping): void {
    this.#mappings.set(key, mapping);
  }

  /** Names of the open segments. */
  get names(): string[] {
    return [...this.#segments.keys()];
  }

  /**
   * The targets of a plan that have an index.
   * @param keys by target
   * @throws CorruptSegmentError if a segment of one of them is damaged
   */
  targets(plan: Plan, keys: readonly (string | null)[]): OpenTarget[] {
    return plan.targets.flatMap((target, at) => {
      const key = keys[at] ?? null;
      if (key === null) return [];
      const damage = this.#damages.get(key);
      if (damage !== undefined) throw damage;
      const views = this.#views.get(key);
      const mapping = this.#mappings.get(key);
      if (views === undefined || mapping === undefined)
        throw new Error(`Index ${key} was not sent`);
      return [
        { ...target, mapping, snapshot: { views, cache: this.#caches.queries, release: () => {} } },
      ];
    });
  }

  #segment(name: string): OpenSegment {
    const opened = this.#segments.get(name);
    if (opened === undefined) throw new Error(`Segment ${name} was not sent`);
    return opened;
  }

  #open({ name, index, sources: handle }: SharedSegment): OpenSegment {
    const sources = new SegmentSources(name, handle);
    return { segment: openSearched(name, index, sources, this.#caches), sources };
  }

  #releaseUnused(): void {
    const used = new Set<Segment>();
    for (const views of this.#views.values()) for (const { segment } of views) used.add(segment);
    for (const [name, { segment, sources }] of this.#segments) {
      if (used.has(segment)) continue;
      this.#segments.delete(name);
      sources.release();
    }
  }
}
