// Remembers the damaged documents that reads of a store come upon, and the audit trails that refuse
// writes or that a check found to be broken, so that they are named in log, metrics and status. Each
// document and each end of a trail is read again before it is reported: what is reported is damaged now.
import type { TrailFault } from '../audit/audit-verification.ts';
import { DamagedTrailError } from '../ports/audit-chain.ts';
import { ForwardingStore, withRecords } from '../ports/forwarding-store.ts';
import type { DocumentDamage, Records, SetAside, Store } from '../ports/store.ts';
import type { StoredDocumentKey } from '../ports/stored-document.ts';

/** Documents that are remembered: as many are read for each report. */
const REMEMBERED_MAX = 200;

/** What is called once for each damage. */
export interface DamageListeners {
  onDocument(document: StoredDocumentKey): void;
  /** The recorded end of the trail of a tenant is damaged. */
  onTrail(tenantId: string): void;
}

export class DamageWatch extends ForwardingStore {
  readonly #listeners: DamageListeners;
  /** By index, tenant and id. */
  readonly #found = new Map<string, StoredDocumentKey>();
  /** How many more the last check counted. */
  #unnamed = 0;

  /** Tenants whose trails refused a write. */
  readonly #refusing = new Set<string>();
  /** Tenants whose trails the last check found to be broken. */
  #broken: readonly string[] = [];

  constructor(store: Store, listeners: DamageListeners) {
    super(store, {
      write: (work) => store.write(work).catch((error) => this.#refused(error)),
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
    this.#listeners = listeners;
  }

  /** Remembers documents that were found elsewhere. */
  add(documents: readonly StoredDocumentKey[]): void {
    for (const { tenantId, index, id } of documents) {
      const key = `${index} ${tenantId} ${id}`;
      if (this.#found.has(key) || this.#found.size >= REMEMBERED_MAX) continue;
      this.#found.set(key, { tenantId, index, id });
      this.#listeners.onDocument({ tenantId, index, id });
    }
  }

  /** Remembers a tenant whose audit trail refused a write elsewhere. */
  addTrail(tenantId: string): void {
    if (this.#refusing.has(tenantId)) return;
    this.#refusing.add(tenantId);
    this.#listeners.onTrail(tenantId);
  }

  /** The documents found so far that still are damaged, at most 200. */
  async damaged(): Promise<readonly StoredDocumentKey[]> {
    for (const [key, found] of this.#found) {
      if (!(await this.inner.read.isDamagedRecord(found))) this.#found.delete(key);
    }
    return [...this.#found.values()];
  }

  /** Takes the result of a check of the whole store. */
  checked({ count, documents }: DocumentDamage): void {
    this.add(documents);
    this.#unnamed = Math.max(0, count - this.#found.size);
  }

  /** How many more documents were damaged at the last check of the whole store than `damaged` returns. */
  async unnamed(): Promise<number> {
    return (await this.damaged()).length === 0 ? 0 : this.#unnamed;
  }

  /** Takes the result of a check of all trails. */
  checkedTrails(faults: readonly TrailFault[]): void {
    this.#broken = faults.map(({ tenantId }) => tenantId);
  }

  /** The number of tenants whose trails are damaged, as far as it is known. */
  async damagedTrails(): Promise<number> {
    for (const tenantId of this.#refusing) {
      if (await this.#isEndSound(tenantId)) this.#refusing.delete(tenantId);
    }
    return new Set([...this.#refusing, ...this.#broken]).size;
  }

  #refused(error: unknown): never {
    if (error instanceof DamagedTrailError) this.addTrail(error.tenantId);
    throw error;
  }

  async #isEndSound(tenantId: string): Promise<boolean> {
    const { read } = this.inner;
    const head = await read.auditHead(tenantId);
    if (head === null) return false;
    const [last, ...later] = await read.auditChain(tenantId, head.number - 1, 2);
    return later.length === 0 && last?.number === head.number && last.hash === head.hash;
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
