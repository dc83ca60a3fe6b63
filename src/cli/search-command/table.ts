// Prints rows as a table on a terminal: columns as wide as the first rows need, cut to the width of
// the terminal.
import { escapeLine } from '../../json/escaped-text.ts';
import { cellText } from '../../query/csv-row.ts';

/** Rows that decide the widths of the columns. */
const SAMPLE = 200;
const GAP = '  ';
const COLUMN_MIN = 6;

type Row = Readonly<Record<string, unknown>>;

/**
 * The lines of a table; no lines without rows.
 * @param width characters of a line
 * @param headsOf what stands above the columns
 */
export async function* tableLines(
  rows: AsyncIterable<Row>,
  width: number,
  headsOf: (names: readonly string[]) => readonly string[] = (names) => names,
): AsyncGenerator<string> {
  const sample: Row[] = [];
  let table: Table | null = null;
  for await (const row of rows) {
    if (table !== null) {
      yield table.line(row);
      continue;
    }
    sample.push(row);
    if (sample.length === SAMPLE) {
      table = new Table(sample, width, headsOf);
      yield* table.begin(sample);
    }
  }
  if (table === null && sample.length > 0) yield* new Table(sample, width, headsOf).begin(sample);
}

class Table {
  readonly #headers: readonly string[];
  readonly #heads: readonly string[];
  readonly #widths: readonly number[];
  readonly #sides: readonly Side[];

  constructor(
    sample: readonly Row[],
    width: number,
    headsOf: (names: readonly string[]) => readonly string[],
  ) {
    this.#headers = Object.keys(sample[0] ?? {});
    this.#heads = headsOf(this.#headers);
    const natural = this.#headers.map((header, at) =>
      Math.max(
        widthOf(shown(this.#heads[at])),
        ...sample.map((row) => widthOf(shown(row[header]))),
      ),
    );
    this.#widths = fitted(natural, width - GAP.length * (natural.length - 1));
    this.#sides = this.#headers.map((header) =>
      sample.every((row) => row[header] === null || typeof row[header] === 'number')
        ? 'right'
        : 'left',
    );
  }

  *begin(sample: readonly Row[]): Generator<string> {
    yield this.#join(this.#heads.map(shown));
    yield this.#widths.map((width) => '─'.repeat(width)).join(GAP);
    for (const row of sample) yield this.line(row);
  }

  line(row: Row): string {
    return this.#join(this.#headers.map((header) => shown(row[header])));
  }

  #join(cells: readonly string[]): string {
    return cells
      .map((cell, at) => padded(cell, this.#widths[at] ?? 0, this.#sides[at] ?? 'left'))
      .join(GAP)
      .trimEnd();
  }
}

/** Makes the widest columns narrower until the line fits. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  for (;;) {
    const excess = widths.reduce((sum, one) => sum + one, 0) - width;
    const widest = Math.max(0, ...widths);
    if (excess <= 0 || widest <= COLUMN_MIN) return widths;
    const wide = widths.filter((one) => one === widest).length;
    const next = Math.max(COLUMN_MIN, ...widths.filter((one) => one < widest));
    const cut = Math.max(1, Math.min(widest - next, Math.ceil(excess / wide)));
    for (const [at, one] of widths.entries()) if (one === widest) widths[at] = one - cut;
  }
}

/** A value in one line, as it is printed: its width counts. */
function shown(value: unknown): string {
  return escapeLine(cellText(value).replace(/[\t\r\n\u2028\u2029]+/gu, ' '));
}

/** East Asian wide characters and emoji take two places (Unicode Standard Annex #11). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{Mn}|\p{Cf}/u;

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The side of a column that texts are aligned to: numbers to the right. */
type Side = 'left' | 'right';

/** The text with spaces, or cut with an ellipsis. */
function padded(text: string, width: number, side: Side): string {
  const own = widthOf(text);
  const spaces = ' '.repeat(Math.max(0, width - own));
  if (own <= width) return side === 'right' ? spaces + text : text + spaces;
  let cut = '';
  let used = 0;
  for (const character of text) {
    const next = used + characterWidth(character);
    if (next > width - 1) break;
    cut += character;
    used = next;
  }
  return `${cut}…${' '.repeat(Math.max(0, width - used - 1))}`;
}
