// The word break class (UAX #29) of each code point, in a two-level table: the page of 256 code
// points, then the entry. The runs are generated (scripts/generate-word-break.ts); the pages are
// built when the module loads.
import { WORD_BREAK_RUNS } from './word-break.generated.ts';

// Word_Break classes; the low five bits of an entry.
export const OTHER = 0;
export const A_LETTER = 1;
export const HEBREW_LETTER = 2;
export const NUMERIC = 3;
export const KATAKANA = 4;
export const EXTEND_NUM_LET = 5;
export const MID_LETTER = 6;
export const MID_NUM = 7;
export const MID_NUM_LET = 8;
export const SINGLE_QUOTE = 9;
export const DOUBLE_QUOTE = 10;
/** Extend, Format and ZWJ: attached to the character before them. */
export const EXTEND = 11;
export const REGIONAL_INDICATOR = 12;
/** Line_Break=Complex_Context without a Word_Break class: Thai, Lao, Khmer, Myanmar … letters. */
export const COMPLEX = 13;
export const HAN = 14;
export const HIRAGANA = 15;
export const CLASS_MASK = 0x1f;
export const CLASS_COUNT = 16;

/**
 * Starts an emoji (Extended_Pictographic, or Emoji except key cap bases, flag letters and
 * modifiers).
 */
export const FLAG_EMOJI = 0x20;
/** Line_Break=Complex_Context, marks included. */
export const FLAG_COMPLEX = 0x40;

const PAGE_BITS = 8;
const PAGE_SIZE = 1 << PAGE_BITS;
const LAST_CODE_POINT = 0x10ffff;

const { pageOf, entries } = buildPages();

/** Class and flags of a code point; 0 beyond Unicode. */
export function wordBreakOf(codePoint: number): number {
  const page = pageOf[codePoint >> PAGE_BITS] ?? 0;
  return entries[(page << PAGE_BITS) | (codePoint & (PAGE_SIZE - 1))] ?? OTHER;
}

/** Builds the table. Page 0 is empty, and all empty pages share it. */
function buildPages(): { pageOf: Uint16Array; entries: Uint8Array } {
  const pages: Uint8Array[] = [new Uint8Array(PAGE_SIZE)];
  const pageOf = new Uint16Array((LAST_CODE_POINT + 1) >> PAGE_BITS);
  let at = 0;
  for (const line of WORD_BREAK_RUNS) {
    for (const run of line.split(',')) {
      const [gap = 0, length = 0, value = 0] = run.split(' ').map((part) => parseInt(part, 36));
      at += gap;
      const end = at + length;
      while (at < end) {
        const page = at >> PAGE_BITS;
        if (pageOf[page] === 0) pageOf[page] = pages.push(new Uint8Array(PAGE_SIZE)) - 1;
        const pageEnd = Math.min(end, (page + 1) << PAGE_BITS);
        pages[pageOf[page] ?? 0]?.fill(value, at & (PAGE_SIZE - 1), pageEnd - (page << PAGE_BITS));
        at = pageEnd;
      }
    }
  }
  const entries = new Uint8Array(pages.length << PAGE_BITS);
  pages.forEach((content, page) => {
    entries.set(content, page << PAGE_BITS);
  });
  return { pageOf, entries };
}
