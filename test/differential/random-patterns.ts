// Random patterns for queries: wildcards, Lucene regular expressions, misspelled words.
import type { Random } from './random.ts';

/** Swaps two letters, drops one, or leaves the word unchanged. */
export function edited(random: Random, chars: readonly string[]): string {
  const at = random.int(chars.length);
  const [one = '', two = ''] = chars.slice(at);
  const middle = random.pick([one + two, two + one, two + one, two]);
  return [...chars.slice(0, at), middle, ...chars.slice(at + 2)].join('');
}

export function wildcardOf(random: Random, chars: readonly string[]): string {
  return chars
    .map((char) => {
      if (random.chance(0.25)) return random.pick(['*', '?']);
      return /[*?\\]/.test(char) ? `\\${char}` : char;
    })
    .join('');
}

const ATOMS: readonly string[] = [
  ...['a', 'd', 'b', 'o', '.', '[a-d]', '[^b]', '@', '"ad"', '<1-12>', '\\w', '\\d', '\\s', '\\*'],
  ...[
    'é',
    '人',
    'İ',
    'ß',
    '\u{1f600}',
    '[σς]',
    '#?',
    '()',
    '\\D',
    '\\W',
    '\\S',
    '[\\Da]',
    '[^\\W]',
  ],
];

/** A regular expression with groups up to `depth` levels deep. */
export function randomExpression(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.1)) {
    return `${randomExpression(random, 0)}&${randomExpression(random, 0)}`;
  }
  const parts = random.list(1, 4, () => {
    const group = depth > 0 && random.chance(0.3);
    const atom = group
      ? `(${random.list(1, 2, () => randomExpression(random, depth - 1)).join('|')})`
      : random.pick(ATOMS);
    return atom + random.pick(['', '', '*', '+', '?', '{1,2}', '{2,}']);
  });
  return parts.join('');
}
