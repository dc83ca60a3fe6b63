// Applies the `flags` of a DSL regexp, which enable Lucene's optional operators. Disabled operators
// are escaped here, so that all regular expressions have one syntax afterwards.
import { ServiceError } from '../../errors.ts';

const OPERATORS: Readonly<Record<string, string>> = {
  COMPLEMENT: '~',
  INTERVAL: '<>',
  INTERSECTION: '&',
  ANYSTRING: '@',
  EMPTY: '#',
};

/**
 * Escapes the operators that the flags do not enable.
 * @throws ServiceError `query_malformed` for an unknown flag
 */
export function regexpWithFlags(pattern: string, flags: string): string {
  const named = flags.split('|').map((flag) => flag.trim().toUpperCase());
  for (const flag of named) {
    if (['ALL', 'NONE', ''].includes(flag) || Object.hasOwn(OPERATORS, flag)) continue;
    const flagNames = ['ALL', 'NONE', ...Object.keys(OPERATORS)].join(', ');
    throw new ServiceError(
      'query_malformed',
      `unknown flag ${JSON.stringify(flag.slice(0, 40))}, expected some of ${flagNames}`,
    );
  }
  if (named.includes('ALL') || flags.trim() === '') return pattern;
  const literal = Object.entries(OPERATORS)
    .filter(([flag]) => !named.includes(flag))
    .map(([, operators]) => operators)
    .join('');
  // Escapes, classes and quoted runs are left unchanged.
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|"[^"]*"|[~<>&@#]/g, (part) =>
    part.length === 1 && literal.includes(part) ? `\\${part}` : part,
  );
}
