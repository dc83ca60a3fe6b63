// Keyed hashes: HMAC-SHA-256 (RFC 2104), from which every replacement is derived.
// Invariant: without the key nobody can compute the replacement of a guessed value.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export class KeyedHash {
  readonly #key: KeyObject;

  /** @param key at least 32 bytes that nobody can guess */
  constructor(key: Uint8Array) {
    if (key.length < 32) throw new RangeError('The key must have at least 32 bytes');
    this.#key = createSecretKey(key);
  }

  /**
   * The hash of a text, 32 bytes.
   * @param purpose separates the hashes of different uses
   */
  bytes(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}\0${text}`).digest();
  }

  /** An integer of 48 bits. */
  integer(purpose: string, text: string): number {
    return this.bytes(purpose, text).readUIntBE(0, 6);
  }
}
