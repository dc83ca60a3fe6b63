// Turns the parsed filter of a list into queries: of documents, or of elements of an array and the
// documents that own them.

import { ServiceError } from '../../errors.ts';
import { fold } from '../../query/analysis/fold.ts';
import { anyOf, bool, MATCH_ALL, MATCH_NONE, matchesNothing } from '../../query/build.ts';
import type {
  CollectionFilter,
  FilterOperator,
  FilterValue,
} from '../../query/collections/collection-filter.ts';
import { dateStart } from '../../query/collections/date-operand.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Query } from '../../query/query.ts';
import type { ListField, ListFields, ShownWords } from './list-field.ts';
import { holds } from './object-list.ts';

type Comparison = Extract<CollectionFilter, { readonly kind: 'compare' }>;

/** Which documents, and which of their elements: MATCH_ALL if the list has documents. */
export interface Selection {
  readonly documents: Query;
  readonly elements: Query;
}

/**
 * Most parts of a filter about documents that are joined by `or` or `not` with parts about elements:
 * each doubles the number of searches.
 */
const MIXED_PARTS_MAX = 4;

/**
 * The objects that match a filter, as selections that have no object in common; none if no object
 * can match. There are several only if `or` or `not` joins a condition on elements with one on their
 * documents.
 * @param element the array whose elements are the objects; null: the objects are documents
 * @throws ServiceError `limit_exceeded` for a filter that mixes both too often
 */
export function selectionsOf(
  filter: CollectionFilter | null,
  fields: ListFields,
  mapping: Mapping,
  element: string | null,
): readonly Selection[] {
  if (filter === null) return [{ documents: MATCH_ALL, elements: MATCH_ALL }];
  const condition = conditionOf(filter, fields, mapping, element);
  const parts = [...documentParts(condition)];
  if (parts.length > MIXED_PARTS_MAX) {
    const cause = `filters: more than ${MIXED_PARTS_MAX} conditions on identities are joined by or or not with conditions on accounts; send several requests`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
  const byElements = new Map<string, { elements: Query; documents: Query[] }>();
  for (let truths = 0; truths < 2 ** parts.length; truths++) {
    const isTrue = (part: DocumentPart) => ((truths >> parts.indexOf(part)) & 1) === 1;
    const elements = elementQuery(condition, isTrue);
    if (matchesNothing(elements)) continue;
    const documents = both(parts.map((part) => (isTrue(part) ? part.query : negated(part.query))));
    const key = JSON.stringify(elements);
    const group = byElements.get(key) ?? { elements, documents: [] };
    group.documents.push(documents);
    byElements.set(key, group);
  }
  return [...byElements.values()]
    .map(({ elements, documents }) => ({ elements, documents: either(documents) }))
    .filter(({ documents }) => !matchesNothing(documents));
}

/** A condition on documents or on elements, or several of them joined. */
type Condition =
  | DocumentPart
  | { readonly of: 'elements'; readonly query: Query }
  | {
      readonly of: 'both';
      readonly kind: 'and' | 'or' | 'not';
      readonly parts: readonly Condition[];
    };

interface DocumentPart {
  readonly of: 'documents';
  readonly query: Query;
}

function conditionOf(
  filter: CollectionFilter,
  fields: ListFields,
  mapping: Mapping,
  element: string | null,
): Condition {
  const below = (part: CollectionFilter) => conditionOf(part, fields, mapping, element);
  switch (filter.kind) {
    case 'compare':
      return comparisonCondition(filter, fieldOf(fields, filter.field), mapping, element);
    case 'not': {
      const part = below(filter.part);
      if (part.of === 'both') return { of: 'both', kind: 'not', parts: [part] };
      return { of: part.of, query: negated(part.query) };
    }
    case 'and':
    case 'or':
      return joined(filter.kind, filter.parts.map(below));
  }
}

/** Conditions on documents become one, and so do those on elements. */
function joined(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const join = kind === 'and' ? both : either;
  const parts: Condition[] = conditions.filter(({ of }) => of === 'both');
  for (const of of ['documents', 'elements'] as const) {
    const queries = conditions.flatMap((each) => (each.of === of ? [each.query] : []));
    if (queries.length === conditions.length) return { of, query: join(queries) };
    if (queries.length > 0) parts.push({ of, query: join(queries) });
  }
  return { of: 'both', kind, parts };
}

function* documentParts(condition: Condition): Generator<DocumentPart> {
  if (condition.of === 'documents') yield condition;
  if (condition.of === 'both') for (const part of condition.parts) yield* documentParts(part);
}

/** The condition on elements that is left where each condition on documents is true or false. */
function elementQuery(condition: Condition, isTrue: (part: DocumentPart) => boolean): Query {
  if (condition.of === 'elements') return condition.query;
  if (condition.of === 'documents') return isTrue(condition) ? MATCH_ALL : MATCH_NONE;
  const parts = condition.parts.map((part) => elementQuery(part, isTrue));
  if (condition.kind === 'not') return negated(parts[0] ?? MATCH_NONE);
  return condition.kind === 'and' ? both(parts) : either(parts);
}

function fieldOf(fields: ListFields, name: string): ListField {
  const found = fields[name];
  if (found === undefined) throw new TypeError(`The filter has an unknown field: ${name}`);
  return found;
}

function comparisonCondition(
  { operator, values }: Comparison,
  { values: source }: ListField,
  mapping: Mapping,
  element: string | null,
): Condition {
  const of = (path: string) =>
    element !== null && path.startsWith(`${element}.`) ? 'elements' : 'documents';
  if ('constant' in source) {
    const matches = holds(source.constant, operator, values);
    return { of: 'documents', query: matches ? MATCH_ALL : MATCH_NONE };
  }
  if ('anyBelow' in source) {
    const any = anyBelow(source.anyBelow, mapping);
    const wanted = values[0] === true;
    return { of: of(source.anyBelow), query: wanted === (operator === 'eq') ? any : negated(any) };
  }
  if ('allBelow' in source) {
    const paths = fieldsBelow(source.allBelow, mapping).filter((path) => isText(path, mapping));
    const queries = paths.map((path) => comparisonQuery(path, operator, values, mapping));
    return { of: of(source.allBelow), query: either(queries) };
  }
  const compare = (name: FilterOperator) => firstOf(source.paths, name, values, mapping);
  const query =
    source.shown === undefined
      ? compare(operator)
      : shownQuery(source.paths, source.shown, { operator, values }, compare);
  return { of: of(source.paths[0] ?? ''), query };
}

/** Compares the shown words instead of the values that they stand for. */
function shownQuery(
  paths: readonly string[],
  words: ShownWords,
  { operator, values }: Pick<Comparison, 'operator' | 'values'>,
  compare: (operator: FilterOperator) => Query,
): Query {
  if (operator === 'pr' || operator === 'isnull') return compare(operator);
  if (operator === 'ne') {
    return negated(shownQuery(paths, words, { operator: 'eq', values }, compare));
  }
  const having = (names: readonly string[]) =>
    either(paths.map((path) => (names.length === 0 ? MATCH_NONE : folded(path, names))));
  const names = Object.keys(words);
  const matching = names.filter((name) => holds(words[name] ?? null, operator, values));
  return either([having(matching), both([negated(having(names)), compare(operator)])]);
}

/** What has any value below a path. */
export function anyBelow(path: string, mapping: Mapping): Query {
  return either(fieldsBelow(path, mapping).map(present));
}

function fieldsBelow(root: string, { fields }: Mapping): string[] {
  return [...fields.keys()].filter((path) => path.startsWith(`${root}.`));
}

/** Compares the value at the first path where a document has one. */
function firstOf(
  paths: readonly string[],
  operator: FilterOperator,
  values: readonly FilterValue[],
  mapping: Mapping,
): Query {
  if (operator === 'ne') return negated(firstOf(paths, 'eq', values, mapping));
  if (operator === 'isnull') return negated(firstOf(paths, 'pr', values, mapping));
  const [path, ...others] = paths.filter((name) => mapping.fields.has(name));
  if (path === undefined) return MATCH_NONE;
  const query = comparisonQuery(path, operator, values, mapping);
  if (others.length === 0) return query;
  const rest = firstOf(others, operator, values, mapping);
  return either([query, both([negated(present(path)), rest])]);
}

/** A comparison that a missing value does not match. */
function comparisonQuery(
  path: string,
  operator: FilterOperator,
  values: readonly FilterValue[],
  mapping: Mapping,
): Query {
  if (operator === 'pr') return present(path);
  return isText(path, mapping)
    ? textQuery(path, operator, values.map(String))
    : numberQuery(path, operator, values);
}

function isText(path: string, { fields }: Mapping): boolean {
  const type = fields.get(path)?.type;
  return type === 'text' || type === 'keyword';
}

/** Compares without case: the folded values with the folded operands. */
function textQuery(path: string, operator: FilterOperator, values: readonly string[]): Query {
  const operands = values.map(fold);
  const [value = ''] = operands;
  const term = { field: path, form: 'folded' } as const;
  switch (operator) {
    case 'eq':
    case 'in':
      return folded(path, [...new Set(operands)]);
    case 'sw':
      return value === '' ? present(path) : { kind: 'prefix', ...term, value };
    case 'co':
      return value === ''
        ? present(path)
        : { kind: 'wildcard', ...term, pattern: `*${value.replace(/[\\*?]/g, '\\$&')}*` };
    case 'gt':
    case 'lt':
      return { kind: 'termRange', ...term, [operator]: value };
    case 'ge':
    case 'le':
      return { kind: 'termRange', ...term, [operator === 'ge' ? 'gte' : 'lte']: value };
    default:
      throw new TypeError(`No operator of text: ${operator}`);
  }
}

/** One of some whole values that are already folded. */
function folded(field: string, values: readonly string[]): Query {
  return { kind: 'terms', field, form: 'folded', values };
}

function numberQuery(
  path: string,
  operator: FilterOperator,
  values: readonly FilterValue[],
): Query {
  const numbers = values.map(Number);
  const [value = Number.NaN] = numbers;
  const column = { field: path, column: 'value' } as const;
  switch (operator) {
    case 'eq':
    case 'in':
      return { kind: 'numbers', ...column, values: numbers };
    case 'gt':
    case 'lt':
      return { kind: 'numberRange', ...column, [operator]: value };
    case 'ge':
    case 'le':
      return { kind: 'numberRange', ...column, [operator === 'ge' ? 'gte' : 'lte']: value };
    case 'sw': {
      const [gte, lt] = dateStart(String(values[0]));
      return { kind: 'numberRange', ...column, gte, lt };
    }
    default:
      throw new TypeError(`No operator of numbers: ${operator}`);
  }
}

function present(path: string): Query {
  return { kind: 'exists', field: path };
}

/** One of some whole values, as stored. */
export function exactly(field: string, values: readonly string[]): Query {
  return { kind: 'terms', field, form: 'exact', values };
}

/** Matches what a query does not. */
export function negated(query: Query): Query {
  return bool({ mustNot: [query] });
}

/** Matches what all of the queries match. */
export function both(queries: readonly Query[]): Query {
  const conditions = queries.filter(({ kind }) => kind !== 'matchAll');
  const [only] = conditions;
  if (only === undefined) return MATCH_ALL;
  return conditions.length === 1 ? only : bool({ filter: conditions });
}

/** Matches what any of the queries matches. */
export function either(queries: readonly Query[]): Query {
  return queries.some(({ kind }) => kind === 'matchAll') ? MATCH_ALL : anyOf(queries);
}
