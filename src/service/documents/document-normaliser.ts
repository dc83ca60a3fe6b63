// Converts a search document, exactly as a search API returned it, to its stored form: checked
// against the mapping, without the envelope, in two byte parts. The bytes of members are kept as
// received.
// Invariant: anything that would silently be lost or rounded is rejected by name.
import { isAscii, isUtf8 } from 'node:buffer';
import { duplicateMember, pathAt } from '../../json/json-naming.ts';
import { compact, NAME_BYTES_MAX, type Scan, scanObject } from '../../json/json-scan.ts';
import { jsonFaultClause } from '../../json/json-syntax.ts';
import { typeOf } from '../../query/mapping/document-types.ts';
import type { Field, Mapping } from '../../query/mapping/mapping.ts';
import type { StoredDocument } from '../ports/stored-document.ts';
import { documentHash } from './document-hash.ts';
import { DocumentFault, type DocumentShape } from './document-shape.ts';

/** Maximum depth of a document. */
const DOCUMENT_DEPTH_MAX = 64;
/**
 * Maximum number of objects, arrays and members: JSON.parse creates as many within 40 ms, and
 * cannot be interrupted.
 */
export const DOCUMENT_PARTS_MAX = 80_000;
/** Maximum length of an id in UTF-16 units. */
const ID_MAX = 256;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
const COMMA = 0x2c;

export interface NormalisedDocument {
  readonly document: StoredDocument;
  /** Dynamic fields that the shape does not have yet. */
  readonly newFields: readonly Field[];
  /** Dynamic paths with values that are stored, and that no query finds. */
  readonly misplaced: readonly string[];
}

/** A decoded and parsed document, before its index is determined. */
export interface ParsedDocument {
  readonly bytes: Buffer;
  readonly value: Readonly<Record<string, unknown>>;
  readonly scan: Scan;
}

/**
 * Decodes and parses a text.
 * @throws DocumentFault naming the fault
 */
export function parseDocument(text: Uint8Array | string): ParsedDocument {
  let bytes = toBytes(text);
  if (!isUtf8(bytes)) throw new DocumentFault('not valid UTF-8');
  let scan = scanObject(bytes, DOCUMENT_DEPTH_MAX);
  if (scan.maxDepth > DOCUMENT_DEPTH_MAX) {
    throw new DocumentFault(`nested deeper than ${DOCUMENT_DEPTH_MAX} levels`);
  }
  const parts = scan.containerTotal + scan.memberTotal;
  if (parts > DOCUMENT_PARTS_MAX) {
    throw new DocumentFault(
      `more than ${DOCUMENT_PARTS_MAX} objects, arrays and members, found ${parts}`,
    );
  }
  const decoded = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(decoded);
  } catch {
    throw new DocumentFault(`not valid JSON ${jsonFaultClause(decoded, ' of the element')}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DocumentFault('not a JSON object');
  }
  refuseUnstorable(bytes, scan);
  if (scan.spaced) {
    bytes = toBytes(compact(bytes));
    scan = scanObject(bytes, DOCUMENT_DEPTH_MAX);
  }
  return { bytes, value: value as Record<string, unknown>, scan };
}

/**
 * Checks a parsed document against its mapping and splits it.
 * @param mapping the mapping that `shape` was created from
 * @param synced ISO 8601, default for documents without it; does not count as a change
 * @throws DocumentFault naming the fault
 */
export function normaliseDocument(
  parsed: ParsedDocument,
  mapping: Mapping,
  shape: DocumentShape,
  synced: string,
  buffers: DocumentBuffers,
): NormalisedDocument {
  const { value } = parsed;
  const id = documentId(value['id']);
  refuseForeignType(value, mapping);
  const { runs, duplicates } = split(parsed, mapping, shape);
  const newFields = shape.takeCandidates();
  const misplaced = shape.takeMisplaced();
  if (duplicates) {
    const name = duplicateMember(decode(parsed.bytes));
    throw new DocumentFault(`the member ${name ?? ''} appears twice`);
  }
  const hasSynced = typeof value['synced'] === 'string';
  const document = assemble(mapping, id, runs, hasSynced ? null : synced, buffers);
  return { document, newFields, misplaced };
}

/** Members that are adjacent in the source and belong to the same part: copied at once. */
interface Run {
  readonly nested: boolean;
  readonly bytes: Uint8Array;
  readonly start: number;
  end: number;
}

function split(
  { bytes, value, scan }: ParsedDocument,
  mapping: Mapping,
  shape: DocumentShape,
): { runs: Run[]; duplicates: boolean } {
  const { members: at } = scan;
  const names = memberNames(bytes, value, at);
  const runs: Run[] = [];
  if (names === null) return { runs, duplicates: true };
  const converted = value as Record<string, unknown>;
  let total = names.length;
  // Clear what an earlier, rejected document may have left.
  shape.takeChanged();
  shape.takeCandidates();
  shape.takeMisplaced();
  let run: Run | null = null;
  for (let m = 0; m < names.length; m++) {
    const name = names[m] as string;
    total += shape.check(converted, name);
    const changed = shape.takeChanged();
    if (Object.hasOwn(mapping.constants, name)) continue;
    const nested = mapping.nestedPaths.includes(name);
    if (value[name] === null && (nested || name === 'synced')) continue;
    const start = at[4 * m] as number;
    const end = at[4 * m + 3] as number;
    if (changed) {
      const text = Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(converted[name])}`);
      runs.push({ nested, bytes: text, start: 0, end: text.length });
      run = null;
    } else if (run !== null && run.nested === nested && run.end + 1 === start) {
      run.end = end;
    } else {
      run = { nested, bytes, start, end };
      runs.push(run);
    }
  }
  // Parsing keeps only one of two members with the same name, so fewer than in the text means
  // duplicates.
  return { runs, duplicates: total !== scan.memberTotal };
}

/** The names of the top-level members in text order; null for duplicates. */
function memberNames(
  bytes: Buffer,
  value: ParsedDocument['value'],
  at: readonly number[],
): readonly string[] | null {
  const names = Object.keys(value);
  if (4 * names.length !== at.length) return null;
  // Text order is object order, except for numeric names, which come first in an object.
  if (!names.some(startsWithDigit)) return names;
  return names.map((_, m) =>
    JSON.parse(bytes.toString('utf8', at[4 * m] as number, at[4 * m + 1] as number)),
  );
}

function startsWithDigit(name: string): boolean {
  const unit = name.charCodeAt(0);
  return unit >= 0x30 && unit <= 0x39;
}

function assemble(
  mapping: Mapping,
  id: string,
  runs: readonly Run[],
  synced: string | null,
  buffers: DocumentBuffers,
): StoredDocument {
  const added = synced === null ? '' : `"synced":${JSON.stringify(synced)},`;
  const rootStart = 1 + added.length;
  let rootLength = rootStart + 1;
  let nestedLength = 0;
  for (const { nested, start, end } of runs) {
    if (nested) nestedLength += end - start + (nestedLength > 0 ? 1 : 0);
    else rootLength += end - start + (rootLength > rootStart + 1 ? 1 : 0);
  }
  const all = buffers.allocate(rootLength + nestedLength);
  all[0] = OBJECT_OPEN;
  all.write(added, 1, 'latin1');
  let rootAt = rootStart;
  let nestedAt = rootLength;
  for (const { nested, bytes, start, end } of runs) {
    const part = bytes.subarray(start, end);
    if (nested) {
      if (nestedAt > rootLength) all[nestedAt++] = COMMA;
      all.set(part, nestedAt);
      nestedAt += part.length;
    } else {
      if (rootAt > rootStart) all[rootAt++] = COMMA;
      all.set(part, rootAt);
      rootAt += part.length;
    }
  }
  all[rootAt] = OBJECT_CLOSE;
  const root = all.subarray(0, rootLength);
  const nested = all.subarray(rootLength);
  const hash = documentHash(root.subarray(added.length), nested);
  return { index: mapping.index, id, root, nested, hash };
}

const SLAB_BYTES = 256 * 1024;

/**
 * Memory for documents, cut from larger buffers: an allocation for each document would take a tenth
 * of the time of an import.
 */
export class DocumentBuffers {
  #slab = Buffer.alloc(0);
  #used = 0;

  allocate(length: number): Buffer {
    if (length > SLAB_BYTES / 8) return Buffer.allocUnsafeSlow(length);
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    this.#used += length;
    return this.#slab.subarray(this.#used - length, this.#used);
  }
}

function documentId(id: unknown): string {
  if (id === undefined) throw new DocumentFault('id is missing');
  if (typeof id !== 'string' || id === '')
    throw new DocumentFault('id must be a string that is not empty');
  if (id.length > ID_MAX) throw new DocumentFault(`id is longer than ${ID_MAX} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id))
    throw new DocumentFault('id has a control character');
  return id;
}

/** `type` repeats `_type` except in events; a different value would be lost with the envelope. */
function refuseForeignType(value: Readonly<Record<string, unknown>>, mapping: Mapping): void {
  const type = value['type'];
  if (type === undefined || type === null || !Object.hasOwn(mapping.constants, 'type')) return;
  const expected = typeOf(mapping.index);
  if (type !== expected) {
    throw new DocumentFault(
      `type must be "${expected}", not ${JSON.stringify(type)?.slice(0, 80)}`,
    );
  }
}

function refuseUnstorable(bytes: Buffer, scan: Scan): void {
  const { lossyNumber, badEscape, longName } = scan;
  if (lossyNumber !== -1) {
    throw new DocumentFault(`${nameAt(bytes, lossyNumber)} is a number that would lose digits`);
  }
  if (badEscape !== -1) {
    throw new DocumentFault(`${nameAt(bytes, badEscape)} has a NUL or half of a surrogate pair`);
  }
  if (longName !== -1) {
    const beginning = nameAt(bytes, longName).slice(0, 60);
    throw new DocumentFault(`${beginning}… is a name of more than ${NAME_BYTES_MAX} bytes`);
  }
}

function nameAt(bytes: Buffer, offset: number): string {
  return pathAt(decode(bytes), decode(bytes.subarray(0, offset)).length);
}

function toBytes(text: Uint8Array | string): Buffer {
  if (typeof text !== 'string') return Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (/\p{Surrogate}/u.test(text)) throw new DocumentFault('has half of a surrogate pair');
  return Buffer.from(text);
}

function decode(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
