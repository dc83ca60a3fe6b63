// The index file: one run of bytes over a SharedArrayBuffer, so that threads share it and opening it copies nothing.
//   magic, format version | sections, each at a multiple of 8 | table of contents (JSON) | footer
// The footer says where the table of contents stands and holds the checksum of everything before it. Typed arrays
// are read in place, so the file is little-endian; a big-endian machine refuses the magic.
import type { Checksum } from './checksum.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import { decodeText, encodeText } from './utf8.ts';

/** Changes whenever an older reader would misread a file; there is no migration, the index is rebuilt. */
export const FORMAT_VERSION = 1;

const MAGIC = 0x53445243; // "CRDS"
const END_MAGIC = 0x45445243; // "CRDE"
const HEADER_BYTES = 8;
/** Offset of the contents (8 bytes), their length, checksum, end magic, version. */
const FOOTER_BYTES = 24;

/** Where a section stands: byte offset and number of elements. The reader knows the element type. */
export type SectionRef = readonly [offset: number, count: number];

type Section = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** Collects sections and makes the file of them. Arrays given to it must not change until then. */
export class SectionWriter {
  readonly #sections: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  #length = HEADER_BYTES;
  #identity = 0;

  add(array: Section): SectionRef {
    const offset = this.#length;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.#sections.push({ offset, bytes });
    this.#length = (offset + array.byteLength + 7) & ~7;
    if (this.#length < offset) throw new RangeError('A segment must stay below 2 GiB.');
    return [offset, array.length];
  }

  /** Asks for a shared array of 0, 1, 2 … with at least `count` entries; see SectionReader.identity. */
  needIdentity(count: number): void {
    this.#identity = Math.max(this.#identity, count);
  }

  /** @param contents plain JSON that leads to every section */
  finish(contents: object, checksum: Checksum): Uint8Array {
    const identity = this.add(Uint32Array.from({ length: this.#identity }, (_, i) => i));
    const toc = encodeText(JSON.stringify({ contents, identity }));
    const tocAt = this.#length;
    const length = tocAt + toc.length + FOOTER_BYTES;
    const file = new Uint8Array(new SharedArrayBuffer(length));
    const view = new DataView(file.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, FORMAT_VERSION, true);
    for (const { offset, bytes } of this.#sections) file.set(bytes, offset);
    file.set(toc, tocAt);
    const footer = length - FOOTER_BYTES;
    view.setFloat64(footer, tocAt, true);
    view.setUint32(footer + 8, toc.length, true);
    view.setUint32(footer + 12, FORMAT_VERSION, true);
    view.setUint32(footer + 16, END_MAGIC, true);
    view.setUint32(footer + 20, checksum(file.subarray(0, length - 4)), true);
    return file;
  }
}

/** Reads sections in place. */
export class SectionReader {
  readonly contents: unknown;
  readonly #file: Uint8Array;
  readonly #identity: SectionRef;

  /**
   * @param checksum null when the bytes are known to be sound, e.g. already checked by another thread
   * @throws CorruptSegmentError
   */
  constructor(name: string, file: Uint8Array, checksum: Checksum | null) {
    const aligned = file.byteOffset % 8 === 0 ? file : copied(file);
    const length = aligned.length;
    if (length < HEADER_BYTES + FOOTER_BYTES) throw new CorruptSegmentError(name, 'cut short');
    const view = new DataView(aligned.buffer, aligned.byteOffset, length);
    const footer = length - FOOTER_BYTES;
    if (view.getUint32(0, true) !== MAGIC) throw new CorruptSegmentError(name, 'not an index');
    if (view.getUint32(footer + 16, true) !== END_MAGIC) {
      throw new CorruptSegmentError(name, 'cut short');
    }
    if (
      checksum !== null &&
      checksum(aligned.subarray(0, length - 4)) !== view.getUint32(length - 4, true)
    ) {
      throw new CorruptSegmentError(name, 'checksum');
    }
    if (view.getUint32(4, true) !== FORMAT_VERSION) {
      throw new CorruptSegmentError(name, 'another format version');
    }
    const tocAt = view.getFloat64(footer, true);
    const tocLength = view.getUint32(footer + 8, true);
    const toc = JSON.parse(decodeText(aligned, tocAt, tocAt + tocLength));
    this.contents = toc.contents;
    this.#identity = toc.identity;
    this.#file = aligned;
  }

  bytes([offset, count]: SectionRef): Uint8Array {
    return new Uint8Array(this.#file.buffer, this.#file.byteOffset + offset, count);
  }

  uint16([offset, count]: SectionRef): Uint16Array {
    return new Uint16Array(this.#file.buffer, this.#file.byteOffset + offset, count);
  }

  int32([offset, count]: SectionRef): Int32Array {
    return new Int32Array(this.#file.buffer, this.#file.byteOffset + offset, count);
  }

  uint32([offset, count]: SectionRef): Uint32Array {
    return new Uint32Array(this.#file.buffer, this.#file.byteOffset + offset, count);
  }

  float64([offset, count]: SectionRef): Float64Array {
    return new Float64Array(this.#file.buffer, this.#file.byteOffset + offset, count);
  }

  /** 0, 1, 2 … `count - 1`: one array that all who need it share. */
  identity(count: number): Uint32Array {
    return this.uint32([this.#identity[0], count]);
  }
}

function copied(file: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(file.length));
  copy.set(file);
  return copy;
}
