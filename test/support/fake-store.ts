// A fake store that has only the change log. As in the real one, a document has one row, which
// moves to the end when the document is changed or deleted.
import type { DocumentChange, Store } from '../../src/service/ports/store.ts';
import type { FaultyCalls } from './faulty-calls.ts';

/** Tenant and id of a document. */
export const keyOf = (change: Pick<DocumentChange, 'tenantId' | 'id'>) =>
  `${change.tenantId}/${change.id}`;

/** The store of one process. */
export interface FakeStorePort {
  readonly store: Store;
  /** How many listeners it calls after a write. */
  readonly listeners: () => number;
  /** Calls the listeners, as a store does after a write of its process. */
  readonly written: () => void;
}

export class FakeStore {
  readonly #rows = new Map<string, DocumentChange>();
  /** A mark of each change, which no other one has: by sequence. */
  #marks: readonly (string | null)[] = [null];
  #written = 0;
  #last = 0;
  #purged = 0;

  get lastSequence(): number {
    return this.#last;
  }

  /** In the order of sequences. */
  get changes(): readonly DocumentChange[] {
    return [...this.#rows.values()];
  }

  /** Adds a version of a document. @returns its sequence */
  put(tenantId: string, id: string): number {
    const sequence = this.#last + 1;
    const root = new TextEncoder().encode(`{"id":"${id}","version":${sequence}}`);
    const document = { index: 'roles' as const, id, root, nested: new Uint8Array(0) };
    return this.#add({ sequence, tenantId, index: 'roles', id, document });
  }

  /** Deletes a document. @returns the sequence */
  delete(tenantId: string, id: string): number {
    return this.#add({ sequence: this.#last + 1, tenantId, index: 'roles', id, document: null });
  }

  /** Purges the tombstones up to a sequence, except the last change. */
  purge(upTo: number): void {
    for (const change of this.changes) {
      const { sequence, document } = change;
      if (document !== null || sequence > upTo || sequence === this.#last) continue;
      this.#rows.delete(keyOf(change));
      this.#purged = Math.max(this.#purged, sequence);
    }
  }

  /** Takes a backup. @returns restores it, so that the sequence goes back */
  backUp(): () => void {
    const backup = { rows: [...this.#rows], last: this.#last, purged: this.#purged };
    const marks = this.#marks;
    return () => {
      this.#rows.clear();
      for (const [key, change] of backup.rows) this.#rows.set(key, change);
      this.#marks = marks;
      this.#last = backup.last;
      this.#purged = backup.purged;
    };
  }

  /** Opens the store in one process. */
  open(calls: FaultyCalls): FakeStorePort {
    const listeners = new Set<() => void>();
    const read = {
      changesAfter: (after: number, limit: number) =>
        calls.run('changesAfter', {
          whole: () => this.changes.filter(({ sequence }) => sequence > after).slice(0, limit),
        }),
      lastSequence: () => calls.run('lastSequence', { whole: () => this.#last }),
      storeHistory: (sequence: number) =>
        calls.run('storeHistory', {
          whole: () => ({
            last: this.#last,
            lastMark: this.#marks[this.#last] ?? null,
            mark: this.#marks[sequence] ?? null,
          }),
        }),
      purgedSequence: () => calls.run('purgedSequence', { whole: () => this.#purged }),
    };
    const onWrite = (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    return {
      store: { read, onWrite } as unknown as Store,
      listeners: () => listeners.size,
      written: () => {
        for (const listener of listeners) listener();
      },
    };
  }

  #add(change: DocumentChange): number {
    this.#written += 1;
    this.#marks = [...this.#marks.slice(0, change.sequence), `${this.#written}`];
    this.#last = change.sequence;
    this.#rows.delete(keyOf(change));
    this.#rows.set(keyOf(change), change);
    return change.sequence;
  }
}
