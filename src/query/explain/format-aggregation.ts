// Prints aggregations, one per line with sub-aggregations below:
//   Cities = terms(source: attributes.city, size: 10)
// Invariant: every member is printed under its name, so no two different aggregations print alike.
import {
  type Aggregation,
  type Aggregations,
  type Flattened,
  hasBuckets,
  type ValueSource,
} from '../aggregation.ts';
import { formatName, formatQuery } from '../format-query.ts';
import type { Query, SortKey } from '../query.ts';

/** Returns a line for each aggregation, indented. */
export function formatAggregations(aggregations: Aggregations, indent: string): readonly string[] {
  return Object.entries(aggregations).flatMap(([name, aggregation]) => [
    `${indent}${formatName(name)} = ${formatOne(aggregation)}`,
    ...(hasBuckets(aggregation) ? formatAggregations(aggregation.aggregations, `${indent}  `) : []),
  ]);
}

/** Prints a sort key: `+name`, `-accessCount number`; a default type is left out. */
export function formatSortKey({ field, order, type, form, ...rest }: SortKey & Flattened): string {
  const defaultType = field === '_score' ? 'score' : field === '_doc' ? 'doc' : 'string';
  const key = `${order === 'asc' ? '+' : '-'}${formatName(field)}${type === defaultType ? '' : ` ${type}`}`;
  return `${key}${form === undefined ? '' : ` ${form}`}${formatFlattened(rest)}`;
}

function formatOne(aggregation: Aggregation): string {
  const members = Object.entries(aggregation)
    .filter(([name]) => name !== 'kind' && name !== 'aggregations')
    .map(([name, value]) => `${name}: ${formatMember(name, value)}`);
  return `${aggregation.kind}(${members.join(', ')})`;
}

/** Prints a member: queries, sources and sort keys in their own form, the rest as plain data. */
function formatMember(name: string, value: unknown): string {
  if (name === 'query') return formatQuery(value as Query);
  if (name === 'source') return formatSource(value as ValueSource);
  if (Array.isArray(value)) {
    const print = name === 'sort' ? formatSortKey : (one: unknown) => formatMember('', one);
    return `[${value.map(print).join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${key}: ${formatMember(key, one)}`);
  return `{${members.join(', ')}}`;
}

function formatFlattened({ nestedPath }: Flattened): string {
  return nestedPath === undefined ? '' : ` of all ${formatName(nestedPath)}`;
}

function formatSource(source: ValueSource): string {
  switch (source.kind) {
    case 'strings':
      return `${formatName(source.field)}${formatFlattened(source)}`;
    case 'numbers':
      return `${formatName(source.field)} ${source.column} ${source.type}${formatFlattened(source)}`;
    case 'id':
      return '_id';
    case 'constant':
      return `=${JSON.stringify(source.value)}`;
    case 'none':
      return '-';
  }
}
