// Splits text into words: UAX #29 as implemented by Lucene 10's StandardTokenizer, lower-cased.
// Emoji are words, each ideograph and each hiragana character is a word, runs of South-East Asian
// letters stay whole, punctuation is dropped. Most text is ASCII and takes a separate loop;
// words.test.ts checks that both paths agree.
import { fold } from './fold.ts';
import { tokenEnd } from './token-end.ts';

/** One lower-cased word of a text, with its UTF-16 offsets. */
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Longer words are split into pieces of this many UTF-16 units
 * (StandardTokenizer.MAX_TOKEN_LENGTH_DEFAULT).
 */
export const MAX_WORD_LENGTH = 255;

/** Returns the words of a text in order. */
export function words(text: string): Word[] {
  const result: Word[] = [];
  scan(text, (term, start, end) => result.push({ term, start, end }));
  return result;
}

/** Calls `emit` with each word in order; allocates only the words. */
export function eachWord(text: string, emit: (term: string) => void): void {
  scan(text, emit);
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
const MID_LETTER = 5;
const MID_NUM = 6;
const MID_NUM_LET = 7;
/** `#` and `*`: start a word only before a combining key cap. */
const KEY_CAP = 8;

const ASCII = new Uint8Array(128);
ASCII.fill(LOWER, 0x61, 0x7b);
ASCII.fill(UPPER, 0x41, 0x5b);
ASCII.fill(DIGIT, 0x30, 0x3a);
ASCII[0x5f] = UNDERSCORE;
ASCII[0x3a] = MID_LETTER;
ASCII[0x2c] = MID_NUM;
ASCII[0x3b] = MID_NUM;
ASCII[0x2e] = MID_NUM_LET;
ASCII[0x27] = MID_NUM_LET;
ASCII[0x23] = KEY_CAP;
ASCII[0x2a] = KEY_CAP;

function scan(text: string, emit: (term: string, start: number, end: number) => void): void {
  const length = text.length;
  let start = 0;
  while (start < length) {
    const limit = Math.min(length, start + MAX_WORD_LENGTH);
    let at = start;
    let previous = OTHER;
    let upper = false;
    let content = false;
    let ascii = true;
    while (at < limit) {
      const code = text.charCodeAt(at);
      if (code > 127) {
        ascii = false;
        break;
      }
      const kind = ASCII[code] ?? OTHER;
      if (kind === OTHER) break;
      if (kind <= UNDERSCORE) {
        if (kind === UPPER) upper = true;
        if (kind !== UNDERSCORE) content = true;
        previous = kind;
        at += 1;
        continue;
      }
      const after = at + 1 < limit ? text.charCodeAt(at + 1) : 0;
      if (after > 127) {
        ascii = false;
        break;
      }
      if (!joins(previous, kind, ASCII[after] ?? OTHER)) break;
      at += 1;
    }
    if (ascii) {
      if (content) {
        const term = text.slice(start, at);
        emit(upper ? term.toLowerCase() : term, start, at);
      }
      if (at < limit)
        start = at + 1; // the character that ended the word cannot start the next one
      else start = content || at === length ? at : start + 1;
      continue;
    }
    const end = tokenEnd(text, start, wholeCodePoints(text, limit));
    if (end > start) {
      emit(fold(text.slice(start, end)), start, end);
      start = end;
    } else {
      start += (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
    }
  }
}

/** Whether `.`, `'`, `:`, `,` or `;` connects the characters on both sides into one word. */
function joins(previous: number, kind: number, after: number): boolean {
  if (previous === LOWER || previous === UPPER) {
    return kind !== MID_NUM && kind !== KEY_CAP && (after === LOWER || after === UPPER);
  }
  return previous === DIGIT && kind !== MID_LETTER && kind !== KEY_CAP && after === DIGIT;
}

/** Moves a limit back so that it does not split a surrogate pair. */
function wholeCodePoints(text: string, limit: number): number {
  if (limit === text.length) return limit;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
