// The documents that OpenSearch refuses, whatever is sent with them, such as one that its JSON parser
// does not read. All others are fed: searches find a refused document as it was before, or not at all.
// Invariant: a document is listed from the change that is refused until a later change of it, until all
// documents are fed again, or until another node has fed.

import type { IndexName } from '../../../query/query.ts';
import type { DocumentChange } from '../../../service/ports/store.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { Refusal } from '../requests/bulk.ts';

/** Most documents listed; all are logged. */
const LISTED_MAX = 10_000;

export class RefusedDocuments {
  readonly #log: Log;
  /** Ids by tenant and index. */
  readonly #ids = new Map<string, Set<string>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes over what became of a batch of changes. */
  update(tenantId: string, changes: readonly DocumentChange[], refusals: readonly Refusal[]): void {
    if (this.#size > 0) {
      for (const { index, id } of changes) this.#ids.get(keyOf(tenantId, index))?.delete(id);
    }
    for (const { change, reason } of refusals) {
      const { index, id } = change;
      this.#log.warn({ tenantId, index, id, reason }, 'OpenSearch refuses a document');
      if (this.#size === LISTED_MAX) continue;
      const key = keyOf(tenantId, index);
      this.#ids.set(key, (this.#ids.get(key) ?? new Set()).add(id));
    }
  }

  /** All documents are fed again, or another node has fed them. */
  clear(): void {
    this.#ids.clear();
  }

  /** The number of documents of an index. */
  count(tenantId: string, index: IndexName): number {
    return this.#ids.get(keyOf(tenantId, index))?.size ?? 0;
  }

  has(tenantId: string, index: IndexName, id: string): boolean {
    return this.#ids.get(keyOf(tenantId, index))?.has(id) ?? false;
  }

  /** The warning about the documents of all tenants; null if there are none. */
  get warning(): string | null {
    const size = this.#size;
    if (size === 0) return null;
    const count = `${size}${size === LISTED_MAX ? ' or more' : ''}`;
    const documents = size === 1 ? 'document' : 'documents';
    return `OpenSearch refuses ${count} ${documents}, which searches find as they were before, or not at all. The log names them.`;
  }

  get #size(): number {
    let size = 0;
    for (const ids of this.#ids.values()) size += ids.size;
    return size;
  }
}

function keyOf(tenantId: string, index: IndexName): string {
  return `${tenantId}/${index}`;
}
