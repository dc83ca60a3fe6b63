// The `flags` of a DSL regexp: which of Lucene's optional operators are operators. The others are made literal here,
// so that there is one flavour of regular expression behind it.
import { ServiceError } from '../../errors.ts';

const OPERATORS: Readonly<Record<string, string>> = {
  COMPLEMENT: '~',
  INTERVAL: '<>',
  INTERSECTION: '&',
  ANYSTRING: '@',
  EMPTY: '#',
};

/**
 * The pattern with the operators that the flags do not name escaped.
 * @throws ServiceError `query_malformed` for an unknown flag
 */
export function regexpWithFlags(pattern: string, flags: string): string {
  const named = flags.split('|').map((flag) => flag.trim().toUpperCase());
  for (const flag of named) {
    if (['ALL', 'NONE', ''].includes(flag) || Object.hasOwn(OPERATORS, flag)) continue;
    const known = ['ALL', 'NONE', ...Object.keys(OPERATORS)].join(', ');
    throw new ServiceError(
      'query_malformed',
      `there is no flag ${JSON.stringify(flag.slice(0, 40))}, expected some of ${known}`,
    );
  }
  if (named.includes('ALL') || flags.trim() === '') return pattern;
  const literal = Object.entries(OPERATORS)
    .filter(([flag]) => !named.includes(flag))
    .map(([, operators]) => operators)
    .join('');
  // Escapes, classes and quoted runs are passed over whole.
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|"[^"]*"|[~<>&@#]/g, (part) =>
    part.length === 1 && literal.includes(part) ? `\\${part}` : part,
  );
}
