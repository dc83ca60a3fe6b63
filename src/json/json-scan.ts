// One pass over the bytes of a JSON object before parsing: its depth, the offsets of its top-level
// members, the total number of members, and numbers or escapes that parsing would not preserve.
// Invariant: never fails on invalid JSON; JSON.parse, which runs next, checks the syntax.

/** The result of a scan. */
export interface Scan {
  /** Four offsets for each top-level member: key with quotes [0, 1), value [2, 3). */
  readonly members: number[];
  /** Members of all objects, duplicates included. */
  memberTotal: number;
  /** Objects and arrays at all levels. */
  containerTotal: number;
  maxDepth: number;
  /** Whether there is white space between tokens. */
  spaced: boolean;
  /** Offset of the first number that a double cannot hold, or -1. */
  lossyNumber: number;
  /** Offset of the first escape for NUL or half a surrogate pair, or -1. */
  badEscape: number;
  /** Offset of the first member name of more than `NAME_BYTES_MAX` bytes, or -1. */
  longName: number;
}

/** Most bytes of a member name; OpenSearch reads no name of more than 32 KiB. */
export const NAME_BYTES_MAX = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

// Meaning of a byte outside strings; 0 for a byte of a literal, or invalid.
const BLANK = 1;
const STRING = 2;
const OPEN = 3;
const CLOSE = 4;
const COLON = 5;
const COMMA = 6;
const NUMBER = 7;
const KIND = new Uint8Array(256);
for (const char of ' \t\r\n') KIND[char.charCodeAt(0)] = BLANK;
for (const char of '{[') KIND[char.charCodeAt(0)] = OPEN;
for (const char of '}]') KIND[char.charCodeAt(0)] = CLOSE;
for (const char of '-0123456789') KIND[char.charCodeAt(0)] = NUMBER;
KIND[QUOTE] = STRING;
KIND[':'.charCodeAt(0)] = COLON;
KIND[','.charCodeAt(0)] = COMMA;

function newScan(): Scan {
  return {
    members: [],
    memberTotal: 0,
    containerTotal: 0,
    maxDepth: 0,
    spaced: false,
    lossyNumber: -1,
    badEscape: -1,
    longName: -1,
  };
}

/** Scans an object; stops at the first container deeper than `depthLimit`. */
export function scanObject(bytes: Uint8Array, depthLimit: number): Scan {
  const scan = newScan();
  const length = bytes.length;
  let depth = 0;
  let key = -1;
  let keyEnd = -1;
  let value = -1;
  let string = -1;
  let stringBytes = 0;
  let i = 0;
  while (i < length) {
    switch (KIND[bytes[i] as number]) {
      case STRING: {
        string = i;
        i = stringEnd(bytes, i, scan);
        stringBytes = i - string - 2;
        if (depth === 1 && value === -1) {
          key = string;
          keyEnd = i;
        }
        break;
      }
      case OPEN:
        depth++;
        scan.containerTotal++;
        if (depth > scan.maxDepth) scan.maxDepth = depth;
        if (depth > depthLimit) return scan;
        i++;
        break;
      case CLOSE:
        if (depth === 1 && value !== -1) scan.members.push(key, keyEnd, value, i);
        depth--;
        i++;
        break;
      case COLON:
        scan.memberTotal++;
        if (stringBytes > NAME_BYTES_MAX && scan.longName === -1) scan.longName = string;
        i++;
        if (depth === 1) value = i;
        break;
      case COMMA:
        if (depth === 1) {
          if (value !== -1) scan.members.push(key, keyEnd, value, i);
          value = -1;
        }
        i++;
        break;
      case NUMBER:
        i = numberEnd(bytes, i, scan);
        break;
      case BLANK:
        scan.spaced = true;
        i++;
        break;
      default:
        i++;
    }
  }
  return scan;
}

/** Removes white space between tokens. */
export function compact(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length);
  const scan = newScan();
  let length = 0;
  let i = 0;
  while (i < bytes.length) {
    const byte = bytes[i] as number;
    const kind = KIND[byte];
    if (kind === STRING) {
      const end = stringEnd(bytes, i, scan);
      result.set(bytes.subarray(i, end), length);
      length += end - i;
      i = end;
    } else {
      if (kind !== BLANK) result[length++] = byte;
      i++;
    }
  }
  return result.subarray(0, length);
}

/** The offset after the closing quote. */
function stringEnd(bytes: Uint8Array, start: number, scan: Scan): number {
  const length = bytes.length;
  let i = start + 1;
  while (i < length) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) {
      if (bytes[i + 1] === LETTER_U) {
        i = escapeEnd(bytes, i, scan);
        continue;
      }
      i++;
    }
    i++;
  }
  return length;
}

/** The offset after `\uXXXX`, or after both halves of a surrogate pair. */
function escapeEnd(bytes: Uint8Array, start: number, scan: Scan): number {
  const unit = codeUnit(bytes, start);
  let end = start + 6;
  let bad = unit === 0 || (unit >= 0xdc00 && unit <= 0xdfff);
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const next = codeUnit(bytes, end);
    bad = !(next >= 0xdc00 && next <= 0xdfff);
    if (!bad) end += 6;
  }
  if (bad && scan.badEscape === -1) scan.badEscape = start;
  return end;
}

/** The code unit of the `\uXXXX` at `at`, or -1. */
function codeUnit(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return -1;
  const digits = latin1(bytes, at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
}

const NUMBER_PART = new Uint8Array(256);
for (const char of '-+.eE0123456789') NUMBER_PART[char.charCodeAt(0)] = 1;

/** Numbers of up to 15 characters without an exponent are always preserved; others are checked. */
const SAFE_CHARACTERS = 15;

function numberEnd(bytes: Uint8Array, start: number, scan: Scan): number {
  let i = start + 1;
  let exponent = false;
  while (i < bytes.length && NUMBER_PART[bytes[i] as number] === 1) {
    if (((bytes[i] as number) | 0x20) === 0x65) exponent = true;
    i++;
  }
  if ((exponent || i - start > SAFE_CHARACTERS) && scan.lossyNumber === -1) {
    if (isLossy(latin1(bytes, start, i))) scan.lossyNumber = start;
  }
  return i;
}

/** Most characters of a number; OpenSearch reads no number of more than 1,000 digits. */
const NUMBER_MAX = 1_000;

/**
 * Whether a double would overflow, lose a digit of an integer, underflow to zero, or lose nearly
 * all digits of a decimal number.
 */
function isLossy(text: string): boolean {
  const value = Number(text);
  if (Number.isNaN(value)) return false;
  if (text.length > NUMBER_MAX) return true;
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(text)) return !Number.isSafeInteger(value);
  return value === 0 && /^-?[0.]*[1-9]/.test(text);
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < Math.min(end, bytes.length); i++) {
    text += String.fromCharCode(bytes[i] as number);
  }
  return text;
}
