// Prints a plan for a person: a line per index with its query, then the parts that all indices
// share.
// Invariant: every part of a plan is printed, and no two different plans print alike.

import { formatForm, formatName, formatQuery, formatWords } from '../format-query.ts';
import type { Plan, Target, Typeahead } from '../plan.ts';
import { formatAggregations, formatSortKey } from './format-aggregation.ts';

/** Prints a plan, one line for each target and each part that differs from its default. */
export function format(plan: Plan): string {
  const { targets, typeahead, sort, searchAfter, from, size, trackTotal, source, maxBuckets } =
    plan;
  const lines = targets.flatMap(formatTarget);
  if (typeahead !== undefined) lines.push(formatTypeahead(typeahead));
  if (sort.length > 0) lines.push(`sort: ${sort.map(formatSortKey).join(', ')}`);
  if (searchAfter !== undefined) lines.push(`after: ${JSON.stringify(searchAfter)}`);
  lines.push(`rows: ${from} + ${size}${trackTotal ? ' of the exact total' : ''}`);
  const { includes, excludes, nested } = source;
  if (includes.length > 0) lines.push(`includes: ${includes.map(formatPath).join(', ')}`);
  if (excludes.length > 0) lines.push(`excludes: ${excludes.map(formatPath).join(', ')}`);
  if (plan.elementPositions) lines.push('documents with the positions of their elements');
  if (!nested) lines.push('without nested members');
  if (maxBuckets !== undefined) lines.push(`buckets: at most ${maxBuckets}`);
  return lines.join('\n');
}

function formatTarget(target: Target): readonly string[] {
  const { index, query, innerHit, typeahead, aggregations, visible } = target;
  const lines = [`${index}: ${formatQuery(query)}`];
  if (innerHit !== undefined) {
    lines.push(`  elements of ${formatName(innerHit.path)}: ${formatQuery(innerHit.query)}`);
  }
  if (typeahead !== undefined) {
    const { nested, terms, filter } = typeahead;
    const within = nested === null ? '' : ` in ${formatName(nested)}`;
    const values = `${formatForm(typeahead)}:${formatWords(terms, typeahead.form)}*`;
    lines.push(`  values of ${values}${within} where ${formatQuery(filter)}`);
  }
  if (aggregations !== undefined) {
    lines.push('  calculates', ...formatAggregations(aggregations, '    '));
  }
  if (visible !== undefined) lines.push(`  among ${formatQuery(visible)}`);
  return lines;
}

function formatTypeahead({ size, order, by, maxExpansions }: Typeahead): string {
  const sign = order === 'asc' ? '+' : '-';
  return `values: ${size} by ${sign}${by}, ${maxExpansions} expansions`;
}

/** Prints a name of a source filter, which may contain `*`. */
function formatPath(path: string): string {
  return /^[\p{L}\p{N}_.*-]+$/u.test(path) ? path : JSON.stringify(path);
}
