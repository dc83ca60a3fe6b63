// Imports pages of a remote tenant, each in one transaction with the progress that it completes.
// Items that cannot be stored are returned with the reason; the others of the page are stored.
// Invariant: a page and what its caller writes with it are stored together or not at all.
import type { Store, WritableRecords } from '../ports/store.ts';
import type { Write } from './document-import.ts';
import { DocumentFault } from './document-shape.ts';
import { type BatchResult, type ImportSteps, type Prepared, refuseLong } from './import-run.ts';

/** An item that was not stored. */
export interface RefusedItem {
  readonly id: string;
  readonly reason: string;
}

/** What became of the items of a page. */
export interface PageOutcome {
  /** Ids of the stored items, including unchanged ones. */
  readonly ids: readonly string[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly RefusedItem[];
}

/** Writes in the transaction of a page. */
export type Alongside = (records: WritableRecords, page: PageOutcome) => Promise<void>;

/** An item as its source returned it. */
export interface PageItem {
  readonly id: string;
  readonly text: Uint8Array;
}

export class ImportPages<T> {
  readonly #steps: ImportSteps<T>;
  readonly #itemBytesMax: number;
  /** Completes the transaction of the page that is being written. */
  #complete: (records: WritableRecords, result: BatchResult) => Promise<void> = async () => {};

  /** @param makeSteps makes the steps of the import, which write with the given function */
  constructor(
    store: Store,
    makeSteps: (write: Write) => ImportSteps<T>,
    { documentBytes }: { readonly documentBytes: number },
  ) {
    this.#itemBytesMax = documentBytes;
    this.#steps = makeSteps((work) => {
      const complete = this.#complete;
      return store.write(async (records) => {
        const result = await work(records);
        // The only thing that steps write is a batch.
        await complete(records, result as BatchResult);
        return result;
      });
    });
  }

  /**
   * Stores a page; one at a time.
   * @throws ServiceError `unavailable` if the store fails; nothing is stored then
   */
  async put(items: readonly PageItem[], alongside: Alongside): Promise<PageOutcome> {
    const batch: Prepared<T>[] = [];
    const unreadable: RefusedItem[] = [];
    for (const [line, { id, text }] of items.entries()) {
      try {
        refuseLong(text, this.#itemBytesMax);
        batch.push({ line, item: this.#steps.prepare(text) });
      } catch (error) {
        if (!(error instanceof DocumentFault)) throw error;
        unreadable.push({ id, reason: error.message });
      }
    }
    let page: PageOutcome | null = null;
    this.#complete = async (records, { outcomes }) => {
      page = outcomeOf(items, batch, outcomes, unreadable);
      await alongside(records, page);
    };
    await this.#steps.write(batch, null);
    if (page === null) throw new Error('A page was written outside its transaction');
    return page;
  }
}

function outcomeOf(
  items: readonly PageItem[],
  batch: readonly Prepared<unknown>[],
  outcomes: BatchResult['outcomes'],
  unreadable: readonly RefusedItem[],
): PageOutcome {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const ids: string[] = [];
  const refused = [...unreadable];
  for (const [i, { line }] of batch.entries()) {
    const outcome = outcomes[i];
    const id = items[line]?.id ?? '';
    if (outcome instanceof DocumentFault) refused.push({ id, reason: outcome.message });
    else if (outcome !== undefined) {
      counts[outcome] += 1;
      ids.push(id);
    }
  }
  return { ...counts, ids, refused };
}
