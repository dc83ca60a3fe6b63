// Lower case, code point by code point and without context: what Lucene's LowerCaseFilter does. JavaScript's
// toLowerCase differs from that in two places only: `İ` becomes two code points, and `Σ` at a word's end `ς`.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
const ASCII_ONLY = /^[\u0000-\u007f]*$/;
const DIFFERENT = /[\u0130\u03a3]/g;

/** The text in lower case; `İ` is `i`, `Σ` is `σ` wherever it stands. */
export function fold(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase();
  return text.replace(DIFFERENT, (letter) => (letter === '\u0130' ? 'i' : '\u03c3')).toLowerCase();
}
