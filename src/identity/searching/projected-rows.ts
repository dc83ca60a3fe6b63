// Rows of projections that came before. A row is found by the bytes of its document, which are the same object for as long
// as the backend keeps that document in memory.
// Invariant: a row belongs to one form and one version of one document, and all rows together to a number of bytes.

/** Rows by form and document. */
export class ProjectedRows {
  readonly #bytesMax: number;
  #rows = new WeakMap<object, WeakMap<Uint8Array, Uint8Array>>();
  /** Of rows remembered; some may be forgotten with their form or document. */
  #bytes = 0;

  /** @param bytesMax what all rows may take; when they are more, all are forgotten */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The row that `document` has in `form`, or had before. */
  through(form: object, document: Uint8Array, project: () => Uint8Array): Uint8Array {
    const known = this.#rows.get(form)?.get(document);
    if (known !== undefined) return known;
    const row = project();
    this.#bytes += row.length;
    if (this.#bytes > this.#bytesMax) {
      this.#rows = new WeakMap();
      this.#bytes = row.length;
    }
    const rows = this.#rows.get(form) ?? new WeakMap<Uint8Array, Uint8Array>();
    this.#rows.set(form, rows.set(document, row));
    return row;
  }
}
