// Invented words: built of syllables, so that they can be pronounced and read like names.
// Invariant: the syllables of a word can be told apart, so different numbers give different words.

const CONSONANTS = 'bdfghjklmnprstvwyz';
const VOWELS = 'aeiou';
/** What a name may end with, after its last vowel. */
const ENDINGS = ['', 'n', 'r', 'l', 's', 'm', 't', 'x'];

const SYLLABLES = CONSONANTS.length * VOWELS.length;
const NAME_SYLLABLES = 5;
const WORD_SYLLABLES = 3;
/** The number of different names: two words get the same one with a chance of 2 in 10^11. */
export const NAMES_COUNT = SYLLABLES ** NAME_SYLLABLES * ENDINGS.length;
/** The number of different words. */
export const WORDS_COUNT = SYLLABLES ** WORD_SYLLABLES;

/** The name with a number below NAMES_COUNT, in lower case: `miratovelin`. */
export function inventedName(number: number): string {
  const rest = Math.floor(number / ENDINGS.length);
  return `${syllables(rest, NAME_SYLLABLES)}${ENDINGS[number % ENDINGS.length]}`;
}

/** The word with a number below WORDS_COUNT, in lower case: `sabeku`. */
export function inventedWord(number: number): string {
  return syllables(number, WORD_SYLLABLES);
}

function syllables(number: number, count: number): string {
  let text = '';
  let rest = number;
  for (let n = 0; n < count; n += 1) {
    text += `${CONSONANTS[rest % CONSONANTS.length]}`;
    rest = Math.floor(rest / CONSONANTS.length);
    text += `${VOWELS[rest % VOWELS.length]}`;
    rest = Math.floor(rest / VOWELS.length);
  }
  return text;
}

/** Acute, grave, circumflex, diaeresis. */
const ACCENTS = '\u0301\u0300\u0302\u0308';

/** Puts an accent on one vowel, chosen by a number. */
export function accented(word: string, number: number): string {
  const vowels = [...word].flatMap((letter, at) => (VOWELS.includes(letter) ? [at] : []));
  const at = vowels[number % Math.max(1, vowels.length)] ?? 0;
  const accent = ACCENTS[Math.floor(number / 64) % ACCENTS.length] ?? '';
  return `${word.slice(0, at + 1)}${accent}${word.slice(at + 1)}`.normalize('NFC');
}

/**
 * Writes a word in lower case as `model` is written: in capitals, with one, or mixed.
 * @param number chooses the inner capital of a mixed spelling
 */
export function inCaseOf(model: string, word: string, number: number): string {
  if (model === model.toLowerCase()) return word;
  if (model === model.toUpperCase()) return word.toUpperCase();
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  if (model.slice(1) === model.slice(1).toLowerCase() || word.length < 4) {
    return model.charAt(0) === model.charAt(0).toUpperCase() ? capital : word;
  }
  const at = 2 + (number % 2);
  return capital.slice(0, at) + capital.charAt(at).toUpperCase() + capital.slice(at + 1);
}
