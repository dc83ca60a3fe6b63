// Counts the rows of a table while it arrives in pieces.
// Invariant: a line break inside of quotes is part of a cell.
const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Counts the complete lines of CSV or NDJSON, without the header line of CSV. */
export class RowCounter {
  readonly #isCsv: boolean;
  #lines = 0;
  #isQuoted = false;

  constructor(format: 'csv' | 'ndjson') {
    this.#isCsv = format === 'csv';
  }

  /** Adds a piece, which may end anywhere. */
  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isCsv && byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === NEWLINE && !this.#isQuoted) this.#lines += 1;
    }
  }

  get rows(): number {
    return this.#isCsv ? Math.max(0, this.#lines - 1) : this.#lines;
  }
}
