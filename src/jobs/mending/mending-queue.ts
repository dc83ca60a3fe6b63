// What waits to be looked at by the mending of an index: documents that searches reported, and those
// that imports left unchanged. Of many documents of one index, the whole index is looked at instead.
// Invariant: what is reported again while it waits is looked at once, and logged once a minute.
import type { IndexName } from '../../query/query.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import type { Log } from '../../telemetry/log.ts';

/** One index of one tenant. */
export interface IndexOf {
  readonly tenantId: string;
  readonly index: IndexName;
}

/** Documents of one index to look at. */
export interface Queued {
  readonly of: IndexOf;
  readonly by: 'search' | 'import';
  /** null: all documents. */
  readonly ids: readonly string[] | null;
}

/** Documents of one index that are looked at one by one. */
const IDS_MAX = 2_000;
/** Documents that are logged in an interval. */
const LINES_MAX = 100;
const INTERVAL_MS = 60_000;

interface Entry extends Pick<Queued, 'of' | 'by'> {
  ids: Set<string> | null;
}

export class MendingQueue {
  readonly #log: Log;
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry>();
  /** Documents that were logged in this interval. */
  readonly #reported = new Set<string>();
  #intervalEnd = 0;
  #ended = false;
  #wake: () => void = () => {};

  constructor({ log, clock }: { readonly log: Log; readonly clock: { now(): number } }) {
    this.#log = log;
    this.#clock = clock;
  }

  addUntrue({ tenantId, index, id }: StoredDocumentKey): void {
    const now = this.#clock.now();
    if (now >= this.#intervalEnd || now < this.#intervalEnd - INTERVAL_MS) {
      this.#reported.clear();
      this.#intervalEnd = now + INTERVAL_MS;
    }
    const key = `${index} ${tenantId} ${id}`;
    if (!this.#reported.has(key) && this.#reported.size < LINES_MAX) {
      this.#reported.add(key);
      this.#log.warn(
        { tenantId, index, id },
        'A document in OpenSearch is not what was fed: searches read it from the store, and it is fed again',
      );
    }
    this.#add({ tenantId, index }, 'search', [id]);
  }

  addUnchanged(of: IndexOf, ids: readonly string[]): void {
    this.#add(of, 'import', ids);
  }

  /** Resolves once there is something to take; false: the queue has ended. */
  async filled(): Promise<boolean> {
    while (this.#entries.size === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return !this.#ended;
  }

  /** Takes at most `count` documents of one index. */
  take(count: number): Queued | null {
    const [first] = this.#entries;
    if (first === undefined) return null;
    const [key, { of, by, ids }] = first;
    this.#entries.delete(key);
    if (ids === null) return { of, by, ids };
    const taken = [...ids].slice(0, count);
    for (const id of taken) ids.delete(id);
    // At the end, so that the next index has its turn.
    if (ids.size > 0) this.#entries.set(key, { of, by, ids });
    return { of, by, ids: taken };
  }

  /** Adds again what was taken. */
  putBack({ of, by, ids }: Queued): void {
    this.#add(of, by, ids);
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** @param ids null: all */
  #add(of: IndexOf, by: Queued['by'], ids: readonly string[] | null): void {
    if (ids?.length === 0) return;
    const key = `${by} ${of.index} ${of.tenantId}`;
    const entry = this.#entries.get(key) ?? { of, by, ids: new Set<string>() };
    this.#entries.set(key, entry);
    for (const id of ids ?? []) entry.ids?.add(id);
    if (ids === null || (entry.ids?.size ?? 0) > IDS_MAX) entry.ids = null;
    this.#wake();
  }
}
