// Changes as bulk requests. Every change carries its sequence as OpenSearch's external version, so
// an older change is rejected in whatever order they arrive, and the conflicts of a replay are
// ignored.
import type { DocumentChange } from '../../identity/ports/store.ts';
import { type OpenSearchClient, OpenSearchFault, unavailable } from './client.ts';
import { type DocumentWriter, documentId } from './documents.ts';

/** A request is sent when it reaches this size; OpenSearch rejects 100 MB. */
const REQUEST_CHARS = 8 * 1024 * 1024;
const REQUEST_MS = 60_000;

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

/** Writes changes in order, one bulk request after the other. */
export class BulkWriter {
  readonly #client: OpenSearchClient;
  #lines: string[] = [];
  #chars = 0;

  constructor(client: OpenSearchClient) {
    this.#client = client;
  }

  /** @throws OpenSearchFault for the first change that was rejected; ServiceError `unavailable` */
  async add(alias: string, change: DocumentChange, writer: DocumentWriter): Promise<void> {
    const action = {
      _index: alias,
      _id: documentId(change.id),
      version: change.sequence,
      version_type: 'external',
      require_alias: true, // do not create an index that was deleted
    };
    if (change.document === null) this.#push(JSON.stringify({ delete: action }));
    else this.#push(JSON.stringify({ index: action }), writer.write(change.document));
    if (this.#chars >= REQUEST_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const lines = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#chars = 0;
    const answer = await this.#client.send<BulkAnswer>(
      {
        method: 'POST',
        path: '/_bulk',
        query: { filter_path: 'errors,items.*.status,items.*.error,items.*._id,items.*._index' },
        lines,
      },
      { timeoutMs: REQUEST_MS },
    );
    if (answer.errors) for (const item of answer.items) check(Object.values(item)[0]);
  }

  #push(...lines: string[]): void {
    for (const line of lines) {
      this.#lines.push(line);
      this.#chars += line.length;
    }
  }
}

const VERSION_CONFLICT = 'version_conflict_engine_exception';

function check(item: ItemResult | undefined): void {
  const error = item?.error;
  if (item === undefined || error === undefined || error.type === VERSION_CONFLICT) return;
  if (item.status === 429 || item.status >= 500) {
    throw unavailable(`${error.type}: ${error.reason}`);
  }
  const reason = `${error.reason} (document ${item._id} of ${item._index})`;
  throw new OpenSearchFault(item.status, error.type, reason, null);
}
