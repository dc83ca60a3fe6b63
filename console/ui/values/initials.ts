// The initials and the colour of a name.

/** The number of colours of style/components.css. */
const HUES = 6;

/** The first letters of the first and the last word, in upper case: `AL` for Ada de Lovelace. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu) ?? [];
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  // A word of a script without upper case, as in Chinese, is its own first letter.
  return chosen.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('');
}

/** A number from 0 to 5, the same for the same name. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return hash % HUES;
}
