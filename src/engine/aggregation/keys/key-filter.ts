// Filters the keys of `terms`: those that are included and not excluded get buckets.
import type { TermsFilter } from '../../../query/aggregation.ts';
import { Automaton } from '../../../query/language/automaton.ts';
import { parseRegexp } from '../../../query/language/regexp.ts';
import type { Key } from '../collecting/intermediate.ts';

export type KeyFilter = (key: Key) => boolean;

/** Returns null if all keys are accepted. */
export function keyFilter(
  include: TermsFilter | undefined,
  exclude: TermsFilter | undefined,
): KeyFilter | null {
  if (include === undefined && exclude === undefined) return null;
  const included = include === undefined ? () => true : accepts(include);
  const excluded = exclude === undefined ? () => false : accepts(exclude);
  return (key) => included(key) && !excluded(key);
}

function accepts(filter: TermsFilter): KeyFilter {
  if (filter.kind === 'values') {
    const values = new Set<Key>(filter.values);
    return (key) => values.has(key);
  }
  const pattern = new Automaton(parseRegexp(filter.pattern));
  return (key) => typeof key === 'string' && pattern.matches(key);
}
