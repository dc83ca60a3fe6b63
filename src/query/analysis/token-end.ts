// Finds the end of the word that starts at an offset: the longest match of the rules of Lucene's
// StandardTokenizer (StandardTokenizerImpl.jflex) for words and numbers, South-East Asian runs,
// single ideographs and emoji.
import {
  A_LETTER,
  CLASS_COUNT,
  CLASS_MASK,
  COMPLEX,
  DOUBLE_QUOTE,
  EXTEND,
  EXTEND_NUM_LET,
  FLAG_COMPLEX,
  FLAG_EMOJI,
  HAN,
  HEBREW_LETTER,
  HIRAGANA,
  KATAKANA,
  MID_LETTER,
  MID_NUM,
  MID_NUM_LET,
  NUMERIC,
  REGIONAL_INDICATOR,
  SINGLE_QUOTE,
  wordBreakOf,
} from './word-break.ts';

/**
 * Returns the offset after the word at `start`, at most `limit`; `start` if no word starts there.
 */
export function tokenEnd(text: string, start: number, limit: number): number {
  const codePoint = text.codePointAt(start) ?? 0;
  const wordBreak = wordBreakOf(codePoint);
  const cls = wordBreak & CLASS_MASK;
  const after = start + width(codePoint);
  if (after > limit) return start;
  let end = start;
  if (cls >= A_LETTER && cls <= EXTEND_NUM_LET) end = wordEnd(text, start, limit);
  else if (cls === HAN || cls === HIRAGANA) end = extendEnd(text, after, limit);
  if ((wordBreak & FLAG_COMPLEX) !== 0 || cls === COMPLEX) {
    end = Math.max(end, complexEnd(text, start, limit));
  }
  if ((wordBreak & FLAG_EMOJI) !== 0) end = Math.max(end, emojiEnd(text, after, limit));
  else if (codePoint === ZWJ) end = Math.max(end, joinedEmojiEnd(text, start, limit));
  else if (isModifier(codePoint)) end = Math.max(end, modifierEnd(text, after, limit));
  else if (cls === REGIONAL_INDICATOR) end = flagEnd(text, start, after, limit);
  else if (codePoint === HASH || codePoint === STAR) end = keyCapEnd(text, start, after, limit);
  return end;
}

const HASH = 0x23;
const STAR = 0x2a;
const ZWJ = 0x200d;
const KEY_CAP = 0x20e3;
const TEXT_PRESENTATION = 0xfe0e;
const EMOJI_PRESENTATION = 0xfe0f;
const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;
const TAG_TERM = 0xe007f;

// States of the word rule. Those below FIRST_PENDING, START apart, may end a word.
const START = 0;
const LETTER = 1;
const HEBREW = 2;
const NUMBER = 3;
const KANA = 4;
const JOINER = 5;
/** A Hebrew letter and its quote: a complete word that only a new unit may follow. */
const HEBREW_DONE = 6;
const FIRST_PENDING = 7;
const LETTER_MID = 7;
const NUMBER_MID = 8;
const HEBREW_QUOTED = 9;
const STATE_COUNT = 10;
const STOP = 255;

/** By state and word break class: the next state. */
const TRANSITIONS = transitions();

function transitions(): Uint8Array {
  const table = new Uint8Array(STATE_COUNT * CLASS_COUNT).fill(STOP);
  const add = (states: readonly number[], cls: number, next: number): void => {
    for (const state of states) table[state * CLASS_COUNT + cls] = next;
  };
  const beforeUnit = [START, LETTER, HEBREW, NUMBER, JOINER, HEBREW_DONE];
  add([...beforeUnit, LETTER_MID], A_LETTER, LETTER); // WB5-7, WB10, WB13b
  add(beforeUnit, HEBREW_LETTER, HEBREW);
  add([LETTER_MID], HEBREW_LETTER, LETTER);
  add([HEBREW_QUOTED], HEBREW_LETTER, HEBREW_DONE); // WB7b, WB7c
  add([...beforeUnit, NUMBER_MID], NUMERIC, NUMBER); // WB8, WB9, WB11, WB12
  add([START, KANA, JOINER], KATAKANA, KANA); // WB13
  add([START], EXTEND_NUM_LET, START);
  add([LETTER, HEBREW, NUMBER, KANA, JOINER, HEBREW_DONE], EXTEND_NUM_LET, JOINER); // WB13a
  add([LETTER, HEBREW], MID_LETTER, LETTER_MID);
  add([LETTER, HEBREW], MID_NUM_LET, LETTER_MID);
  add([LETTER], SINGLE_QUOTE, LETTER_MID);
  add([HEBREW], SINGLE_QUOTE, HEBREW_DONE); // WB7a
  add([HEBREW], DOUBLE_QUOTE, HEBREW_QUOTED);
  add([NUMBER], MID_NUM, NUMBER_MID);
  add([NUMBER], MID_NUM_LET, NUMBER_MID);
  add([NUMBER], SINGLE_QUOTE, NUMBER_MID);
  return table;
}

function wordEnd(text: string, start: number, limit: number): number {
  let state = START;
  let end = start;
  let at = start;
  while (at < limit) {
    const codePoint = text.codePointAt(at) ?? 0;
    const next = at + width(codePoint);
    if (next > limit) break;
    const cls = wordBreakOf(codePoint) & CLASS_MASK;
    if (cls !== EXTEND) {
      state = TRANSITIONS[state * CLASS_COUNT + cls] ?? STOP;
      if (state === STOP) break;
    }
    at = next;
    if (state > START && state < FIRST_PENDING) end = at;
  }
  return end;
}

function complexEnd(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit) {
    const codePoint = text.codePointAt(at) ?? 0;
    const wordBreak = wordBreakOf(codePoint);
    if ((wordBreak & FLAG_COMPLEX) === 0 && (at === start || (wordBreak & CLASS_MASK) !== EXTEND))
      break;
    if (at + width(codePoint) > limit) break;
    at += width(codePoint);
  }
  return at;
}

/** Returns the offset after the Extend, Format and ZWJ characters that start at `at`. */
function extendEnd(text: string, at: number, limit: number): number {
  let end = at;
  while (end < limit) {
    const codePoint = text.codePointAt(end) ?? 0;
    if ((wordBreakOf(codePoint) & CLASS_MASK) !== EXTEND || end + width(codePoint) > limit) break;
    end += width(codePoint);
  }
  return end;
}

/** As `extendEnd`, but stops at a presentation selector, which is part of an emoji sequence. */
function plainExtendEnd(text: string, at: number, limit: number): number {
  let end = at;
  while (end < limit) {
    const codePoint = text.codePointAt(end) ?? 0;
    if (codePoint === TEXT_PRESENTATION || codePoint === EMOJI_PRESENTATION) break;
    if ((wordBreakOf(codePoint) & CLASS_MASK) !== EXTEND || end + width(codePoint) > limit) break;
    end += width(codePoint);
  }
  return end;
}

/** The end of an emoji sequence (UTS #51 emoji_sequence) whose first emoji ends at `at`. */
function emojiEnd(text: string, at: number, limit: number): number {
  let end = at;
  for (let first = true; ; first = false) {
    end = plainExtendEnd(text, end, limit);
    let joined = text.charCodeAt(end - 1) === ZWJ;
    if (end < limit && text.charCodeAt(end) === EMOJI_PRESENTATION) {
      end += 1;
      if (first) end = tagEnd(text, end, limit);
      joined = false;
    }
    let next = end;
    while (next < limit && text.charCodeAt(next) === ZWJ) next += 1;
    if (next === end && !joined) return end;
    const codePoint = next < limit ? (text.codePointAt(next) ?? 0) : 0;
    const emoji = (wordBreakOf(codePoint) & FLAG_EMOJI) !== 0;
    if (!(emoji || (isModifier(codePoint) && next === end + 1))) return end;
    if (next + width(codePoint) > limit) return end;
    end = next + width(codePoint);
  }
}

/** The end of an emoji sequence that starts with joiners; `start` if it is none. */
function joinedEmojiEnd(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && text.charCodeAt(at) === ZWJ) at += 1;
  const codePoint = at < limit ? (text.codePointAt(at) ?? 0) : 0;
  if ((wordBreakOf(codePoint) & FLAG_EMOJI) === 0 || at + width(codePoint) > limit) return start;
  return emojiEnd(text, at + width(codePoint), limit);
}

/** Returns the offset after a tag sequence and its terminator; `at` if there is none. */
function tagEnd(text: string, at: number, limit: number): number {
  let end = at;
  while (end + 2 <= limit) {
    const codePoint = text.codePointAt(end) ?? 0;
    if (codePoint === TAG_TERM && end > at) return end + 2;
    if (codePoint < TAG_FIRST || codePoint > TAG_LAST) return at;
    end += 2;
  }
  return at;
}

function flagEnd(text: string, start: number, after: number, limit: number): number {
  const second = extendEnd(text, after, limit);
  const codePoint = second < limit ? (text.codePointAt(second) ?? 0) : 0;
  if ((wordBreakOf(codePoint) & CLASS_MASK) !== REGIONAL_INDICATOR) return start;
  return second + 2 <= limit ? extendEnd(text, second + 2, limit) : start;
}

function keyCapEnd(text: string, start: number, after: number, limit: number): number {
  const plain = plainExtendEnd(text, after, limit);
  if (
    text.charCodeAt(plain) === EMOJI_PRESENTATION &&
    text.charCodeAt(plain + 1) === KEY_CAP &&
    plain + 2 <= limit
  ) {
    return plainExtendEnd(text, plain + 2, limit);
  }
  return text.slice(after, plain).includes('\u20e3') ? plain : start;
}

/**
 * A modifier without an emoji before it takes no presentation selector, nor do the characters after
 * it up to the next emoji.
 */
function modifierEnd(text: string, after: number, limit: number): number {
  for (let at = after; at < limit; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint === EMOJI_PRESENTATION) return emojiEnd(text, after, at);
    if ((wordBreakOf(codePoint) & FLAG_EMOJI) !== 0) break;
    at += width(codePoint);
  }
  return emojiEnd(text, after, limit);
}

function isModifier(codePoint: number): boolean {
  return codePoint >= 0x1f3fb && codePoint <= 0x1f3ff;
}

function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
