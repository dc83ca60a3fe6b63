// The source of a document in OpenSearch: the bytes of the document with columns inserted, and in
// its first member the places of both. OpenSearch stores and returns these bytes unchanged, so that
// the document is cut out of an answer without parsing it. The first member, in decimal digits:
//
//   CRC-32 of all bytes after it | key of the document | sequence of its change | places
//
// Any write of another program gives a document another version than its sequence, so the checksum,
// which costs a tenth of a page, is computed only where these differ.
// Invariant: bytes are cut only from a source that has the version of its change, or its checksum.
import { crc32 } from 'node:zlib';
import { HASH_START, hashText } from '../../../query/fnv-hash.ts';
import { SOURCE } from './columns.ts';

/** The two byte ranges of a document that a response is spliced from (StoredDocument). */
export interface DocumentParts {
  readonly root: Uint8Array;
  readonly nested: Uint8Array;
}

/** What a source says of itself besides its places. */
export interface SourceStamp {
  /** By `sourceKey`. */
  readonly key: number;
  readonly sequence: number;
}

type Members = Readonly<Record<string, unknown>>;

/** A hash of what identifies a document in OpenSearch, so that its source is not taken for another's. */
export function sourceKey(tenantId: string, index: string, _id: string): number {
  return keyOfId(keyBeginning(tenantId, index), _id);
}

/** The part of `sourceKey` that all documents of an index have in common. */
export function keyBeginning(tenantId: string, index: string): number {
  return hashText(hashText(HASH_START, tenantId), index);
}

/** The rest of `sourceKey`. */
export function keyOfId(beginning: number, _id: string): number {
  return hashText(beginning, _id) >>> 0;
}

/** What every source begins with; then come the places, and a quote. */
const OPENING = Buffer.from(`{"${SOURCE.places}":"`);
const NO_BYTES = new Uint8Array(0);
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
/** Where the insertions begin among the numbers of the first member. */
const FIRST_INSERTION = 8;
const BACKSLASH = 0x5c;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

/**
 * The source of a document whose strings OpenSearch finds by itself.
 * @param rows columns of the elements, and the offsets in `nested` where they are inserted: before
 *   the closing brace of each, ascending
 * @param columns those of the document
 */
export function plainSource(
  { root, nested }: DocumentParts,
  { ends, rows }: { readonly ends: readonly number[]; readonly rows: readonly Members[] },
  columns: Members,
  stamp: SourceStamp,
): Buffer {
  const pieces: Uint8Array[] = [COMMA_BYTE, root.subarray(1, root.length - 1)];
  const insertions: number[] = [];
  let from = 0;
  if (nested.length > 0) pieces.push(COMMA_BYTE);
  for (const [at, end] of ends.entries()) {
    const text = membersOf(rows[at] ?? {});
    if (text === '') continue; // as in nearly all elements
    const members = Buffer.from(`,${text}`);
    pieces.push(nested.subarray(from, end), members);
    insertions.push(end - from, members.length);
    from = end;
  }
  pieces.push(nested.subarray(from), Buffer.from(`,${membersOf(columns)}}`));
  const places = { root: 1, rootLength: root.length - 2, gap: 1, nested, insertions };
  return sourceOf(pieces, places, stamp);
}

/** The source of a document that OpenSearch must not read: `columns` are all there is to index. */
export function explicitSource(
  { root, nested }: DocumentParts,
  columns: Members,
  stamp: SourceStamp,
): Buffer {
  const opening = Buffer.from(`,"${SOURCE.root}":`);
  const between = Buffer.from(`,"${SOURCE.nested}":{`);
  const pieces = [opening, root, between, nested, Buffer.from(`},${membersOf(columns)}}`)];
  const places = {
    ...{ root: opening.length + 1, rootLength: root.length - 2 },
    ...{ gap: between.length + 1, nested, insertions: [] },
  };
  return sourceOf(pieces, places, stamp);
}

const COMMA_BYTE = Uint8Array.of(COMMA);

interface Places {
  /** Where the members of the root start, after the first member of the source. */
  readonly root: number;
  readonly rootLength: number;
  /** From the end of the members of the root to the nested members. */
  readonly gap: number;
  readonly nested: Uint8Array;
  /** Pairs: bytes of the document that precede an insertion, and bytes of the insertion. */
  readonly insertions: readonly number[];
}

function sourceOf(
  pieces: readonly Uint8Array[],
  { root, rootLength, gap, nested, insertions }: Places,
  { key, sequence }: SourceStamp,
): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const numbers = [key, sequence, length, root, rootLength, gap, nested.length, ...insertions];
  const checked = Buffer.concat([Buffer.from(`${numbers.join(' ')}"`), ...pieces]);
  return Buffer.concat([OPENING, Buffer.from(`${crc32(checked)} `), checked]);
}

/** The members of an object in JSON, without braces; a single value needs no array. */
function membersOf(object: Members): string {
  return JSON.stringify(object, (_name, value: unknown) =>
    Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value,
  ).slice(1, -1);
}

/**
 * The offsets of the closing braces of all elements: the objects of the arrays of nested members.
 * @param nested valid JSON members, compact
 */
export function rowEnds(nested: Uint8Array): number[] {
  const ends: number[] = [];
  /** Objects that are open. */
  let objects = 0;
  for (let at = 0; at < nested.length; at += 1) {
    switch (nested[at]) {
      case QUOTE:
        at = stringEnd(nested, at);
        break;
      case OBJECT_OPEN:
        objects += 1;
        break;
      case OBJECT_CLOSE:
        objects -= 1;
        if (objects === 0) ends.push(at);
        break;
    }
  }
  return ends;
}

/** The offset of the closing quote of a string. */
function stringEnd(bytes: Uint8Array, open: number): number {
  let at = open + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** A document within an answer, and where its source ends. */
export interface CutSource {
  readonly parts: DocumentParts;
  readonly stamp: SourceStamp;
  readonly end: number;
}

/** Whether a source begins here. */
export function startsSource(bytes: Buffer, at: number): boolean {
  return bytes.compare(OPENING, 0, OPENING.length, at, at + OPENING.length) === 0;
}

/**
 * Cuts a document out of an answer, which is overwritten: the parts are views of it.
 * @param start of the source, for which `startsSource` is true
 * @param version of the document in OpenSearch, if it is known
 * @returns null if the bytes are not those that were fed; the answer is then as it was
 */
export function cutSource(
  bytes: Buffer,
  start: number,
  version: number | undefined,
): CutSource | null {
  const close = bytes.indexOf(QUOTE, start + OPENING.length);
  if (close === -1) return null;
  const numbers = numbersOf(bytes, start + OPENING.length, close);
  const checksum = numbers[0];
  const key = numbers[1] ?? 0;
  const sequence = numbers[2] ?? 0;
  const length = numbers[3] ?? 0;
  const rootAt = numbers[4] ?? 0;
  const rootLength = numbers[5] ?? 0;
  const gap = numbers[6] ?? 0;
  const nestedLength = numbers[7] ?? 0;
  const base = close + 1;
  const end = base + length;
  // Also false for a number that is none.
  if (!(length > 0 && end <= bytes.length)) return null;
  if (version !== sequence || bytes[end - 1] !== OBJECT_CLOSE || bytes[base] !== COMMA) {
    const checked = bytes.indexOf(BLANK, start + OPENING.length) + 1;
    if (checked > close || crc32(bytes.subarray(checked, end)) !== checksum) return null;
  }
  const rootStart = base + rootAt;
  const rootEnd = rootStart + rootLength;
  let nested: Uint8Array = NO_BYTES;
  if (nestedLength > 0) {
    const from = rootEnd + gap;
    let to = from;
    let read = from;
    for (let i = FIRST_INSERTION; i < numbers.length; i += 2) {
      const kept = numbers[i] ?? 0;
      if (to !== read) bytes.copyWithin(to, read, read + kept);
      to += kept;
      read += kept + (numbers[i + 1] ?? 0);
    }
    const rest = from + nestedLength - to;
    if (to !== read) bytes.copyWithin(to, read, read + rest);
    nested = bytes.subarray(from, from + nestedLength);
  }
  // What surrounds the members is a comma or a brace already.
  bytes[rootStart - 1] = OBJECT_OPEN;
  bytes[rootEnd] = OBJECT_CLOSE;
  return {
    parts: { root: bytes.subarray(rootStart - 1, rootEnd + 1), nested },
    stamp: { key, sequence },
    end,
  };
}

/** The numbers of a list in decimal digits, separated by blanks. */
function numbersOf(bytes: Buffer, from: number, to: number): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === BLANK) {
      numbers.push(number);
      number = 0;
    } else number = 10 * number + byte - ZERO;
  }
  numbers.push(number);
  return numbers;
}
