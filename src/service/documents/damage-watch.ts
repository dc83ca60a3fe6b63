// Remembers the damaged documents that reads of a store come upon, so that they are named in log,
// metrics and status. Each is read again before it is reported: what is reported is damaged now.
import { ForwardingStore, withRecords } from '../ports/forwarding-store.ts';
import type { Records, SetAside, Store } from '../ports/store.ts';
import type { StoredDocumentKey } from '../ports/stored-document.ts';

/** Documents that are remembered: as many are read for each report. */
const REMEMBERED_MAX = 200;

export class DamageWatch extends ForwardingStore {
  readonly #onFound: (document: StoredDocumentKey) => void;
  /** By index, tenant and id. */
  readonly #found = new Map<string, StoredDocumentKey>();

  /** @param onFound is called once for each document */
  constructor(store: Store, onFound: (document: StoredDocumentKey) => void) {
    super(store, {
      read: withRecords(store.read, {
        document: (tenantId, index, id) =>
          this.#noting(tenantId, index, [id], () => store.read.document(tenantId, index, id)),
        documentsById: (tenantId, index, ids, setAside) =>
          setAside === undefined
            ? this.#noting(tenantId, index, ids, () =>
                store.read.documentsById(tenantId, index, ids),
              )
            : store.read.documentsById(tenantId, index, ids, this.#note(tenantId, index, setAside)),
        documentPage: (tenantId, index, afterId, limit, setAside) => {
          const note = this.#note(tenantId, index, setAside);
          return store.read.documentPage(tenantId, index, afterId, limit, note);
        },
        changesAfter: async (sequence, limit) => {
          const changes = await store.read.changesAfter(sequence, limit);
          this.add(changes.filter(({ damaged }) => damaged === true));
          return changes;
        },
      }),
    });
    this.#onFound = onFound;
  }

  /** Remembers documents that were found elsewhere. */
  add(documents: readonly StoredDocumentKey[]): void {
    for (const { tenantId, index, id } of documents) {
      const key = `${index} ${tenantId} ${id}`;
      if (this.#found.has(key) || this.#found.size >= REMEMBERED_MAX) continue;
      this.#found.set(key, { tenantId, index, id });
      this.#onFound({ tenantId, index, id });
    }
  }

  /** The documents found so far that still are damaged, at most 200. */
  async damaged(): Promise<readonly StoredDocumentKey[]> {
    for (const [key, found] of this.#found) {
      if (!(await this.inner.read.isDamagedRecord(found))) this.#found.delete(key);
    }
    return [...this.#found.values()];
  }

  #note(
    tenantId: string,
    index: StoredDocumentKey['index'],
    setAside: SetAside = () => {},
  ): SetAside {
    return (id) => {
      this.add([{ tenantId, index, id }]);
      setAside(id);
    };
  }

  /** Runs a read that throws for a damaged document; then finds out which of them it was. */
  async #noting<T>(
    tenantId: string,
    index: StoredDocumentKey['index'],
    ids: readonly string[],
    read: () => Promise<T>,
  ): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const { documentsById }: Pick<Records, 'documentsById'> = this.inner.read;
      // The first error is the one to report, whatever comes of this read.
      await documentsById(tenantId, index, ids, this.#note(tenantId, index)).catch(() => {});
      throw error;
    }
  }
}
