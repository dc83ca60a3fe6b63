// Letters as logins and addresses spell them: lower case, without accents.

/** Letters that Unicode decomposition leaves as they are. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  œ: 'oe',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

/** A word in lower case without accents: `Möller` → `moller`. */
export function plainLetters(word: string): string {
  return word
    .toLowerCase()
    .replace(/[ßæøœðđþłı]/g, (letter) => SPELLINGS[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
}
