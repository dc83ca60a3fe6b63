// Imports patches of documents: what a line does not name stays as it is. The stored documents are
// read, merged and written in the transaction of the batch, so no change of others is lost.
// Invariant: memory is limited to the documents of a slice, whatever the batch.
import type { IndexName } from '../../query/query.ts';
import type { WritableRecords } from '../ports/store.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { bareDocument } from './bare-document.ts';
import type { DocumentImport, OnUnchanged, PreparedDocument } from './document-import.ts';
import { DocumentFault } from './document-shape.ts';
import type { ImportSteps, ItemOutcome } from './import-run.ts';
import type { MatchedIds } from './matched-ids.ts';
import { mergePatch } from './merge-patch.ts';
import { type Json, parseRecord } from './record-line.ts';

export interface MergeOptions {
  /**
   * The member by whose value a line names its document in `id`; the document must exist. null: a
   * line has the id itself, and creates the document if there is none.
   */
  readonly match: string | null;
}

/** A line that is ready to be merged. */
export interface DocumentPatch {
  readonly id: string;
  readonly patch: Json;
  readonly bytes: number;
  /** The document that it became last; null: none was written yet. */
  merged: PreparedDocument | null;
}

/** What the merging needs besides the import of whole documents. */
export interface MergeRules {
  readonly tenantId: string;
  readonly index: IndexName;
  /** Whether documents must exist: a line of another one is refused. */
  readonly mustExist: boolean;
  /** Ids by the value that names them; null: lines have ids. */
  readonly ids: MatchedIds | null;
  /** Lets other work go on. */
  readonly pause: () => Promise<void>;
  readonly onUnchanged: OnUnchanged;
}

/** Documents that are read, merged and written at once. */
const SLICE = 64;

export class MergeImport implements ImportSteps<DocumentPatch> {
  readonly #whole: DocumentImport;
  readonly #rules: MergeRules;

  constructor(whole: DocumentImport, rules: MergeRules) {
    this.#whole = whole;
    this.#rules = rules;
  }

  prepare(text: Uint8Array | string): DocumentPatch {
    const patch = parseRecord(text);
    const { ids } = this.#rules;
    const name = patch['id'];
    if (typeof name !== 'string' || name === '') throw new DocumentFault('id is missing');
    const id = ids === null ? name : ids.idOf(name);
    return {
      ...{ id, bytes: text.length, merged: null },
      patch: ids === null ? patch : { ...patch, id },
    };
  }

  warningOf({ merged }: DocumentPatch): string | null {
    return merged === null ? null : this.#whole.warningOf(merged);
  }

  bytes({ bytes }: DocumentPatch): number {
    return bytes;
  }

  async write(records: WritableRecords, batch: readonly DocumentPatch[]): Promise<ItemOutcome[]> {
    const outcomes: ItemOutcome[] = [];
    for (let from = 0; from < batch.length; from += SLICE) {
      if (from > 0) await this.#rules.pause();
      outcomes.push(...(await this.#writeSlice(records, batch.slice(from, from + SLICE))));
    }
    return outcomes;
  }

  onWritten(batch: readonly DocumentPatch[], outcomes: readonly ItemOutcome[]): void {
    const ids = batch.flatMap(({ id }, at) => (outcomes[at] === 'unchanged' ? [id] : []));
    const { tenantId, index, onUnchanged } = this.#rules;
    if (ids.length > 0) onUnchanged(tenantId, index, [...new Set(ids)]);
  }

  async #writeSlice(
    records: WritableRecords,
    slice: readonly DocumentPatch[],
  ): Promise<readonly ItemOutcome[]> {
    const { tenantId, index } = this.#rules;
    const ids = [...new Set(slice.map(({ id }) => id))];
    const damaged = new Set<string>();
    const stored = await records.documentsById(tenantId, index, ids, (id) => damaged.add(id));
    const states = new Map(stored.map((document) => [document.id, new MergedDocument(document)]));
    const outcomes = slice.map((item): ItemOutcome | null => {
      if (damaged.has(item.id)) {
        return new DocumentFault(
          `the stored document "${item.id}" is damaged; import it as a whole, as JSON`,
        );
      }
      let state = states.get(item.id);
      if (state === undefined) {
        if (this.#rules.mustExist) return this.#missing(item);
        state = new MergedDocument(null);
        states.set(item.id, state);
      }
      return this.#merge(state, item);
    });
    return this.#put(records, slice, outcomes, states);
  }

  /** Merges a line; null if its document is to be written. */
  #merge(state: MergedDocument, line: DocumentPatch): ItemOutcome | null {
    const { patch } = line;
    const merged = mergePatch(state.value, patch);
    if (merged === state.value) return state.prepared === null ? 'unchanged' : null;
    // The time of this import, unless the line has another.
    const { synced, ...rest } = merged;
    const value = patch['synced'] === undefined ? rest : { synced, ...rest };
    try {
      line.merged = this.#whole.prepare(JSON.stringify(value));
      // Fields are new once: those of earlier lines are not new to this one.
      const newFields = [...(state.prepared?.newFields ?? []), ...line.merged.newFields];
      state.prepared = { ...line.merged, newFields };
    } catch (error) {
      if (error instanceof DocumentFault) return error;
      throw error;
    }
    state.value = merged;
    return null;
  }

  /** Writes the merged documents of a slice, each once, whatever number of lines it has. */
  async #put(
    records: WritableRecords,
    slice: readonly DocumentPatch[],
    outcomes: readonly (ItemOutcome | null)[],
    states: ReadonlyMap<string, MergedDocument>,
  ): Promise<readonly ItemOutcome[]> {
    const changed = [...states].flatMap(([id, { prepared }]) =>
      prepared === null ? [] : [{ id, prepared }],
    );
    const put = await this.#whole.write(
      records,
      changed.map(({ prepared }) => prepared),
    );
    const outcomeOf = new Map(changed.map(({ id }, n) => [id, put[n] as ItemOutcome]));
    return outcomes.map((outcome, n) => {
      const { id } = slice[n] as DocumentPatch;
      if (outcome !== null) return outcome;
      const written = outcomeOf.get(id) ?? 'unchanged';
      // Further lines of a new document change it.
      if (written === 'created') outcomeOf.set(id, 'updated');
      return written;
    });
  }

  #missing({ id }: DocumentPatch): DocumentFault {
    return new DocumentFault(
      `there is no document "${id}" in ${this.#rules.index}; import it first`,
    );
  }
}

/** A document with the lines of a slice merged into it. */
class MergedDocument {
  value: Json;
  /** The document to be written; null: nothing has changed. */
  prepared: PreparedDocument | null = null;

  constructor(stored: StoredDocument | null) {
    this.value =
      stored === null ? {} : JSON.parse(Buffer.concat(bareDocument(stored)).toString('utf8'));
  }
}
