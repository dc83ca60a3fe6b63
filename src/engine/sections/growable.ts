// Growable lists in typed arrays, used while a segment is built to avoid an object per entry.
// Invariant: entries [0, length) of `data` are valid; `data` is replaced when it grows, so callers
// must not hold a reference to it.

const FIRST_CAPACITY = 16;
/** Shared by empty lists: most fields of a mapping are in no document of a small segment. */
const NO_INTS = new Int32Array(0);
const NO_FLOATS = new Float64Array(0);

/** A growing list of 32-bit integers. */
export class IntList {
  data = NO_INTS;
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Int32Array(Math.max(FIRST_CAPACITY, this.length * 2));
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }

  /** Returns a copy of the entries. */
  toArray(): Int32Array {
    return this.data.slice(0, this.length);
  }
}

/** A growing list of numbers. */
export class FloatList {
  data = NO_FLOATS;
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Float64Array(Math.max(FIRST_CAPACITY, this.length * 2));
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }
}

/** A growing list of bytes. */
export class ByteList {
  data = new Uint8Array(256);
  length = 0;

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.data.length) return;
    const larger = new Uint8Array(Math.max(needed, this.data.length * 2));
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
  }

  /**
   * Appends an integer from 0 to 2^32 - 1 in groups of seven bits, lowest first; all groups but the
   * last have the high bit set.
   */
  varint(value: number): void {
    this.reserve(5);
    const data = this.data;
    let at = this.length;
    let rest = value;
    while (rest > 0x7f || rest < 0) {
      data[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    data[at++] = rest;
    this.length = at;
  }

  /** Appends four bytes, lowest first. */
  uint32(value: number): void {
    this.reserve(4);
    const data = this.data;
    data[this.length++] = value & 0xff;
    data[this.length++] = (value >>> 8) & 0xff;
    data[this.length++] = (value >>> 16) & 0xff;
    data[this.length++] = value >>> 24;
  }

  /** Appends the bytes [from, to) of another array. */
  append(source: Uint8Array, from: number, to: number): void {
    const count = to - from;
    this.reserve(count);
    if (count > 48) {
      this.data.set(source.subarray(from, to), this.length);
      this.length += count;
      return;
    }
    const data = this.data;
    let at = this.length;
    for (let i = from; i < to; i++) data[at++] = source[i]!;
    this.length = at;
  }

  /** Returns a view of the bytes; valid until the list grows. */
  view(): Uint8Array {
    return this.data.subarray(0, this.length);
  }
}

/** Copies the numbers into an array twice as long. */
export function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
