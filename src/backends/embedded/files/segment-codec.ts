// The native functions that segments are written and read with: CRC-32 of zlib, and LZ4 for
// documents, as Lucene's default codec uses.
import lz4 from 'lz4-napi';
import type { Compression, SegmentCodec } from '../../../engine/index/stored-fields.ts';
import { checksum } from './fs-directory.ts';

/** An LZ4 block behind its length before compression (4 bytes, little-endian). */
const LZ4: Compression = {
  name: 'lz4',
  compress: (bytes, dictionary) => lz4.compressSync(asBuffer(bytes), optionalBuffer(dictionary)),
  decompress(bytes, length, dictionary) {
    const buffer = asBuffer(bytes);
    // Checked first, since that much memory is allocated.
    if (buffer.length < 4 || buffer.readUInt32LE(0) !== length) throw new RangeError('its length');
    return lz4.uncompressSync(buffer, optionalBuffer(dictionary));
  },
};

export const SEGMENT_CODEC: SegmentCodec = { checksum, compression: LZ4 };

function optionalBuffer(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : asBuffer(bytes);
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
