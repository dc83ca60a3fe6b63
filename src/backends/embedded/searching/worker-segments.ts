// The indexes that a search worker was sent. Their segments are opened for the first request, whose
// snapshot keeps their files: those of an earlier state may be gone. A segment in several states of an
// index is opened once and keeps its caches.
// Invariant: a segment that no index has is released, with its file and all that is cached of it.
import type { CacheFigures } from '../../../engine/sections/byte-cache.ts';
import type { Segment, SegmentView } from '../../../engine/sections/segment.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan } from '../../../query/plan.ts';
import { SegmentSources } from '../files/segment-sources.ts';
import { type CacheSizes, createCaches, queriesLimit } from '../indexes/cache-sizes.ts';
import { closeSearched, openSearched, type SegmentCaches } from '../indexes/stored-segment.ts';
import type { OpenTarget } from './open-target.ts';
import type { SharedSegment, SharedView } from './search-messages.ts';

interface OpenSegment {
  readonly segment: Segment;
  readonly sources: SegmentSources;
}

interface SentSegment {
  readonly shared: SharedSegment;
  /** null: no request has needed it. */
  opened: OpenSegment | null;
}

interface SentIndex {
  readonly views: readonly SharedView[];
  /** The same views with their segments; null: no request has needed them. */
  opened: readonly SegmentView[] | null;
}

export class WorkerSegments {
  readonly #cacheSizes: CacheSizes['workers'];
  readonly #caches: SegmentCaches;
  readonly #segments = new Map<string, SentSegment>();
  readonly #indexes = new Map<string, SentIndex>();
  readonly #mappings = new Map<string, Mapping>();

  constructor(cacheSizes: CacheSizes['workers']) {
    this.#cacheSizes = cacheSizes;
    this.#caches = createCaches(cacheSizes);
  }

  /** Of all its caches together. */
  get figures(): CacheFigures {
    const { sources, pages, queries } = this.#caches;
    const all = [sources.figures, pages.figures, queries.figures];
    const sum = (name: keyof CacheFigures) => all.reduce((total, one) => total + one[name], 0);
    return {
      hits: sum('hits'),
      misses: sum('misses'),
      bytes: sum('bytes'),
      bytesMax: sum('bytesMax'),
    };
  }

  /** Sets the state of an index; without views it is dropped. */
  updateIndex(key: string, views: readonly SharedView[], news: readonly SharedSegment[]): void {
    for (const shared of news) {
      this.#close(this.#segments.get(shared.name));
      this.#segments.set(shared.name, { shared, opened: null });
    }
    if (views.length === 0) {
      this.#indexes.delete(key);
      this.#mappings.delete(key);
    } else this.#indexes.set(key, { views, opened: null });
    this.#releaseUnused();
    this.#limitCaches();
  }

  setMapping(key: string, mapping: Mapping): void {
    this.#mappings.set(key, mapping);
  }

  /** Names of the segments. */
  get names(): string[] {
    return [...this.#segments.keys()];
  }

  /**
   * The targets of a plan that have an index.
   * @param keys by target
   * @throws CorruptSegmentError if a segment of one of them is damaged; ServiceError `unavailable` if
   * its file cannot be opened
   */
  targets(plan: Plan, keys: readonly (string | null)[]): OpenTarget[] {
    return plan.targets.flatMap((target, at) => {
      const key = keys[at] ?? null;
      if (key === null) return [];
      const sent = this.#indexes.get(key);
      const mapping = this.#mappings.get(key);
      if (sent === undefined || mapping === undefined) throw new Error(`Index ${key} was not sent`);
      sent.opened ??= sent.views.map(({ segment, liveDocs, liveCount }) => {
        return { segment: this.#segment(segment), liveDocs, liveCount };
      });
      const views = sent.opened;
      return [
        { ...target, mapping, snapshot: { views, cache: this.#caches.queries, release: () => {} } },
      ];
    });
  }

  #segment(name: string): Segment {
    const sent = this.#segments.get(name);
    if (sent === undefined) throw new Error(`Segment ${name} was not sent`);
    sent.opened ??= this.#open(sent.shared);
    return sent.opened.segment;
  }

  #open({ name, index, sources: handle }: SharedSegment): OpenSegment {
    const sources = new SegmentSources(name, handle);
    return { segment: openSearched(name, index, sources, this.#caches), sources };
  }

  #releaseUnused(): void {
    const used = new Set<string>();
    for (const { views } of this.#indexes.values()) {
      for (const { segment } of views) used.add(segment);
    }
    for (const [name, sent] of this.#segments) {
      if (used.has(name)) continue;
      this.#segments.delete(name);
      this.#close(sent);
    }
  }

  #close(sent: SentSegment | undefined): void {
    if (sent === undefined || sent.opened === null) return;
    const { segment, sources } = sent.opened;
    closeSearched(segment, this.#caches);
    sources.release();
  }

  #limitCaches(): void {
    let bytes = 0;
    for (const { shared } of this.#segments.values()) {
      const { index, sources } = shared;
      bytes += index.bytes.length;
      bytes += sources.kind === 'file' ? sources.length : sources.bytes.length;
    }
    this.#caches.queries.limit(queriesLimit(this.#cacheSizes.queries, bytes));
  }
}
