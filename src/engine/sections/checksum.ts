// CRC-32 (ISO 3309, as in gzip and zlib), eight bytes at a time (Intel's "slicing by 8"). A
// Directory may supply a native implementation; both must agree, since a file may be written with
// one and read with the other.

/** Computes the CRC-32 of bytes as an unsigned 32-bit number, or goes on from that of bytes before them. */
export type Checksum = (bytes: Uint8Array, before?: number) => number;

const POLYNOMIAL = 0xedb88320;
const TABLE = slicingTable();

/** The portable implementation. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const table = TABLE;
  const length = bytes.length;
  const whole = length - (length % 8);
  let crc = ~before;
  let at = 0;
  while (at < whole) {
    const low =
      crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      table[1792 + (low & 0xff)]! ^
      table[1536 + ((low >>> 8) & 0xff)]! ^
      table[1280 + ((low >>> 16) & 0xff)]! ^
      table[1024 + (low >>> 24)]! ^
      table[768 + bytes[at + 4]!]! ^
      table[512 + bytes[at + 5]!]! ^
      table[256 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!;
    at += 8;
  }
  while (at < length) crc = (crc >>> 8) ^ table[(crc ^ bytes[at++]!) & 0xff]!;
  return ~crc >>> 0;
}

function slicingTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const crc = table[at - 256]!;
    table[at] = (crc >>> 8) ^ table[crc & 0xff]!;
  }
  return table;
}
