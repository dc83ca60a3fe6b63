// Resolves one leaf of a query text on one field, by the type of the field. A text without words is
// dropped (null); a value that does not suit the field is a Mismatch, which the caller ignores or
// reports.
import { fold } from '../analysis/fold.ts';
import { decimalNumber } from '../analysis/values.ts';
import { anyOf, bool, MATCH_NONE } from '../build.ts';
import type { Span } from '../dates/dates.ts';
import type { Field } from '../mapping/mapping.ts';
import type { NumberColumn, Query, TermForm } from '../query.ts';
import { foldRegexp, parseRegexp } from './regexp.ts';
import type { RequestTexts } from './request-texts.ts';
import type { Bound, Leaf } from './syntax.ts';

/** Why a leaf does not suit a field. */
export class Mismatch {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

/** Most terms that a fuzzy term expands to (FuzzyQuery.defaultMaxExpansions). */
const MAX_EXPANSIONS = 50;

/**
 * Resolves a leaf on a field; null if the leaf has no words on a text field, so its clause is
 * dropped.
 */
export function fieldQuery(
  leaf: Leaf,
  field: Field,
  exact: boolean,
  texts: RequestTexts,
): Query | Mismatch | null {
  const open = leaf.kind === 'range' && leaf.lower === undefined && leaf.upper === undefined;
  if (leaf.kind === 'any' || open) return { kind: 'exists', field: field.path };
  switch (field.type) {
    case 'text':
      if (exact) return stringQuery(leaf, field.path, 'exact', texts);
      if (leaf.kind === 'range' && field.dynamic) return dynamicRange(leaf, field, texts);
      return stringQuery(leaf, field.path, 'word', texts);
    case 'keyword':
      return stringQuery(leaf, field.path, exact ? 'exact' : 'folded', texts);
    case 'date':
      return dateQuery(leaf, field.path, texts);
    case 'long':
    case 'double':
      return numberQuery(leaf, field);
    case 'boolean':
      return booleanQuery(leaf, field.path);
  }
}

type StringLeaf = Exclude<Leaf, { readonly kind: 'any' }>;

/** Resolves a leaf on one form of a string field or of the catch-all. */
export function stringQuery(
  leaf: StringLeaf,
  field: string,
  form: TermForm,
  texts: RequestTexts,
): Query | null {
  if (form !== 'word') return valueQuery(leaf, field, form);
  if (leaf.kind === 'term') return anyWord(leaf, field, texts);
  return leaf.kind === 'phrase' ? phrase(leaf, field, texts) : patternQuery(leaf, field, form);
}

/** Resolves a leaf on the whole values of a field. */
export function valueQuery(
  leaf: StringLeaf,
  field: string,
  form: Exclude<TermForm, 'word'>,
): Query | null {
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase') return patternQuery(leaf, field, form);
  return { kind: 'term', field, form, value: form === 'exact' ? leaf.text : fold(leaf.text) };
}

function patternQuery(
  leaf: Exclude<StringLeaf, { readonly kind: 'term' | 'phrase' }>,
  field: string,
  form: TermForm,
): Query {
  const normalize = form === 'exact' ? (text: string) => text : fold;
  switch (leaf.kind) {
    case 'fuzzy':
      return fuzzy(normalize(leaf.text), leaf.edits, field, form);
    case 'prefix':
      return { kind: 'prefix', field, form, value: normalize(leaf.text) };
    case 'wildcard':
      return { kind: 'wildcard', field, form, pattern: normalize(leaf.pattern) };
    case 'regexp': {
      const pattern = form === 'exact' ? leaf.pattern : foldRegexp(leaf.pattern, fold);
      parseRegexp(pattern);
      return { kind: 'regexp', field, form, pattern };
    }
    case 'range':
      return {
        kind: 'termRange',
        field,
        form,
        ...(leaf.lower && { [leaf.lower.inclusive ? 'gte' : 'gt']: normalize(leaf.lower.text) }),
        ...(leaf.upper && { [leaf.upper.inclusive ? 'lte' : 'lt']: normalize(leaf.upper.text) }),
      };
  }
}

/** Matches any of the whole values, ignoring case unless `exact`. */
export function valuesQuery(
  values: readonly string[],
  field: Field,
  exact: boolean,
  texts: RequestTexts,
): Query | Mismatch {
  if (field.type === 'text' || field.type === 'keyword') {
    const form = exact ? 'exact' : 'folded';
    const distinct = new Set(exact ? values : values.map(fold));
    return { kind: 'terms', field: field.path, form, values: [...distinct] };
  }
  const queries: Query[] = [];
  const numbers = new Set<number>();
  for (const text of values) {
    const query = fieldQuery({ kind: 'term', text }, field, false, texts);
    if (query instanceof Mismatch) return query;
    if (query?.kind === 'numbers') for (const value of query.values) numbers.add(value);
    else if (query !== null) queries.push(query);
  }
  if (numbers.size > 0) {
    const sorted = [...numbers].sort((a, b) => a - b);
    queries.push({ kind: 'numbers', field: field.path, column: 'value', values: sorted });
  }
  return anyOf(queries);
}

/** Parses a decimal number, with an optional exponent; else undefined. */
export function numberOf(text: string): number | undefined {
  const value =
    decimalNumber(text) ??
    (/^[+-]?\d+(\.\d+)?[eE][+-]?\d+$/.test(text) ? Number(text) : Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** Parses `true` and `false` in any case, as 1 and 0; else undefined. */
export function booleanOf(text: string): 0 | 1 | undefined {
  const folded = fold(text);
  if (folded === 'true') return 1;
  return folded === 'false' ? 0 : undefined;
}

type WordLeaf = Leaf & { readonly kind: 'term' | 'phrase' };

function anyWord(leaf: WordLeaf, field: string, texts: RequestTexts): Query | null {
  const terms = texts.words(leaf.text);
  if (terms.length === 0) return null;
  const queries = terms.map((value): Query => ({ kind: 'term', field, form: 'word', value }));
  return leaf.kind === 'term' && leaf.all === true ? bool({ must: queries }) : anyOf(queries);
}

function phrase(
  leaf: WordLeaf & { readonly kind: 'phrase' },
  field: string,
  texts: RequestTexts,
): Query | null {
  const terms = texts.words(leaf.text);
  const [only] = terms;
  if (only === undefined) return null;
  if (terms.length === 1) return { kind: 'term', field, form: 'word', value: only };
  return { kind: 'phrase', field, terms, slop: leaf.slop };
}

/**
 * A bare `~` allows 0, 1 or 2 edits by length; a number below 1 is the share of the text that must
 * stay (FuzzyQuery.floatToEdits).
 */
function fuzzy(value: string, edits: number | null, field: string, form: TermForm): Query {
  const length = [...value].length;
  const auto = length < 3 ? 0 : length < 6 ? 1 : 2;
  const share = edits !== null && edits > 0 && edits < 1 ? Math.trunc((1 - edits) * length) : edits;
  const maxEdits = Math.min(2, share ?? auto) as 0 | 1 | 2;
  if (maxEdits === 0) return { kind: 'term', field, form, value };
  return {
    kind: 'fuzzy',
    field,
    form,
    value,
    maxEdits,
    prefixLength: 0,
    maxExpansions: MAX_EXPANSIONS,
  };
}

type Range = Leaf & { readonly kind: 'range' };

/** A bound of a range that may be a number or a year. */
const YEAR = /^\d{4}$/;

/**
 * A range on a dynamic string field compares dates if all bounds are dates, numbers if both are
 * numbers, else words. If all bounds are years it compares dates with dates, and other values as
 * if the years were numbers or words.
 */
function dynamicRange(leaf: Range, field: Field, texts: RequestTexts): Query | null {
  const bounds = [leaf.lower, leaf.upper].filter((bound) => bound !== undefined);
  const isNumber = ({ text }: Bound) => decimalNumber(text) !== undefined;
  const isDate = (bound: Bound) =>
    YEAR.test(bound.text) || (!isNumber(bound) && texts.span(bound.text) !== undefined);
  const dates = () => dateRange(leaf, field.path, 'date', texts) as Query;
  const areDates = bounds.length > 0 && bounds.every(isDate);
  if (areDates && !bounds.every(isNumber)) return dates();
  if (bounds.length === 2 && bounds.every(isNumber)) {
    const numbers = numberRange(field.path, 'number', leaf, ({ text }) => decimalNumber(text) ?? 0);
    return areDates ? bool({ should: [dates(), numbers] }) : numbers;
  }
  const words = stringQuery(leaf, field.path, 'word', texts);
  if (!areDates || words === null) return words;
  const anyDate: Query = { kind: 'numberRange', field: field.path, column: 'date' };
  return bool({ should: [dates(), bool({ must: [words], mustNot: [anyDate] })] });
}

function dateQuery(leaf: Leaf, field: string, texts: RequestTexts): Query | Mismatch {
  if (leaf.kind === 'range') return dateRange(leaf, field, 'value', texts);
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase') return unsupportedLeaf(leaf, field, 'dates');
  const span = texts.span(leaf.text);
  if (span === undefined) return notA('date', leaf.text, field);
  if (span.first === span.last) return numbersQuery(field, span.first);
  return { kind: 'numberRange', field, column: 'value', gte: span.first, lte: span.last };
}

/**
 * A bound means its whole unit: `[` and `<` use its first millisecond; `{`, `>` and `]` its last.
 */
function dateRange(
  leaf: Range,
  field: string,
  column: NumberColumn,
  texts: RequestTexts,
): Query | Mismatch {
  const spans = new Map<Bound, Span>();
  for (const bound of [leaf.lower, leaf.upper]) {
    if (bound === undefined) continue;
    const span = texts.span(bound.text);
    if (span === undefined) return notA('date', bound.text, field);
    spans.set(bound, span);
  }
  return numberRange(field, column, leaf, (bound, side) => {
    const span = spans.get(bound) ?? { first: 0, last: 0 };
    return (side === 'lower') === bound.inclusive ? span.first : span.last;
  });
}

function numberRange(
  field: string,
  column: NumberColumn,
  { lower, upper }: Range,
  value: (bound: Bound, side: 'lower' | 'upper') => number,
): Query {
  return {
    kind: 'numberRange',
    field,
    column,
    ...(lower && { [lower.inclusive ? 'gte' : 'gt']: value(lower, 'lower') }),
    ...(upper && { [upper.inclusive ? 'lte' : 'lt']: value(upper, 'upper') }),
  };
}

function numbersQuery(field: string, value: number): Query {
  return { kind: 'numbers', field, column: 'value', values: [value] };
}

function numberQuery(leaf: Leaf, { path, type }: Field): Query | Mismatch {
  const read = (text: string): number | undefined => {
    const value = numberOf(text);
    if (type === 'double' || value === undefined) return value;
    return Math.abs(value) > Number.MAX_SAFE_INTEGER ? undefined : value;
  };
  if (leaf.kind === 'range') {
    for (const bound of [leaf.lower, leaf.upper]) {
      if (bound !== undefined && read(bound.text) === undefined) {
        return notA('number', bound.text, path);
      }
    }
    return numberRange(path, 'value', leaf, (bound) => read(bound.text) ?? 0);
  }
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase') return unsupportedLeaf(leaf, path, 'numbers');
  const value = read(leaf.text);
  if (value === undefined) return notA('number', leaf.text, path);
  if (type === 'long' && !Number.isInteger(value)) return MATCH_NONE;
  return numbersQuery(path, value);
}

function booleanQuery(leaf: Leaf, field: string): Query | Mismatch {
  if (leaf.kind === 'range') {
    for (const bound of [leaf.lower, leaf.upper]) {
      if (bound !== undefined && booleanOf(bound.text) === undefined) {
        return notA('true or false', bound.text, field);
      }
    }
    return numberRange(field, 'value', leaf, (bound) => booleanOf(bound.text) ?? 0);
  }
  if (leaf.kind !== 'term' && leaf.kind !== 'phrase')
    return unsupportedLeaf(leaf, field, 'true or false');
  const value = booleanOf(leaf.text);
  return value === undefined ? notA('true or false', leaf.text, field) : numbersQuery(field, value);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: 'a date like 2024-05-01, 2024-05-01T10:00:00Z or now-7d/d',
  number: 'a number',
  'true or false': 'true or false',
};

function notA(what: string, text: string, field: string): Mismatch {
  return new Mismatch(
    `${JSON.stringify(text.slice(0, 60))} is not what the field ${field} holds, expected ${EXAMPLES[what]}`,
  );
}

function unsupportedLeaf(leaf: Leaf, field: string, holds: string): Mismatch {
  const name = leaf.kind === 'regexp' ? 'regular expression' : `${leaf.kind} query`;
  return new Mismatch(`the field ${field} holds ${holds}, a ${name} is for strings`);
}
