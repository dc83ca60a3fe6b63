// Lower-cases text code point by code point, without context, as Lucene's LowerCaseFilter does.
// JavaScript's toLowerCase differs in two places only: `İ` becomes two code points, and `Σ` at the
// end of a word becomes `ς`.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ASCII_ONLY = /^[\u0000-\u007f]*$/;
const DIFFERENT = /[\u0130\u03a3]/g;

/** Returns the text in lower case: `İ` becomes `i`, and `Σ` becomes `σ` in every position. */
export function fold(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase();
  return text.replace(DIFFERENT, (letter) => (letter === '\u0130' ? 'i' : '\u03c3')).toLowerCase();
}
