// Caches rows of repeated projections by the byte array of their document, which stays the same
// object while the backend keeps the document in memory.
// Invariant: a row belongs to one form and one version of one document, and the total size is
// limited.

/** Default limit. */
const BYTES_MAX = 32 * 2 ** 20;

/** Rows by form and document. */
export class ProjectedRows {
  readonly #bytesMax: number;
  #rows = new WeakMap<object, WeakMap<Uint8Array, Uint8Array>>();
  /** Size of the cached rows, including those collected with their form or document. */
  #bytes = 0;

  /** @param bytesMax maximum size of all rows; beyond it the cache is cleared */
  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** The cached row of `document` in `form`, or the result of `project`. */
  getOrProject(form: object, document: Uint8Array, project: () => Uint8Array): Uint8Array {
    const cached = this.#rows.get(form)?.get(document);
    if (cached !== undefined) return cached;
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
