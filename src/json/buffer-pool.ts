// Memory for answers, used again for later ones: allocating a megabyte costs more than filling it, since
// the kernel clears each page on first use, and V8 frees large buffers only when it collects all
// garbage. Ordinary ones make it do so after a few dozen pages of 250 documents, and buffers in shared
// memory, which it does not count, grew to gigabytes.
// Invariant: a buffer has one owner at a time, who releases it once at most; one that is never
// released is garbage like any other.

/** A buffer for one answer. */
export interface PooledBuffer {
  /** At least as long as requested; holds bytes of earlier answers. */
  readonly bytes: Buffer;
  /** Lets later answers overwrite the bytes, of which nothing may be read any more. */
  release(): void;
}

/** Shorter answers, without documents, share a small buffer of Node's own pool. */
const POOLED_MIN = 4 * 1024;
const SIZE_MIN = 16 * 1024;
/** Larger buffers are not kept. */
const SIZE_MAX = 8 * 2 ** 20;
/** Most bytes that wait for an answer. */
const FREE_BYTES_MAX = 32 * 2 ** 20;

export class BufferPool {
  /** Free buffers by size, a power of two. */
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;

  take(length: number): PooledBuffer {
    if (length < POOLED_MIN) return { bytes: Buffer.allocUnsafe(length), release() {} };
    if (length > SIZE_MAX) return { bytes: Buffer.allocUnsafeSlow(length), release() {} };
    let size = SIZE_MIN;
    while (size < length) size *= 2;
    const buffer = this.#takeFree(size) ?? Buffer.allocUnsafeSlow(size);
    let isReleased = false;
    return {
      bytes: buffer,
      release: () => {
        if (!isReleased) this.#keep(buffer);
        isReleased = true;
      },
    };
  }

  #takeFree(size: number): Buffer | undefined {
    const buffer = this.#free.get(size)?.pop();
    if (buffer !== undefined) this.#freeBytes -= size;
    return buffer;
  }

  #keep(buffer: Buffer): void {
    const size = buffer.length;
    if (this.#freeBytes + size > FREE_BYTES_MAX) return;
    this.#freeBytes += size;
    const buffers = this.#free.get(size);
    if (buffers === undefined) this.#free.set(size, [buffer]);
    else buffers.push(buffer);
  }
}
