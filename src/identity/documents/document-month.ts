// The home month of an event or account activity: which index holds it where OpenSearch has an index
// for each month. The store records it when a document is first written, and keeps it when `created`
// changes or the document is deleted, so that a document never moves and its deletion finds it.
// A month only decides where a document is, never whether a search finds it. So the text of the date
// is enough, and one in another time zone may be in a neighbouring month.

/** The home of documents without a usable date: a year from 2000 to 2099. */
export const OTHER_MONTHS = 'other';

const CREATED = '"created":"';
const MONTH_LENGTH = 7;
const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

/**
 * The month in the first `created` of a document, as in `2026-01`, or `other`.
 * @param root the stored root part: compact JSON
 */
export function monthOf(root: Uint8Array): string {
  const bytes = Buffer.from(root.buffer, root.byteOffset, root.length);
  const at = bytes.indexOf(CREATED);
  if (at === -1) return OTHER_MONTHS;
  const start = at + CREATED.length;
  const month = bytes.toString('latin1', start, start + MONTH_LENGTH);
  return MONTH.test(month) ? month : OTHER_MONTHS;
}
