// Reads `top_hits`: the best rows of a bucket with their sources, by score unless `sort` is given.

import type { HitSortKey } from '../aggregation.ts';
import { invalid, isScalar } from '../body.ts';
import { objectOf, Parameters } from '../dsl/dsl-parameters.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import type { Scope } from '../mapping/field-names.ts';
import type { SourceFilter } from '../query.ts';
import type { AggregationReader } from './aggregation-reader.ts';
import { type AggregationTarget, flattened } from './aggregation-source.ts';

const DEFAULT_SIZE = 3;
const MAX_SIZE = 100;

export const topHits: AggregationReader = {
  parameters: ['size', 'from', 'sort', '_source'],
  read: (parameters, { scope }, { clauses }) => {
    const { limits } = clauses;
    const size = parameters.integer('size', 0, MAX_SIZE) ?? DEFAULT_SIZE;
    const from = parameters.integer('from', 0, MAX_SIZE) ?? 0;
    if (from + size > MAX_SIZE) {
      throw invalid(`${parameters.path}: from and size must not be more than ${MAX_SIZE}`);
    }
    const sort = sortOf(parameters.get('sort'), parameters.pathOf('sort'), limits);
    const sourcePlace = parameters.pathOf('_source');
    const sourceFilter = sourceFilterOf(parameters.get('_source'), sourcePlace, limits);
    return (target) => ({
      kind: 'topHits',
      from,
      size,
      sort: sort.map((key) => sortKeyOn(target, key, scope)),
      sourceFilter,
    });
  },
};

interface SortBody {
  readonly name: string;
  readonly order: 'asc' | 'desc';
}

/** Reads `"field"`, `{"field": "desc"}`, `{"field": {"order": "desc"}}`, or a list of them. */
function sortOf(value: unknown, place: string, limits: QueryLimits): readonly SortBody[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [sortKeyOf(value, place)];
  checkSortKeys(value.length, place, limits);
  return value.map((key, at) => sortKeyOf(key, `${place}[${at}]`));
}

function sortKeyOf(value: unknown, place: string): SortBody {
  if (typeof value === 'string') return { name: value, order: value === '_score' ? 'desc' : 'asc' };
  const record = objectOf(value, place);
  const [name, ...others] = Object.keys(record);
  if (name === undefined || others.length > 0) throw invalid(`${place}: expected one field`);
  const inner = record[name];
  const inPlace = `${place}.${name.slice(0, 60)}`;
  if (isScalar(inner)) return { name, order: orderOf(inner, inPlace) };
  const parameters = new Parameters(inner, inPlace, ['order']);
  const byDefault = name === '_score' ? 'desc' : 'asc';
  return { name, order: orderOf(parameters.get('order') ?? byDefault, `${inPlace}.order`) };
}

/** @throws ServiceError `limit_exceeded` for more keys than a search may be sorted by */
export function checkSortKeys(count: number, place: string, { maxSortKeys }: QueryLimits): void {
  if (count > maxSortKeys)
    throw limitFault('maxSortKeys', maxSortKeys, `keys in ${place}`, { count });
}

export function orderOf(value: unknown, place: string): 'asc' | 'desc' {
  if (value === 'asc' || value === 'desc') return value;
  throw invalid(`${place}: expected asc or desc`);
}

function sortKeyOn(target: AggregationTarget, { name, order }: SortBody, scope: Scope): HitSortKey {
  if (name === '_score') return { field: name, order: 'desc', type: 'score' };
  if (name === '_doc') return { field: name, order, type: 'doc' };
  const operand = target.dsl.names.find(name === '_id' ? 'id' : name, scope);
  if (operand?.kind !== 'field') return { field: name, order, type: 'string' };
  const { path, type } = operand.field;
  const isString = type === 'text' || type === 'keyword';
  const key = { field: path, order, type: isString ? 'string' : 'number' } as const;
  return { ...key, ...flattened(operand.field, scope) };
}

function sourceFilterOf(value: unknown, place: string, limits: QueryLimits): SourceFilter | null {
  if (value === false) return null;
  if (value === undefined || value === true) return { includes: [], excludes: [], nested: true };
  const { includes, excludes } = namesIn(value, place);
  const count = includes.length + excludes.length;
  if (count > limits.maxClauses) {
    throw limitFault('maxClauses', limits.maxClauses, `names in ${place}`, { count });
  }
  return { includes, excludes, nested: true };
}

function namesIn(value: unknown, place: string): Pick<SourceFilter, 'includes' | 'excludes'> {
  if (typeof value === 'string' || Array.isArray(value)) {
    return { includes: namesOf(value, place), excludes: [] };
  }
  const parameters = new Parameters(value, place, ['includes', 'excludes', 'include', 'exclude']);
  const list = (...spellings: string[]) =>
    spellings.flatMap((name) => namesOf(parameters.get(name) ?? [], parameters.pathOf(name)));
  return { includes: list('includes', 'include'), excludes: list('excludes', 'exclude') };
}

function namesOf(value: unknown, place: string): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  for (const [at, name] of list.entries()) {
    if (typeof name !== 'string') throw invalid(`${place}[${at}]: expected a string`);
  }
  return list as string[];
}
