// Examples of what a collection reads, made from the table that reads it: a hint never recommends what
// would be refused.
import { nearestName } from '../mapping/nearest-name.ts';
import {
  type FilterField,
  type FilterFields,
  type FilterKind,
  type FilterOperator,
  filterField,
} from './collection-filter.ts';

/** What a collection is filtered and sorted by, and its largest page if not LIST_PAGE. */
export interface CollectionForm {
  readonly filters: FilterFields;
  readonly sorters: readonly string[];
  readonly limitMax?: number | undefined;
}

/** The operators that are shown, the most usual first. */
const SHOWN: readonly FilterOperator[] = ['sw', 'eq', 'in', 'ca', 'ge', 'le', 'co', 'pr', 'isnull'];
const VALUES: Readonly<Record<FilterKind, string>> = {
  text: '"A"',
  list: '"A"',
  number: '1',
  flag: 'true',
  date: '2026-01-31T00:00:00Z',
};

/** A filter that the collection accepts, of its name if it has one; null if it has no filters. */
export function exampleFilter({ filters }: CollectionForm): string | null {
  const names = Object.keys(filters);
  const isText = (name: string) => fieldOf(filters, name).kind === 'text';
  const name =
    names.find((one) => one === 'name') ??
    names.find((one) => isText(one) && fieldOf(filters, one).operators.includes('sw')) ??
    names[0];
  return name === undefined ? null : comparison(filters, name, SHOWN);
}

/** A filter on the field that a name means, such as `status eq "A"`; null if there is none. */
export function filterOn({ filters }: CollectionForm, name: string): string | null {
  const field = nearestName(name, Object.keys(filters));
  return field === null ? null : comparison(filters, field, ['eq', ...SHOWN]);
}

/** Sorters that the collection accepts, such as `name,-modified`; null if it has none. */
export function exampleSorters({ sorters }: CollectionForm): string | null {
  const usual = ['name', 'modified', 'created'].filter((name) => sorters.includes(name));
  const [first = sorters[0], second] = usual;
  if (first === undefined) return null;
  return second === undefined ? first : `${first},-${second}`;
}

function comparison(
  filters: FilterFields,
  name: string,
  preferred: readonly FilterOperator[],
): string {
  const { kind, operators } = fieldOf(filters, name);
  const operator = preferred.find((one) => operators.includes(one)) ?? operators[0];
  if (operator === 'pr' || operator === 'isnull') return `${name} ${operator}`;
  return `${name} ${operator} ${VALUES[kind]}`;
}

function fieldOf(filters: FilterFields, name: string): FilterField {
  return filterField(filters[name] ?? 'text');
}
