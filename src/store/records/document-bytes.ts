// The two parts of a document as the columns `root` and `nested` hold them. Both parts together are
// one LZ4 block in `root`, because nested members repeat the texts of the root:
//
//   byte 0x01 | length of the root part, 4 bytes | length of both parts, 4 bytes | LZ4 block
//
// Lengths are little-endian; the block has the dictionary of document-dictionary.ts. Documents that
// are short, or that LZ4 does not shrink, are stored as they are, as all were before
// 0008-compressed-documents: then `root` begins with `{`.
// Invariant: a decoded document has the lengths that were encoded; damaged bytes never throw.
import { compressSync, uncompressSync } from 'lz4-napi';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { DOCUMENT_DICTIONARY } from './document-dictionary.ts';

/** The two parts of a document, or the two columns that hold them. */
export type DocumentBytes = Pick<StoredDocument, 'root' | 'nested'>;

/** The first byte of a compressed document, which no JSON begins with. */
const COMPRESSED = 0x01;
const OPEN_OBJECT = 0x7b;
const TAG_BYTES = 5;
/** lz4-napi writes the length of the content before the block. */
const LENGTH_BYTES = 4;
/** Shorter documents are hardly smaller as a block: their texts do not repeat. */
const COMPRESSED_FROM = 256;
/** One byte of a block adds at most 255 to the length of a match or of literals. */
const RATIO_MAX = 255;
const NO_BYTES = new Uint8Array(0);

/** Encodes the parts of a document for the columns. */
export function encodeDocument({ root, nested }: DocumentBytes): DocumentBytes {
  const length = root.length + nested.length;
  if (length < COMPRESSED_FROM) return { root, nested };
  const block = compressSync(Buffer.concat([root, nested], length), DOCUMENT_DICTIONARY);
  if (TAG_BYTES + block.length >= length) return { root, nested };
  const bytes = Buffer.allocUnsafe(TAG_BYTES + block.length);
  bytes[0] = COMPRESSED;
  bytes.writeUInt32LE(root.length, 1);
  bytes.set(block, TAG_BYTES);
  return { root: bytes, nested: NO_BYTES };
}

/** Decodes the columns of a document; null if they are damaged. */
export function decodeDocument(columns: DocumentBytes): DocumentBytes | null {
  if (columns.root[0] === OPEN_OBJECT) return columns;
  if (columns.root[0] !== COMPRESSED) return null;
  const { buffer, byteOffset, length } = columns.root;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const blockLength = length - TAG_BYTES - LENGTH_BYTES;
  if (blockLength < 1) return null;
  const rootLength = bytes.readUInt32LE(1);
  const bothLength = bytes.readUInt32LE(TAG_BYTES);
  // Checked first, as memory of that size is allocated.
  if (bothLength > blockLength * RATIO_MAX || rootLength > bothLength) return null;
  const both = uncompressed(bytes.subarray(TAG_BYTES));
  if (both?.length !== bothLength || both[0] !== OPEN_OBJECT) return null;
  return { root: both.subarray(0, rootLength), nested: both.subarray(rootLength) };
}

/** The content of a block after its length; null if it is not one. */
function uncompressed(block: Buffer): Buffer | null {
  try {
    return uncompressSync(block, DOCUMENT_DICTIONARY);
  } catch {
    return null;
  }
}
