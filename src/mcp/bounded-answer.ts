// Keeps the answers of tools small: an assistant reads them into a limited context. What does not
// fit is left out with a note that says how to get it.

/** Most bytes of an answer, in UTF-8. */
export const TOOL_BYTES_MAX = 48 * 1024;

/** How to get rows that did not fit, in parts of a sentence. */
export interface RowsRemedy {
  /** How to get smaller rows; begins the sentence. */
  readonly smaller: string;
  /** How to get the others. @param shown the number of rows in the answer */
  others(shown: number): string;
  /** How to get a row that is too large by itself. */
  readonly alone: string;
}

/**
 * Rows as JSON, those that fit.
 * @param head members before the rows
 */
export function rowsText(
  head: Readonly<Record<string, unknown>>,
  rows: readonly unknown[],
  { smaller, others, alone }: RowsRemedy,
  bytesMax = TOOL_BYTES_MAX,
): string {
  const texts: string[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(head)) + 400;
  for (const row of rows) {
    const text = JSON.stringify(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > bytesMax) break;
    texts.push(text);
  }
  const left = rows.length - texts.length;
  const note =
    texts.length === 0
      ? `Cut: the first of ${rows.length} rows alone is larger than ${bytesMax} bytes. ${smaller}, or ${alone}.`
      : `Cut: ${left} of ${rows.length} rows did not fit. ${smaller}, or ${others(texts.length)}.`;
  const members = left === 0 ? head : { ...head, note };
  const start = JSON.stringify(members).slice(0, -1);
  return `${start}${start === '{' ? '' : ','}"rows":[${texts.join(',')}]}`;
}

/**
 * A text, cut where it becomes too long.
 * @param remedy how to get a smaller answer, as a sentence
 */
export function cutText(text: string, remedy: string, bytesMax = TOOL_BYTES_MAX): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text;
  const note = `\n[Cut: ${bytes.length} bytes, of which the first ${bytesMax} are shown. ${remedy}]`;
  // A character that is cut in two becomes U+FFFD.
  return (
    bytes
      .subarray(0, bytesMax)
      .toString('utf8')
      .replace(/\uFFFD+$/, '') + note
  );
}
