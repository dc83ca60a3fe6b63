// The other threads that search the indexes of this one. Each gets the list of segments whenever it
// changes, and keeps the files of what it may still read.
// Invariant: a segment that was sent to a thread keeps its files until that thread has released it, or
// has ended.
import type { SegmentSources } from '../files/segment-sources.ts';
import type { EmbeddedIndex } from './embedded-index.ts';
import type { IndexSet } from './index-set.ts';
import type { FromIndexReader, IndexList, SharedIndex, SharedSegment } from './shared-indexes.ts';
import type { StoredSegment } from './stored-segment.ts';

/** Another thread that searches the indexes; whoever started the thread passes its messages on. */
export interface IndexReader {
  /**
   * The thread will answer searches: from now on a change waits for it. Resolves when its searches see
   * all that was sent to it.
   */
  begin(): Promise<void>;
  /** Takes a message of the thread. */
  onMessage(message: FromIndexReader): void;
  /** The thread has ended. */
  close(): void;
}

/** What a thread was told of an index. */
interface SentIndex {
  readonly tenantId: string;
  readonly index: EmbeddedIndex['index'];
  readonly state: number;
  readonly rebuildReason: string | null;
  readonly segments: ReadonlyMap<string, SharedSegment>;
}

export class IndexReaders {
  readonly #set: IndexSet;
  readonly #readers = new Set<Reader>();

  constructor(set: IndexSet) {
    this.#set = set;
  }

  /** Adds a thread, and sends it all indexes. @param post sends a list to it */
  add(post: (list: IndexList) => void): IndexReader {
    const reader = new Reader(post, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    reader.send(this.#set);
    return reader;
  }

  /** Sends the indexes that have changed. */
  send(): void {
    for (const reader of this.#readers) reader.send(this.#set);
  }

  /** Resolves when new searches of all threads see what was sent. */
  async listed(): Promise<void> {
    const reading = [...this.#readers].filter(({ isReading }) => isReading);
    await Promise.all(reading.map((reader) => reader.listed()));
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
  }
}

class Reader implements IndexReader {
  readonly #post: (list: IndexList) => void;
  readonly #onClosed: () => void;
  readonly #sent = new Map<string, SentIndex>();
  /** What keeps the files of the segments that the thread has, by their ids. */
  readonly #held = new Map<number, SegmentSources>();
  readonly #waiting = new Set<{ readonly number: number; readonly resolve: () => void }>();
  /** Whether it answers searches. */
  isReading = false;
  #rebuildReason: string | null = null;
  #lastId = 0;
  #lastNumber = 0;
  #listed = 0;

  constructor(post: (list: IndexList) => void, onClosed: () => void) {
    this.#post = post;
    this.#onClosed = onClosed;
  }

  send(set: IndexSet): void {
    const changed: SharedIndex[] = [];
    const gone = new Map(this.#sent);
    for (const index of set.all()) {
      gone.delete(index.key);
      const rebuildReason = set.rebuildReason(index);
      const sent = this.#sent.get(index.key);
      if (sent?.state === index.state && sent.rebuildReason === rebuildReason) continue;
      changed.push(this.#changeOf(index, rebuildReason, sent));
    }
    for (const [key, { tenantId, index }] of gone) {
      this.#sent.delete(key);
      changed.push({ tenantId, index, views: [], news: [], rebuildReason: null });
    }
    const rebuildReason = set.rebuildReason(undefined);
    if (changed.length === 0 && rebuildReason === this.#rebuildReason && this.#lastNumber > 0) {
      return;
    }
    this.#rebuildReason = rebuildReason;
    this.#lastNumber += 1;
    this.#post({ number: this.#lastNumber, indexes: changed, rebuildReason });
  }

  begin(): Promise<void> {
    this.isReading = true;
    return this.listed();
  }

  listed(): Promise<void> {
    const number = this.#lastNumber;
    if (this.#listed >= number) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ number, resolve }));
  }

  onMessage(message: FromIndexReader): void {
    if (message.kind === 'listed') {
      this.#listed = message.number;
      this.#resolveWaiting(message.number);
      return;
    }
    for (const id of message.segments) {
      this.#held.get(id)?.release();
      this.#held.delete(id);
    }
  }

  close(): void {
    this.#onClosed();
    for (const sources of this.#held.values()) sources.release();
    this.#held.clear();
    this.#resolveWaiting(Number.POSITIVE_INFINITY);
  }

  #resolveWaiting(number: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.number > number) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #changeOf(
    index: EmbeddedIndex,
    rebuildReason: string | null,
    sent: SentIndex | undefined,
  ): SharedIndex {
    const { key, tenantId, state } = index;
    const segments = new Map<string, SharedSegment>();
    const news: SharedSegment[] = [];
    const views = index.views.map((view) => {
      const stored = index.storedOf(view);
      let shared = sent?.segments.get(stored.name);
      if (shared === undefined || !isSame(shared, stored)) {
        shared = this.#share(stored);
        news.push(shared);
      }
      segments.set(stored.name, shared);
      return { segment: shared.id, liveDocs: view.liveDocs, liveCount: view.liveCount };
    });
    this.#sent.set(key, { tenantId, index: index.index, state, rebuildReason, segments });
    return { tenantId, index: index.index, views, news, rebuildReason };
  }

  #share({ name, index, sources }: StoredSegment): SharedSegment {
    this.#lastId += 1;
    sources.retain();
    this.#held.set(this.#lastId, sources);
    return { id: this.#lastId, name, index: index.handle, sources: sources.handle };
  }
}

/** True if the segment still has the bytes that were sent. */
function isSame(sent: SharedSegment, { index, sources }: StoredSegment): boolean {
  return sent.index === index.handle && sent.sources === sources.handle;
}
