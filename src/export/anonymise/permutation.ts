// Keyed permutations of short texts over an alphabet, and of numbers below a limit: a Feistel network
// as in FF1 (NIST SP 800-38G), with HMAC as its round function.
// Invariant: different texts of one length have different images of that length.
import type { KeyedHash } from './keyed-hash.ts';

/** An even number, so that the halves end where they began. */
const ROUNDS = 8;
/** Halves of a longer text would exceed the integers of a double. */
const PART_MAX = 16;

export const DIGITS = '0123456789';
export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export class Permutation {
  readonly #hash: KeyedHash;

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  /** The image of a text that has only characters of the alphabet. */
  text(text: string, alphabet: string): string {
    let image = '';
    for (let at = 0; at < text.length; at += PART_MAX) {
      const part = text.slice(at, at + PART_MAX);
      // Parts of a long text get permutations of their own.
      const tweak = text.length <= PART_MAX ? '' : `${text.length} ${at}`;
      image +=
        part.length === 1 ? this.#sign(part, alphabet, tweak) : this.#part(part, alphabet, tweak);
    }
    return image;
  }

  /** The image of a whole number below `limit`, also below it. */
  below(value: number, limit: number): number {
    const length = String(limit - 1).length;
    let image = value;
    // Repeated until the image is below the limit, which keeps it a permutation (cycle walking).
    do image = Number(this.text(String(image).padStart(length, '0'), DIGITS));
    while (image >= limit);
    return image;
  }

  /** One character: the alphabet in an order of the key. */
  #sign(sign: string, alphabet: string, tweak: string): string {
    const place = (one: string) => this.#hash.integer('sign', `${alphabet.length} ${tweak} ${one}`);
    const order = [...alphabet].sort((a, b) => place(a) - place(b));
    return order[alphabet.indexOf(sign)] ?? sign;
  }

  #part(text: string, alphabet: string, tweak: string): string {
    const radix = alphabet.length;
    const short = Math.floor(text.length / 2);
    let [left, right] = [text.slice(0, short), text.slice(short)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const size = radix ** left.length;
      const added = this.#hash.integer(
        'round',
        `${radix} ${text.length} ${tweak} ${round} ${right}`,
      );
      const sum = (numberOf(left, alphabet) + (added % size)) % size;
      [left, right] = [right, textOf(sum, left.length, alphabet)];
    }
    return left + right;
  }
}

function numberOf(text: string, alphabet: string): number {
  let value = 0;
  for (const sign of text) value = value * alphabet.length + alphabet.indexOf(sign);
  return value;
}

function textOf(value: number, length: number, alphabet: string): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / alphabet.length)) {
    text = `${alphabet[rest % alphabet.length]}${text}`;
  }
  return text;
}
