// The format of the index file: consecutive sections, written in order and read one by one on first
// use.
//   magic, format version | sections, each at a multiple of 8 | table of contents (JSON) | footer
// The footer has the offset of the table of contents and a checksum of header, table and footer;
// the table has the length and checksum of each section. Typed arrays are read in place, so the
// file is little-endian; a big-endian machine rejects the magic.

import type { Checksum } from './checksum.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { IndexSink, IndexSource } from './index-source.ts';
import { PAGE_BYTES, type Ranges, StoredRanges, wholeRanges } from './paged-section.ts';
import type { PagedRef, SectionRef } from './section-ref.ts';
import { decodeText, encodeText } from './utf8.ts';

/**
 * Incremented whenever an older reader would misread a file. There is no migration; the index is
 * rebuilt.
 */
const FORMAT_VERSION = 7;

const MAGIC = 0x53445243; // "CRDS"
const END_MAGIC = 0x45445243; // "CRDE"
const HEADER_BYTES = 8;
/**
 * Offset of the contents (8 bytes), their length, number of sections, format version, end magic,
 * checksum.
 */
export const FOOTER_BYTES = 28;

type Section = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

const PADDING = new Uint8Array(8);

/**
 * Writes sections to a sink. Sections with the same bytes, which are common among fields, are
 * written once.
 */
export class SectionWriter {
  readonly #sink: IndexSink;
  readonly #checksum: Checksum;
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #checksums: number[] = [];
  /** Section numbers by checksum and length. */
  readonly #sectionsByKey = new Map<string, number>();
  #length = 0;
  #identity = 0;

  constructor(sink: IndexSink, checksum: Checksum) {
    this.#sink = sink;
    this.#checksum = checksum;
    this.#append(header());
  }

  add(array: Section): SectionRef {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const checksum = this.#checksum(bytes);
    const key = `${checksum} ${bytes.length}`;
    const duplicate = this.#sectionsByKey.get(key);
    if (duplicate !== undefined) {
      const offset = this.#offsets[duplicate]!;
      if (bytes.length === 0 || this.#sink.holds(offset, bytes)) {
        return [offset, array.length, duplicate];
      }
    }
    const section = this.#offsets.length;
    const offset = this.#length;
    if (offset + bytes.length > 2 ** 31 - 2 ** 20) {
      throw new RangeError('A segment must stay below 2 GiB.');
    }
    this.#append(bytes);
    this.#append(PADDING.subarray(0, -this.#length & 7));
    this.#offsets.push(offset);
    this.#lengths.push(bytes.length);
    this.#checksums.push(checksum);
    this.#sectionsByKey.set(key, section);
    return [offset, array.length, section];
  }

  /** Adds a section that can be read in part: each of its pages has its own checksum. */
  addPaged(bytes: Uint8Array): PagedRef {
    const checksums = new Uint32Array(Math.ceil(bytes.length / PAGE_BYTES));
    for (let page = 0; page < checksums.length; page++) {
      const from = page * PAGE_BYTES;
      checksums[page] = this.#checksum(bytes.subarray(from, from + PAGE_BYTES));
    }
    return { bytes: this.add(bytes), checksums: this.add(checksums) };
  }

  /**
   * Requests a shared array of 0, 1, 2 … with at least `count` entries; see SectionReader.identity.
   */
  needIdentity(count: number): void {
    this.#identity = Math.max(this.#identity, count);
  }

  /** @param contents plain JSON with references to all sections */
  finish(contents: object): void {
    const identity = this.add(Uint32Array.from({ length: this.#identity }, (_, i) => i));
    const [lengths, checksums] = [this.#lengths, this.#checksums];
    const toc = encodeText(JSON.stringify({ contents, identity, lengths, checksums }));
    const footer = new Uint8Array(FOOTER_BYTES);
    const view = new DataView(footer.buffer);
    view.setFloat64(0, this.#length, true);
    view.setUint32(8, toc.length, true);
    view.setUint32(12, this.#offsets.length, true);
    view.setUint32(16, FORMAT_VERSION, true);
    view.setUint32(20, END_MAGIC, true);
    view.setUint32(24, tocChecksum(this.#checksum, header(), toc, footer), true);
    this.#append(toc);
    this.#append(footer);
  }

  #append(bytes: Uint8Array): void {
    this.#sink.append(bytes);
    this.#length += bytes.length;
  }
}

/** Reads sections, each on first use. */
export class SectionReader {
  readonly contents: unknown;
  readonly #name: string;
  readonly #source: IndexSource;
  readonly #checksum: Checksum;
  readonly #checksums: readonly number[];
  readonly #identity: SectionRef;

  /**
   * Reads only the table of contents.
   * @throws CorruptSegmentError
   */
  constructor(name: string, source: IndexSource, checksum: Checksum) {
    this.#name = name;
    this.#source = source;
    this.#checksum = checksum;
    const toc = readContents(name, source, checksum);
    this.contents = toc.contents;
    this.#identity = toc.identity;
    this.#checksums = toc.checksums;
  }

  // Each of these throws CorruptSegmentError if the section cannot be read or differs from what was
  // written.

  bytes([offset, count, section]: SectionRef): Uint8Array {
    return this.#read(offset, count, section);
  }

  uint16([offset, count, section]: SectionRef): Uint16Array {
    const { buffer, byteOffset } = this.#read(offset, count * 2, section);
    return new Uint16Array(buffer, byteOffset, count);
  }

  int32([offset, count, section]: SectionRef): Int32Array {
    const { buffer, byteOffset } = this.#read(offset, count * 4, section);
    return new Int32Array(buffer, byteOffset, count);
  }

  uint32([offset, count, section]: SectionRef): Uint32Array {
    const { buffer, byteOffset } = this.#read(offset, count * 4, section);
    return new Uint32Array(buffer, byteOffset, count);
  }

  float64([offset, count, section]: SectionRef): Float64Array {
    const { buffer, byteOffset } = this.#read(offset, count * 8, section);
    return new Float64Array(buffer, byteOffset, count);
  }

  /** Returns 0, 1, 2 … `count - 1`: one array that all callers share. */
  identity(count: number): Uint32Array {
    return this.uint32(this.#identity).subarray(0, count);
  }

  /** Returns a reader for parts of a section, which are read on demand. */
  ranges(ref: PagedRef): Ranges {
    const { pieces } = this.#source;
    if (pieces === null) return wholeRanges(() => this.bytes(ref.bytes));
    const [offset, count] = ref.bytes;
    const checksums = () => this.uint32(ref.checksums);
    return new StoredRanges(this.#name, pieces, { offset, count, checksums }, this.#checksum);
  }

  #read(offset: number, length: number, section: number): Uint8Array {
    const { kept } = this.#source;
    if (kept !== null && (kept.sound === null || Atomics.load(kept.sound, section) === 1)) {
      return kept.bytes.subarray(offset, offset + length);
    }
    const bytes = this.#source.read(offset, length);
    if (bytes.length !== length) throw new CorruptSegmentError(this.#name, 'cut short');
    if (this.#checksum(bytes) !== this.#checksums[section]) {
      throw new CorruptSegmentError(this.#name, 'checksum of a section');
    }
    if (kept !== null && kept.sound !== null) Atomics.store(kept.sound, section, 1);
    return bytes;
  }
}

/** Bytes that are checked in a step: some 10 ms. */
const STEP_BYTES = 8 * 1024 * 1024;

/**
 * Verifies the checksums of all sections of a file, in steps.
 * @throws CorruptSegmentError
 */
export function* checkSections(
  name: string,
  source: IndexSource,
  checksum: Checksum,
): Generator<void> {
  const { lengths, checksums } = readContents(name, source, checksum);
  let offset = HEADER_BYTES;
  for (const [section, length] of lengths.entries()) {
    let sum = checksum(new Uint8Array(0));
    for (let at = 0; at < length; at += STEP_BYTES) {
      const size = Math.min(STEP_BYTES, length - at);
      const bytes = source.read(offset + at, size);
      if (bytes.length !== size) throw new CorruptSegmentError(name, 'checksum of a section');
      sum = checksum(bytes, sum);
      yield;
    }
    if (sum !== checksums[section]) throw new CorruptSegmentError(name, 'checksum of a section');
    offset += length + (-length & 7);
  }
}

interface Contents {
  readonly contents: unknown;
  readonly identity: SectionRef;
  /** In bytes, by section; each section begins at the next multiple of 8 after the previous one. */
  readonly lengths: readonly number[];
  readonly checksums: readonly number[];
}

function readContents(name: string, source: IndexSource, checksum: Checksum): Contents {
  const length = source.byteLength;
  if (length < HEADER_BYTES + FOOTER_BYTES) throw new CorruptSegmentError(name, 'cut short');
  const header = source.read(0, HEADER_BYTES);
  if (viewOf(header).getUint32(0, true) !== MAGIC)
    throw new CorruptSegmentError(name, 'not an index');
  const footer = source.read(length - FOOTER_BYTES, FOOTER_BYTES);
  const { tocAt, tocLength, checksum: expected } = readFooter(name, footer);
  if (tocAt + tocLength + FOOTER_BYTES !== length) {
    throw new CorruptSegmentError(name, 'another length');
  }
  const toc = source.read(tocAt, tocLength);
  if (toc.length !== tocLength || tocChecksum(checksum, header, toc, footer) !== expected) {
    throw new CorruptSegmentError(name, 'checksum');
  }
  if (viewOf(header).getUint32(4, true) !== FORMAT_VERSION) {
    throw new CorruptSegmentError(name, 'another format version');
  }
  return JSON.parse(decodeText(toc));
}

/** The fields of the last FOOTER_BYTES of an index file. */
export interface IndexFooter {
  readonly tocAt: number;
  readonly tocLength: number;
  /** The number of sections. */
  readonly sections: number;
  /**
   * Checksum of header, table of contents and footer; it identifies the file, except for
   * collisions.
   */
  readonly checksum: number;
}

/** @throws CorruptSegmentError when the bytes are not a footer */
export function readFooter(name: string, bytes: Uint8Array): IndexFooter {
  const view = viewOf(bytes);
  if (bytes.length !== FOOTER_BYTES || view.getUint32(20, true) !== END_MAGIC) {
    throw new CorruptSegmentError(name, 'cut short');
  }
  if (view.getUint32(16, true) !== FORMAT_VERSION) {
    throw new CorruptSegmentError(name, 'another format version');
  }
  return {
    tocAt: view.getFloat64(0, true),
    tocLength: view.getUint32(8, true),
    sections: view.getUint32(12, true),
    checksum: view.getUint32(24, true),
  };
}

function header(): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  viewOf(bytes).setUint32(0, MAGIC, true);
  viewOf(bytes).setUint32(4, FORMAT_VERSION, true);
  return bytes;
}

/** Computes the checksum of header, contents and the footer without its checksum. */
function tocChecksum(
  checksum: Checksum,
  header: Uint8Array,
  toc: Uint8Array,
  footer: Uint8Array,
): number {
  const all = new Uint8Array(HEADER_BYTES + toc.length + FOOTER_BYTES - 4);
  all.set(header);
  all.set(toc, HEADER_BYTES);
  all.set(footer.subarray(0, FOOTER_BYTES - 4), HEADER_BYTES + toc.length);
  return checksum(all);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
