// A synthetic history of one tenant: numbered batches of written and deleted roles. Each batch
// depends only on its number, so that two processes generate the same history.

import type { Store } from '../../src/service/ports/store.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';

export const TENANT = 'acme';

const IDS = 400;
const WRITES = 12;

/** One batch: the new content of each id, or null for a deletion. */
export function batch(number: number): Map<string, StoredDocument | null> {
  let state = (number * 2654435761) >>> 0;
  const random = (below: number): number => {
    // Numerical Recipes' linear congruential generator; its high bits are good enough here.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const changes = new Map<string, StoredDocument | null>();
  for (let i = 0; i < WRITES; i++) {
    const id = `r${String(random(IDS)).padStart(4, '0')}`;
    changes.set(id, random(5) === 0 ? null : role(id, number));
  }
  return changes;
}

function role(id: string, number: number): StoredDocument {
  const encoder = new TextEncoder();
  const name = `Batch ${number} of ${id} ${'x'.repeat(number % 300)}`;
  return {
    index: 'roles',
    id,
    root: encoder.encode(JSON.stringify({ id, name, entitlementCount: number })),
    nested: encoder.encode(`"accessProfiles":[{"id":"p${number % 7}","name":"P"}]`),
  };
}

/** Writes a batch as one transaction. */
export function writeBatch(store: Store, number: number): Promise<void> {
  return store.write(async (records) => {
    const documents: StoredDocument[] = [];
    for (const [id, document] of batch(number)) {
      if (document === null) await records.deleteDocument(TENANT, 'roles', id);
      else documents.push(document);
    }
    await records.putDocuments(TENANT, documents);
  });
}

/** Line `number` of an import; its id is `importedId(number)`. */
export function importedText(number: number): string {
  const name = `Imported ${'y'.repeat(number % 300)}`;
  return JSON.stringify({ _type: 'role', id: importedId(number), name });
}

export const importedId = (number: number): string => `i${String(number).padStart(7, '0')}`;

/** Documents by id after batches 1 to `last`. */
export class History {
  readonly documents = new Map<string, StoredDocument>();
  #last = 0;

  advance(last: number): void {
    for (let number = this.#last + 1; number <= last; number++) {
      for (const [id, document] of batch(number)) {
        if (document === null) this.documents.delete(id);
        else this.documents.set(id, document);
      }
    }
    this.#last = Math.max(this.#last, last);
  }

  /** One line per document, by id. */
  lines(): string[] {
    return linesOf([...this.documents.values()]);
  }
}

/** Documents as comparable lines, by id. */
export function linesOf(
  documents: readonly { readonly id: string; root: Uint8Array; nested: Uint8Array }[],
): string[] {
  const decoder = new TextDecoder();
  return documents
    .map(({ id, root, nested }) => `${id} ${decoder.decode(root)} ${decoder.decode(nested)}`)
    .sort();
}
