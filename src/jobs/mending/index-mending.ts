// Keeps an index that other programs can change as the store is. Searches report documents that are not
// what was fed, imports name documents that they left unchanged, and from time to time the process that
// feeds the index compares all of it. What differs gets a new change in the store, and is fed with it by
// whichever process feeds.
// Invariant: a difference is mended only if it is still there after the index has caught up with the
// store. Each piece of work is followed by a pause of several times its length.

import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { IndexName } from '../../query/query.ts';
import { BackgroundLoop } from '../../scheduling/background-loop.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import {
  compareRanges,
  type Difference,
  differencesOf,
} from '../../service/documents/index-differences.ts';
import type { HeldDocument, IndexContents } from '../../service/ports/search-backend.ts';
import type { Store } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import type { Log } from '../../telemetry/log.ts';
import { type IndexOf, MendingQueue, type Queued } from './mending-queue.ts';

/** How a document was found; also the label of the metric. */
export type FoundBy = 'search' | 'import' | 'comparison';

/** The parts of a node that it uses. */
export interface MendingParts {
  readonly store: Store;
  readonly contents: IndexContents;
  readonly indexer: {
    /** Omitted: this process alone feeds the index. */
    readonly feeds?: boolean;
    waitFor(sequence: number, timeoutMs: number): Promise<void>;
  };
  /** Whether the index is being filled from nothing. */
  rebuilding(): Promise<boolean>;
}

export interface MendingOptions {
  readonly log: Log;
  readonly clock: { now(): number };
  /** Time from the end of a comparison to the next one; null: nothing is compared. */
  readonly everyMs: number | null;
  /** Time from the start to the first comparison. */
  readonly firstMs?: number;
  /** The same after one that failed; that of what is queued, too. */
  readonly retryMs?: number;
  /** Time for more documents to be queued before the first of them are looked at. */
  readonly gatherMs?: number;
  /** A pause is this many times as long as the work before it. */
  readonly rest?: number;
}

const MINUTE_MS = 60_000;
const CAUGHT_UP_MS = 60_000;
const REQUEST_MS = 30_000;
/** Documents that are looked at, and fed again, at a time. */
const AT_ONCE = 500;
/** Fewest mended documents in one comparison for which `/ready` has a warning. */
const MANY = 100;

export class IndexMending {
  readonly #parts: MendingParts;
  readonly #options: Required<MendingOptions>;
  readonly #queue: MendingQueue;
  readonly #loop = new BackgroundLoop();
  readonly #mended: Record<FoundBy, number> = { search: 0, import: 0, comparison: 0 };
  #comparedAt = 0;
  #failed = false;
  /** Documents that the last comparison mended. */
  #last = 0;

  constructor(parts: MendingParts, options: MendingOptions) {
    this.#parts = parts;
    this.#options = {
      ...{ firstMs: MINUTE_MS, retryMs: 5_000, gatherMs: 200, rest: 9 },
      ...options,
    };
    this.#queue = new MendingQueue(options);
  }

  /** Documents that were fed again since the start. */
  get mended(): Readonly<Record<FoundBy, number>> {
    return this.#mended;
  }

  /** When this process last compared the whole index, in epoch milliseconds; 0: never. */
  get comparedAt(): number {
    return this.#comparedAt;
  }

  /** What an operator should look at, in one sentence; null: nothing. */
  get warning(): string | null {
    if (this.#failed) {
      return 'The search index could not be compared with the store; the log says why.';
    }
    if (this.#last < MANY) return null;
    return `${this.#last} documents of the search index were not what the store has, and are mended: another program changes the indexes with this prefix. The log names the indexes.`;
  }

  start(): void {
    this.#loop.run(() => this.#mendQueued());
    const { everyMs, firstMs, retryMs, log } = this.#options;
    if (everyMs === null) return;
    const compare = async () => {
      if (!this.#mayCompare) return everyMs;
      if (!(await this.#parts.rebuilding())) await this.compare();
      this.#failed = false;
      return everyMs;
    };
    this.#loop.repeat(Math.min(firstMs, everyMs), compare, (err) => {
      this.#failed = true;
      log.warn({ err }, 'The search index could not be compared with the store');
      return Math.min(everyMs, 10 * retryMs);
    });
  }

  async stop(): Promise<void> {
    this.#queue.end();
    await this.#loop.stop();
  }

  /** A search found a document that is not what was fed. */
  onUntrue(document: StoredDocumentKey): void {
    this.#queue.addUntrue(document);
  }

  /** Looks whether the index has documents that an import left unchanged. */
  check(tenantId: string, index: IndexName, ids: readonly string[]): void {
    this.#queue.addUnchanged({ tenantId, index }, ids);
  }

  /** Looks at what is queued, for a command; `start` does so by itself. */
  async finish(): Promise<void> {
    for (let work = this.#queue.take(AT_ONCE); work !== null; work = this.#queue.take(AT_ONCE)) {
      await this.#mend(work);
    }
  }

  /**
   * Compares the whole index once, and mends it.
   * @returns the number of documents that differed
   * @throws ServiceError `unavailable` if the store or the index fails; what was mended stays so
   */
  async compare(): Promise<number> {
    let mended = 0;
    for (const of of await this.#inOrder()) {
      if (!this.#mayCompare) return mended;
      mended += await this.#compareOne(of, 'comparison');
    }
    this.#comparedAt = this.#options.clock.now();
    this.#last = mended;
    return mended;
  }

  get #mayCompare(): boolean {
    return !this.#loop.signal.aborted && this.#parts.indexer.feeds !== false;
  }

  async #mendQueued(): Promise<void> {
    const { retryMs, gatherMs, log } = this.#options;
    while (await this.#queue.filled()) {
      if (!(await this.#loop.wait(gatherMs))) return;
      const work = this.#queue.take(AT_ONCE);
      try {
        if (work !== null) await this.#mend(work);
      } catch (err) {
        if (this.#loop.signal.aborted) return;
        if (work !== null) this.#queue.putBack(work);
        log.warn({ err, retryMs }, 'The search index could not be mended yet');
        await this.#loop.wait(retryMs);
      }
    }
  }

  async #mend(work: Queued): Promise<void> {
    if (work.ids === null) await this.#compareOne(work.of, work.by);
    else await this.#resting(() => this.#mendDifferences(work.of, work.ids ?? [], work.by));
  }

  /** All indexes of all tenants: those first whose counts differ. */
  async #inOrder(): Promise<readonly IndexOf[]> {
    const { store, contents } = this.#parts;
    const differing: IndexOf[] = [];
    const others: IndexOf[] = [];
    for (const { id: tenantId } of await store.read.tenants()) {
      const counts = await store.read.documentCounts(tenantId);
      for (const index of INDEX_NAMES) {
        if (!this.#mayCompare) return [];
        const held = await this.#resting(() =>
          contents.count(tenantId, index, { deadline: new Deadline(REQUEST_MS) }),
        );
        if (held === null) continue;
        (held === counts[index] ? others : differing).push({ tenantId, index });
      }
    }
    return [...differing, ...others];
  }

  async #compareOne(of: IndexOf, by: FoundBy): Promise<number> {
    const { store, contents } = this.#parts;
    const options = () => ({ deadline: new Deadline(REQUEST_MS), signal: this.#loop.signal });
    const ranges = compareRanges(store.read, contents, of, options);
    let mended = 0;
    for (;;) {
      const { value, done } = await this.#resting(() => ranges.next());
      if (done === true || this.#loop.signal.aborted) return mended;
      const ids = value.map(({ id }) => id);
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        mended += await this.#resting(() =>
          this.#mendDifferences(of, ids.slice(from, from + AT_ONCE), by),
        );
      }
    }
  }

  /**
   * Feeds again those of some documents that differ once the index has caught up.
   * @returns their number
   */
  async #mendDifferences(of: IndexOf, ids: readonly string[], by: FoundBy): Promise<number> {
    const { store } = this.#parts;
    const differences = await this.#lasting(of, ids);
    if (differences.length === 0) return 0;
    const differing = differences.map(({ id }) => id);
    await store.write((records) => records.feedAgain(of.tenantId, of.index, differing));
    const counts = { missing: 0, surplus: 0, different: 0 };
    for (const { kind } of differences) counts[kind] += 1;
    this.#mended[by] += differences.length;
    this.#options.log.warn(
      { ...of, ...counts, foundBy: by },
      'The search index was not what the store has: these documents are fed again',
    );
    return differences.length;
  }

  /** The differences that feeding does not end by itself, and may end once it begins anew. */
  async #lasting(
    { tenantId, index }: IndexOf,
    ids: readonly string[],
  ): Promise<readonly Difference[]> {
    const { store, contents, indexer } = this.#parts;
    const sequence = await store.read.lastSequence();
    await indexer.waitFor(sequence, CAUGHT_UP_MS);
    const stored = await store.read.documentVersionsById(tenantId, index, ids);
    const deadline = new Deadline(REQUEST_MS);
    const held = await contents.held(tenantId, index, { ids }, { deadline });
    if (held === null) return [];
    // What has changed since then is being fed, or was fed after it was read.
    const last = await store.read.lastSequence();
    const isFresh = ({ sequence: of }: HeldDocument) => of !== null && of > sequence && of <= last;
    const fresh = new Set([...stored, ...held].filter(isFresh).map(({ id }) => id));
    const differences = differencesOf(stored, held).filter(
      ({ id }) => !fresh.has(id) && !contents.refuses(tenantId, index, id),
    );
    // A damaged document of the store is in no index.
    const damaged = new Set<string>();
    const missing = differences.flatMap(({ id, kind }) => (kind === 'missing' ? id : []));
    await store.read.documentsById(tenantId, index, missing, (id) => damaged.add(id));
    return differences.filter(({ id }) => !damaged.has(id));
  }

  /** Does a piece of work, then rests. */
  async #resting<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = performance.now();
    const result = await work();
    await this.#loop.wait((performance.now() - before) * this.#options.rest);
    return result;
  }
}
