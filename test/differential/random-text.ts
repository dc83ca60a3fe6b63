// Random texts, keys, dates and numbers for documents and queries. Half of them use the same few
// words, for phrases, repetitions and ties; the others are hard for analyzers: composed and
// decomposed accents, scripts without spaces, joined emoji, letters with a special lower case.
import type { Random } from './random.ts';

/** Few and similar, so that fuzzy words, prefixes and phrases match. */
export const COMMON_WORDS: readonly string[] = ['ada', 'adam', 'adan', 'bob', 'bobby', 'the'];

const RARE_WORDS: readonly string[] = [
  ...['Émile', 'E\u0301mile', 'Zoë', 'Zoe\u0308', 'ﬁ', 'ﬀ', 'x1', 'naïve', "O'Brien", 'a_b'],
  ...['Ωmega', 'İz', 'ıslak', 'ΣΑΣ', 'σας', 'σασ', 'straße', 'STRASSE', 'ẞ', 'ſ', 'Ǆ', 'ǆ'],
  ...['人事部', '東京', 'オフィス', '한국어', 'ภาษาไทย', 'ខ្មែរ', 'မြန်မာ', 'مرحبا', 'שָׁלוֹם', 'שלום'],
  ...['\u{1f600}', '👨‍👩‍👧', '🇩🇪', '🇩🇪🇫🇷', '👍🏽', '❤️', '1️⃣', '\u{1d504}', '\uffee'],
  ...['ada.bob@acme.com', 'CN=Ada', 'OU=EU', '2024-05-31', '12', '3.14', '1,000', 'A-1', 'a:b'],
];

/** Whole values, such as keys, names and identifiers. */
export const COMMON_KEYS: readonly string[] = ['Active', 'active', 'ACTIVE', 'on hold', '', 'x.y'];

const RARE_KEYS: readonly string[] = [
  ...[
    'Zoë',
    'Zoe\u0308',
    '\u{1f600}',
    '👨‍👩‍👧',
    '🇩🇪',
    '\uffee',
    '\u{1d504}',
    'a*b?c',
    'a\\b',
    '"q"',
  ],
  ...['CN=Ada Lovelace,OU=EU,DC=acme,DC=test', 'cn=ada lovelace,ou=eu,dc=acme,dc=test'],
  ...['ada.lovelace@acme.com', 'Ada.Lovelace@ACME.com', '2c91808a-7f00-0001-817f-3e5a1c2b0001'],
  ...[' lead', 'trail ', 'two  blanks', '\ttab', 'line\nfeed', '007', '12', '-2.5', '1e5'],
  ...[
    '2024-05-31',
    '2024-05-31T10:00:00Z',
    'true',
    'null',
    'İ',
    'i̇',
    'ß',
    'ẞ',
    'SS',
    'Σ',
    'ς',
    'σ',
  ],
  ...['人事部 東京', 'ภาษาไทย', 'مرحبا', 'x'.repeat(300), '<a href="b">', '(&(cn=*))', '../x'],
];

export const DATES: readonly string[] = [
  ...['2024-01-01', '2024-05-31T10:00:00Z', '1969-12-31T23:59:59.999Z', '2024-05-31'],
  ...['2024-03-31T02:30:00+01:00', '2024-02-29', '2023-12-31T23:30:00-05:00', '0050-01-01'],
];

/** Exact in binary, so that rounding of sums does not depend on their order. */
export const NUMBERS: readonly number[] = [
  ...[-3, 0, 1, 2, 7, 12, 7.5, -0.25, 10_000_000_000, 9_007_199_254_740_991],
];

export function randomWord(random: Random): string {
  return random.pick(random.chance(0.6) ? COMMON_WORDS : RARE_WORDS);
}

export function randomKey(random: Random): string {
  return random.pick(random.chance(0.5) ? COMMON_KEYS : RARE_KEYS);
}

export function randomText(random: Random): string {
  if (random.chance(0.05)) return '';
  const few = random.chance(0.2);
  return random
    .list(1, few ? 9 : 6, () => (few ? random.pick(['ada', 'bob', 'the']) : randomWord(random)))
    .join(random.pick([' ', ' ', ' ', '-', ', ', '_', '\u3000', '\n']));
}

/**
 * A text beyond one of Lucene's limits: 255 units of a word, 8,191 of a value, 32,766 bytes of a
 * term.
 */
export function longText(random: Random): string {
  const units = random.pick([256, 8_192, 10_923, 33_000]);
  const unit = random.pick(['ada bob ', 'a', 'é', '人', '\u{1f600}', 'The Ada ']);
  const text = unit.repeat(Math.ceil(units / unit.length));
  return `${random.pick(['', 'ada ', 'x1-'])}${text}${random.pick(['', ' bob', '.'])}`;
}

/** A text for a query: whole, a part, or in another case. */
export function randomSought(random: Random): string {
  if (random.chance(0.3)) return random.pick([...COMMON_WORDS, ...COMMON_KEYS]);
  const text = random.pick([randomWord, randomKey, randomText])(random);
  const dice = random.int(10);
  if (dice === 0) return text.toUpperCase();
  if (dice === 1) return text.toLowerCase();
  if (dice === 2) return text.normalize(random.pick(['NFC', 'NFD'] as const));
  return text;
}
