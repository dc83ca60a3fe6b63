// Replaces values by invented ones of the same form. A value is replaced word by word and number by
// number, so that a name has the same replacement wherever it occurs: in its identity, in a login, an
// address, a distinguished name, an event.
// Invariant: the replacement depends on the key and the value alone, never on what came before, and
// different values have different replacements (but for a chance of 2 in 10^11 for two words).
import { plainLetters } from '../../query/analysis/plain-letters.ts';
import { strictIsoDate } from '../../query/analysis/values.ts';
import { BoundedMap } from '../../query/bounded-map.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { DIGITS, LETTERS, Permutation } from './permutation.ts';
import {
  accented,
  inCaseOf,
  inventedName,
  inventedWord,
  NAMES_COUNT,
  WORDS_COUNT,
} from './word-forms.ts';

/** Of values and words whose replacement is remembered. */
const CACHED = { kept: 100_000 };
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('0000-01-01T00:00:00Z');
const LAST_DAY = Date.parse('9999-12-31T00:00:00Z');
/** Words up to this length are codes, such as `US` or `ENG`: they keep their length. */
const CODE_LETTERS_MAX = 3;
/**
 * The longest names, texts of an auth user and values of a profile: a replacement of a text within
 * one of these lengths stays within it, so that an import accepts it.
 */
const LENGTHS_MAX = [255, 1024, 10_000];
/** Reserved for examples (RFC 2606). */
const EXAMPLE_DOMAIN = '.example';

/** Characters of scripts that are written without blanks: each is replaced by itself. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x4e00, 0x9fa5],
  [0xac00, 0xd7a3],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
];
const BLOCK = '\\u4e00-\\u9fa5\\uac00-\\ud7a3\\u3041-\\u3096\\u30a1-\\u30fa';

/** An id: 16 hexadecimal digits or more, or a UUID. */
const ID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}';
const WHOLE_ID = new RegExp(`^\\{?(?:${ID})\\}?$`);
const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const IPV6 = /^[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}$/;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The parts of a value that are replaced; what is between them stays. */
const PART = new RegExp(
  [
    '(?<mail>[^\\s@<>,;:"()=]+@[^\\s@<>,;:"()=]+)',
    '(?<scheme>\\b(?:https?|ldaps?|ftps?|mailto|urn)(?=:))',
    '(?<host>(?<=:\\/\\/)[^\\s\\/:?#]+)',
    '(?<attribute>\\b(?:CN|OU|DC|UID|O|C|L|ST)(?==))',
    `(?<id>(?<![\\p{L}\\p{N}])(?:${ID})(?![\\p{L}\\p{N}]))`,
    `(?<sign>[${BLOCK}])`,
    `(?<word>(?:(?![${BLOCK}])[\\p{L}\\p{M}])+)`,
    '(?<digits>\\p{Nd}+)',
  ].join('|'),
  'gu',
);

export interface ReplacementOptions {
  /** Added to every date. */
  readonly shiftDays: number;
}

export class Replacement {
  readonly #hash: KeyedHash;
  readonly #permutation: Permutation;
  readonly #shiftDays: number;
  readonly #values = new BoundedMap<string, string>(CACHED);
  readonly #words = new BoundedMap<string, string>(CACHED);
  readonly #digits = new BoundedMap<string, string>(CACHED);
  readonly #numbers = new BoundedMap<number, number>(CACHED);

  constructor(hash: KeyedHash, { shiftDays }: ReplacementOptions) {
    this.#hash = hash;
    this.#permutation = new Permutation(hash);
    this.#shiftDays = shiftDays;
  }

  /** The replacement of a name, id, number, address or date in a text. */
  value(text: string): string {
    if (text.trim() === '') return text;
    return this.#values.getOrCreate(text, () => this.#shortened(text, this.#whole(text)));
  }

  /** As many invented words as the text has, which depend on all of it. */
  freeText(text: string): string {
    let place = 0;
    const words = text.replace(/\S+/gu, (word) => {
      place += 1;
      if (!/[\p{L}\p{N}]/u.test(word)) return word;
      const number = this.#hash.integer('text', `${place} ${text}`) % WORDS_COUNT;
      const invented = inventedWord(number);
      return place === 1 ? invented.charAt(0).toUpperCase() + invented.slice(1) : invented;
    });
    return /\.\s*$/.test(text) ? `${words}.` : words;
  }

  /** A number of the same sign and as many digits. */
  number(value: number): number {
    return this.#numbers.getOrCreate(value, () => this.#numberOf(value));
  }

  /** A date or date-time, shifted; the time of day stays. Another text is replaced as a value. */
  date(text: string): string {
    return strictIsoDate(text) === undefined ? this.value(text) : this.#shifted(text);
  }

  /** Epoch milliseconds, shifted; 0 stands for none. */
  instant(value: number): number {
    return value === 0 ? 0 : Math.max(0, value + this.#shiftDays * DAY_MS);
  }

  /** Days since 1970-01-01, shifted. */
  day(value: number): number {
    return value + this.#shiftDays;
  }

  #whole(text: string): string {
    if (WHOLE_ID.test(text) && !/^\d+$/.test(text)) return this.#id(text);
    if (strictIsoDate(text) !== undefined) return this.#shifted(text);
    if (IPV4.test(text)) return this.#address(text);
    // Groups of digits alone may be a time of day.
    const isAddress = text.includes('::') || text.split(':').length === 8;
    if (isAddress && IPV6.test(text)) return this.#address6(text);
    return text.replace(PART, (part, ...rest) => {
      const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      if (groups['mail'] !== undefined) return this.#mail(part);
      if (groups['scheme'] !== undefined || groups['attribute'] !== undefined) return part;
      if (groups['host'] !== undefined) return this.#domain(part);
      if (groups['id'] !== undefined && !/^\d+$/.test(part)) return this.#id(part);
      if (groups['sign'] !== undefined) return this.#sign(part);
      if (groups['word'] !== undefined) return this.#word(part);
      return this.#number(part);
    });
  }

  /** Shortens a replacement that is too long, by a hash in place of its end. */
  #shortened(text: string, replaced: string): string {
    const max = LENGTHS_MAX.find((length) => text.length <= length) ?? Number.POSITIVE_INFINITY;
    if (replaced.length <= max) return replaced;
    const end = this.#hash.bytes('end', text).toString('hex').slice(0, 16);
    const start = replaced.slice(0, max - end.length - 1).replace(/[\ud800-\udbff]$/, '');
    return `${start} ${end}`;
  }

  /** Hexadecimal digits; hyphens, braces and case stay, and do not change the digits. */
  #id(text: string): string {
    const digits = text.replace(/[^0-9a-fA-F]/g, '');
    let image = '';
    for (let part = 0; image.length < digits.length; part += 1) {
      image += this.#hash.bytes('id', `${part} ${digits.toLowerCase()}`).toString('hex');
    }
    if (digits !== digits.toLowerCase()) image = image.toUpperCase();
    let at = 0;
    return text.replace(/[0-9a-fA-F]/g, () => image[at++] ?? '0');
  }

  /** An address of a range that no host has (240.0.0.0/4, RFC 1112). */
  #address(text: string): string {
    const [first = 0, ...others] = this.#hash.bytes('address', text);
    return [240 + (first % 15), ...others.slice(0, 3)].join('.');
  }

  /** An address of the documentation range (RFC 3849). */
  #address6(text: string): string {
    const hex = this.#hash.bytes('address', text.toLowerCase()).toString('hex').slice(0, 24);
    return `2001:db8:${hex.match(/.{4}/g)?.join(':')}`;
  }

  #mail(text: string): string {
    const at = text.lastIndexOf('@');
    return `${this.#whole(text.slice(0, at))}@${this.#domain(text.slice(at + 1))}`;
  }

  #domain(text: string): string {
    return `${this.#whole(text)}${EXAMPLE_DOMAIN}`;
  }

  #sign(sign: string): string {
    const code = sign.codePointAt(0) ?? 0;
    const block = BLOCKS.find(([first, last]) => code >= first && code <= last);
    if (block === undefined) return sign;
    const [first, last] = block;
    return this.#words.getOrCreate(sign, () =>
      String.fromCodePoint(first + this.#permutation.below(code - first, last - first + 1)),
    );
  }

  #word(word: string): string {
    return this.#words.getOrCreate(word, () => {
      const plain = plainLetters(word);
      const spelled = word.toLowerCase().normalize('NFC');
      const isCode = plain.length <= CODE_LETTERS_MAX && /^[a-z]+$/.test(plain);
      const image = isCode
        ? this.#permutation.text(plain, LETTERS)
        : inventedName(this.#hash.integer('word', plain) % NAMES_COUNT);
      // The rest is spelling: accents and the case of letters.
      if (word === plain) return image;
      const choice = this.#hash.integer('spelling', spelled);
      return inCaseOf(word, spelled === plain ? image : accented(image, choice), choice);
    });
  }

  #number(digits: string): string {
    return this.#digits.getOrCreate(digits, () => {
      // Digits of other scripts are read as those of ASCII.
      const plain = [...digits].map((digit) => {
        const value = Number(digit);
        return Number.isNaN(value) ? String((digit.codePointAt(0) ?? 0) % 10) : digit;
      });
      return this.#permutation.text(plain.join(''), DIGITS);
    });
  }

  #numberOf(value: number): number {
    const [, sign = '', whole, fraction] = DECIMAL.exec(String(value)) ?? [];
    // Such as 1e300: an exact replacement would need as many digits.
    if (whole === undefined) return 0;
    let digits = whole;
    // Repeated until it is a number of the same length that has an exact form.
    do digits = this.#permutation.text(digits, DIGITS);
    while (digits.length > 1 && (digits.startsWith('0') || !Number.isSafeInteger(Number(digits))));
    if (fraction === undefined) return Number(`${sign}${digits}`);
    let decimals = fraction;
    do decimals = this.#permutation.text(decimals, DIGITS);
    while (decimals.endsWith('0') && fraction.length > 1);
    return Number(`${sign}${digits}.${decimals}`);
  }

  #shifted(text: string): string {
    const midnight = Date.parse(`${text.slice(0, 10)}T00:00:00Z`) + this.#shiftDays * DAY_MS;
    // A year outside 0 to 9999 has more digits, and the first or last date stands for it.
    const day = new Date(Math.min(Math.max(midnight, FIRST_DAY), LAST_DAY)).toISOString();
    return `${day.slice(0, 10)}${text.slice(10)}`;
  }
}
