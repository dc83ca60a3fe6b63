// Changes as bulk requests. Every change carries its sequence as OpenSearch's external version, so
// an older change is rejected in whatever order they arrive. Of a rejected one, the document in
// OpenSearch is looked at: it may have its version from another program (foreign-writes/version-conflicts.ts). A
// document that OpenSearch refuses delays no other one.
import type { DocumentChange } from '../../../service/ports/store.ts';
import { bodyFault, type OpenSearchClient, OpenSearchFault, unavailable } from './client.ts';
import { type DocumentWriter, documentId } from './documents.ts';
import { type CurrentVersions, overwritesOf, type SentChange } from './version-conflicts.ts';

/** A request is sent when it reaches this size; OpenSearch rejects 100 MB. */
const REQUEST_BYTES = 2 * 1024 * 1024;
/** OpenSearch indexes one request of one index with one thread, while the next ones are prepared. */
const REQUESTS_AT_ONCE = 3;
const REQUEST_MS = 60_000;
/** How often a change is sent again because another program has changed its document meanwhile. */
const ATTEMPTS = 3;
const CHANGED = 'Another program changes the document in OpenSearch again and again';

interface ItemResult {
  readonly _id: string;
  readonly _index: string;
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Record<string, ItemResult>[];
}

/** A change that OpenSearch refuses because of its document. */
export interface Refusal {
  readonly change: DocumentChange;
  readonly reason: string;
}

/** Writes changes by several bulk requests at a time; their order does not matter. */
export class BulkWriter {
  readonly #client: OpenSearchClient;
  readonly #records: CurrentVersions | undefined;
  #lines: Buffer[] = [];
  #bytes = 0;
  /** Those of `#lines`, in the same order. */
  #changes: SentChange[] = [];
  readonly #refusals: Refusal[] = [];
  /** Not written because of the version of the document. */
  #conflicts: SentChange[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  /** The first fault of a request; what follows it is not sent. */
  #fault: { readonly error: unknown } | null = null;

  /** @param records omitted: no change is written over a document with a higher version */
  constructor(client: OpenSearchClient, records?: CurrentVersions) {
    this.#client = client;
    this.#records = records;
  }

  /** @throws as `flush` */
  async add(alias: string, change: DocumentChange, writer: DocumentWriter): Promise<void> {
    const action = {
      _index: alias,
      _id: documentId(change.id),
      version: change.sequence,
      version_type: 'external',
      require_alias: true, // do not create an index that was deleted; ignored for deletions
    };
    this.#changes.push({ alias, change, writer });
    const { document } = change;
    if (document === null) this.#push(Buffer.from(JSON.stringify({ delete: action })));
    else {
      this.#push(Buffer.from(JSON.stringify({ index: action })));
      this.#push(writer.write({ ...change, document }));
    }
    if (this.#bytes >= REQUEST_BYTES) await this.#send();
  }

  /**
   * Sends the rest and waits for all requests.
   * @returns the changes that were refused; the others are written
   * @throws OpenSearchFault for a request or index that was refused; ServiceError `unavailable`
   */
  async flush(): Promise<readonly Refusal[]> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#lines.length > 0) await this.#send();
      await this.settled();
      if (this.#fault !== null) throw this.#fault.error;
      const conflicts = this.#conflicts.splice(0);
      if (conflicts.length === 0) return this.#refusals.splice(0);
      const again = await overwritesOf(this.#client, conflicts, this.#records);
      if (attempt === ATTEMPTS) {
        this.#refusals.push(...again.map(({ sent }) => ({ change: sent.change, reason: CHANGED })));
        continue;
      }
      for (const { sent, lines } of again) {
        this.#changes.push(sent);
        for (const line of lines) this.#push(line);
        if (this.#bytes >= REQUEST_BYTES) await this.#send();
      }
    }
  }

  /** Resolves when no request is in flight, whatever became of them. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Returns when the next request may be prepared. */
  async #send(): Promise<void> {
    const lines = Buffer.concat(this.#lines);
    const changes = this.#changes;
    this.#lines = [];
    this.#changes = [];
    this.#bytes = 0;
    while (this.#inFlight.size >= REQUESTS_AT_ONCE) await Promise.race(this.#inFlight);
    if (this.#fault !== null) throw this.#fault.error;
    const sent = this.#request(lines, changes)
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
  }

  async #request(lines: Buffer, changes: readonly SentChange[]): Promise<void> {
    const answer = await this.#client.send<BulkAnswer>(
      {
        method: 'POST',
        path: '/_bulk',
        query: { filter_path: 'errors,items.*.status,items.*.error,items.*._id,items.*._index' },
        lines,
      },
      { timeoutMs: REQUEST_MS },
    );
    if (!answer.errors) return;
    for (const [at, item] of answer.items.entries()) {
      const sent = changes[at];
      const [result] = Object.values(item);
      if (sent !== undefined && result?.error?.type === VERSION_CONFLICT) {
        this.#conflicts.push(sent);
        continue;
      }
      const refusal = refusalOf(result, sent?.change);
      if (refusal !== null) this.#refusals.push(refusal);
    }
  }

  #push(line: Buffer): void {
    this.#lines.push(line, LINE_END);
    this.#bytes += line.length + LINE_END.length;
  }
}

const LINE_END = Buffer.from('\n');
const VERSION_CONFLICT = 'version_conflict_engine_exception';

/**
 * Errors with status 400 that say nothing about a document: the cluster has too many shards, or
 * another process has closed the index meanwhile.
 */
const OF_THE_CLUSTER: ReadonlySet<string> = new Set([
  'validation_exception',
  'index_closed_exception',
]);

/**
 * Reasons of an `illegal_argument_exception` that every document of the index would get. Only their
 * beginning is compared, as the rest may contain values of a document.
 */
const OF_THE_INDEX = /^(no write index is|pipeline with id|number of documents in the index) /i;

/**
 * The refusal of the document of a change; null if it is written.
 * @throws OpenSearchFault, ServiceError if the document is not the cause
 */
function refusalOf(
  item: ItemResult | undefined,
  change: DocumentChange | undefined,
): Refusal | null {
  const error = item?.error;
  if (item === undefined || error === undefined) return null;
  if (item.status === 429 || item.status >= 500) {
    throw unavailable(`${error.type}: ${error.reason}`);
  }
  const hasDocument = change !== undefined && change.document !== null;
  if (item.status === 400 && hasDocument && !concernsAll(error)) {
    return { change, reason: bodyFault(item.status, item, null).message };
  }
  const reason = `${error.reason} (document ${item._id} of ${item._index})`;
  throw new OpenSearchFault(item.status, error.type, reason, null);
}

/** Whether an error with status 400 would be that of any document. */
function concernsAll({ type, reason }: NonNullable<ItemResult['error']>): boolean {
  if (OF_THE_CLUSTER.has(type)) return true;
  return type === 'illegal_argument_exception' && OF_THE_INDEX.test(reason);
}
