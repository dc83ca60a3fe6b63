// The row of a document, with what tells whether it is damaged. The column `hash` holds
//
//   documentHash, 16 bytes | CRC-32 of the key of the row, of `root` and of `nested`, 4 bytes
//
// The hash detects changes, so it leaves out what is no change; the checksum covers every stored
// byte, and costs less as the bytes are compressed. Rows of earlier versions have the hash alone,
// and are checked by it.
// Invariant: only this file decodes the columns of a document for the port, and it never returns
// bytes that were not written.
import { crc32 } from 'node:zlib';
import { HASH_START, hashNumber, hashText } from '../../query/fnv-hash.ts';
import type { IndexName } from '../../query/query.ts';
import { hasHash } from '../../service/documents/document-hash.ts';
import type { StoredDocument, StoredDocumentKey } from '../../service/ports/stored-document.ts';
import type { DocumentTable } from '../sql/schema.ts';
import { type DocumentBytes, decodeDocument, encodeDocument } from './document-bytes.ts';

/** The columns of a document. */
export type DocumentColumns = Pick<DocumentTable, 'hash' | 'root' | 'nested'>;

const HASH_BYTES = 16;
const CHECKSUM_BYTES = 4;
const NO_BYTES = new Uint8Array(0);
const OBJECT_CLOSE = 0x7d;
const QUOTE = 0x22;
/** What follows the end of a string within an object. */
const AFTER_STRING = [...',:}]'].map((character) => character.charCodeAt(0));

/** The columns of a document to be written. */
export function columnsOf(
  key: StoredDocumentKey,
  document: DocumentBytes,
  hash: Uint8Array,
): DocumentBytes & { readonly hash: Uint8Array } {
  const columns = encodeDocument(document);
  const checked = Buffer.allocUnsafe(HASH_BYTES + CHECKSUM_BYTES);
  checked.set(hash);
  checked.writeUInt32LE(checksum(key, columns), HASH_BYTES);
  return { ...columns, hash: checked };
}

/** True if the bytes of a row are those that were written; they are not decoded if a checksum tells. */
export function isSound(key: StoredDocumentKey, row: DocumentColumns): boolean {
  const { hash, root } = row;
  if (
    !isText(key) ||
    !isBytes(hash) ||
    hash.length !== HASH_BYTES + CHECKSUM_BYTES ||
    !isBytes(root)
  ) {
    return documentOf(key, row) !== 'damaged';
  }
  const nested = row.nested ?? NO_BYTES;
  return isBytes(nested) && checksum(key, { root, nested }) === checksumIn(hash);
}

/** Decodes a row: null for a tombstone, `damaged` for one whose bytes are not what was written. */
export function documentOf(
  key: StoredDocumentKey,
  { hash, root, nested }: DocumentColumns,
): StoredDocument | 'damaged' | null {
  // A damaged row of SQLite may have values of any type.
  if (!isText(key)) return 'damaged';
  if (hash === null && root === null) return null;
  // The built-in module of Node 22 binds an empty blob as null.
  const columns = { root, nested: nested ?? NO_BYTES };
  if (!isBytes(hash) || !isBytes(columns.root) || !isBytes(columns.nested)) return 'damaged';
  const bytes = checkedBytes(key, { root: columns.root, nested: columns.nested }, hash);
  return bytes === null ? 'damaged' : { index: key.index as IndexName, id: key.id, ...bytes };
}

/** True if a row was written with this documentHash. */
export function wasWrittenWith(stored: Uint8Array, hash: Uint8Array): boolean {
  return isBytes(stored) && Buffer.compare(stored.subarray(0, HASH_BYTES), hash) === 0;
}

function checkedBytes(
  key: StoredDocumentKey,
  columns: DocumentBytes,
  hash: Uint8Array,
): DocumentBytes | null {
  if (hash.length === HASH_BYTES + CHECKSUM_BYTES) {
    return checksum(key, columns) === checksumIn(hash) ? decodeDocument(columns) : null;
  }
  if (hash.length !== HASH_BYTES) return null;
  const bytes = decodeDocument(columns);
  if (bytes === null || !isDivided(bytes)) return null;
  return hasHash(bytes.root, bytes.nested, hash) ? bytes : null;
}

/** Reads bytes one by one: a view of a small array is slow, as its memory moves to the heap of C++. */
function checksumIn(hash: Uint8Array): number {
  const at = (i: number) => hash[HASH_BYTES + i] as number;
  return (at(0) | (at(1) << 8) | (at(2) << 16) | (at(3) << 24)) >>> 0;
}

function checksum(
  { tenantId, index, id }: StoredDocumentKey,
  { root, nested }: DocumentBytes,
): number {
  // The key is hashed here, as a call for a text costs more than the bytes of most documents.
  const ofKey = hashText(
    hashText(hashText(hashNumber(HASH_START, root.length), tenantId), index),
    id,
  );
  const ofRoot = crc32(root, ofKey >>> 0);
  // zlib starts anew at an array without memory.
  return nested.length === 0 ? ofRoot : crc32(nested, ofRoot);
}

/**
 * True if the parts are divided where the root ends, which a hash of both does not tell. A brace
 * before a quotation mark is elsewhere only at the end of a string.
 */
function isDivided({ root, nested }: DocumentBytes): boolean {
  if (root.at(-1) !== OBJECT_CLOSE) return false;
  return nested.length === 0 || (nested[0] === QUOTE && !AFTER_STRING.includes(nested[1] ?? QUOTE));
}

/** True if the key of a row is text, as every key is that was written. */
function isText({ tenantId, index, id }: StoredDocumentKey): boolean {
  return typeof tenantId === 'string' && typeof index === 'string' && typeof id === 'string';
}

/** The key of a damaged row, whose columns may hold bytes, as text. */
export function textOf({ tenantId, index, id }: StoredDocumentKey): StoredDocumentKey {
  const text = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
  return { tenantId: text(tenantId), index: text(index) as IndexName, id: text(id) };
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
