// Imports pages of a remote tenant, each in one transaction with the progress that it completes.
// Items that cannot be stored are returned with the reason; the others of the page are stored.
// Invariant: a page and what its caller writes with it are stored together or not at all.
import type { Store, WritableRecords } from '../ports/store.ts';
import { DocumentFault } from './document-shape.ts';
import { type ImportSteps, type ItemOutcome, refuseLong } from './import-run.ts';

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
  readonly #store: Pick<Store, 'write'>;
  readonly #steps: ImportSteps<T>;
  readonly #itemBytesMax: number;

  constructor(
    store: Pick<Store, 'write'>,
    steps: ImportSteps<T>,
    { documentBytes }: { readonly documentBytes: number },
  ) {
    this.#store = store;
    this.#steps = steps;
    this.#itemBytesMax = documentBytes;
  }

  /**
   * Stores a page; one at a time.
   * @throws ServiceError `unavailable` if the store fails; nothing is stored then
   */
  async put(items: readonly PageItem[], alongside: Alongside): Promise<PageOutcome> {
    const batch: T[] = [];
    const ids: string[] = [];
    const unreadable: RefusedItem[] = [];
    for (const { id, text } of items) {
      try {
        refuseLong(text, this.#itemBytesMax);
        batch.push(this.#steps.prepare(text));
        ids.push(id);
      } catch (error) {
        if (!(error instanceof DocumentFault)) throw error;
        unreadable.push({ id, reason: error.message });
      }
    }
    const { page, outcomes } = await this.#store.write(async (records) => {
      const written = await this.#steps.write(records, batch);
      const outcome = outcomeOf(ids, written, unreadable);
      await alongside(records, outcome);
      return { page: outcome, outcomes: written };
    });
    this.#steps.onWritten?.(batch, outcomes);
    return page;
  }
}

function outcomeOf(
  ids: readonly string[],
  outcomes: readonly ItemOutcome[],
  unreadable: readonly RefusedItem[],
): PageOutcome {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const stored: string[] = [];
  const refused = [...unreadable];
  for (const [i, id] of ids.entries()) {
    const outcome = outcomes[i];
    if (outcome instanceof DocumentFault) refused.push({ id, reason: outcome.message });
    else if (outcome !== undefined) {
      counts[outcome] += 1;
      stored.push(id);
    }
  }
  return { ...counts, ids: stored, refused };
}
