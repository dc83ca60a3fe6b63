// Reads the parameter `filters` of a collection, in the SCIM-like language of the public API
// (its "standard collection parameters"): `capabilities ca "ORG_ADMIN" and not (enabled eq false)`.
// A collection names its fields and their kinds; the store turns the parsed filter into SQL.
// Invariant: the number of comparisons, of values and of parentheses is bounded while reading.

import { ServiceError } from '../../errors.ts';
import { DEFAULT_LIMITS, limitFault, type QueryLimits } from '../limits.ts';
import { nearestName } from '../mapping/nearest-name.ts';
import { dateOperand } from './date-operand.ts';
import {
  type FilterToken,
  filterFault,
  hasTypographicQuote,
  isOddlyQuoted,
  readFilterToken,
} from './filter-token.ts';

/**
 * The kind of a field. `text` compares without case: operands and values by `fold` of
 * analysis/fold.ts. `list` is an array of names, which compare as stored; the values of a `date` are
 * epoch milliseconds.
 */
export type FilterKind = 'text' | 'number' | 'flag' | 'list' | 'date';

/** A field with operators of its own, instead of all of its kind. */
export interface FilterField {
  readonly kind: FilterKind;
  readonly operators: readonly FilterOperator[];
}

/** The fields that a collection can be filtered by. */
export type FilterFields = Readonly<Record<string, FilterKind | FilterField>>;

export type FilterOperator =
  | 'eq'
  | 'ne'
  | 'co'
  | 'sw'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'in'
  | 'ca'
  | 'pr'
  | 'isnull';

export type FilterValue = string | number | boolean;

/** A parsed filter. */
export type CollectionFilter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly CollectionFilter[] }
  | { readonly kind: 'not'; readonly part: CollectionFilter }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: FilterOperator;
      /**
       * One value, several for `in` and `ca`, none for `pr` and `isnull`. That of `sw` is a text,
       * also for a date.
       */
      readonly values: readonly FilterValue[];
    };

/** Most comparisons: each may be a subquery of the database. */
const COMPARISONS_MAX = 100;

/** The operators of each kind; `in` is any of the values, `ca` all of them. */
const OPERATORS: Readonly<Record<FilterKind, readonly FilterOperator[]>> = {
  text: ['eq', 'ne', 'co', 'sw', 'gt', 'ge', 'lt', 'le', 'in', 'pr', 'isnull'],
  number: ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in'],
  flag: ['eq', 'ne'],
  list: ['ca', 'in', 'pr', 'isnull'],
  date: ['le', 'isnull'],
};

/** The kind and the operators of a field as a collection declares it. */
export function filterField(declared: FilterKind | FilterField): FilterField {
  return typeof declared === 'string'
    ? { kind: declared, operators: OPERATORS[declared] }
    : declared;
}

const IN_QUOTES = 'a text in plain double quotes';

const VALUE_TYPES: Readonly<Record<FilterKind, string>> = {
  text: IN_QUOTES,
  number: 'a number',
  flag: 'true or false',
  list: IN_QUOTES,
  date: 'a date-time, a date or a year',
};

/**
 * Parses a filter.
 * @param text undefined if the parameter is not sent
 * @returns null for an absent or blank text
 * @throws ServiceError `request_invalid` with the offset and what was expected; `limit_exceeded`
 */
export function readCollectionFilter(
  text: string | undefined,
  fields: FilterFields,
  limits: QueryLimits = DEFAULT_LIMITS,
): CollectionFilter | null {
  if (text === undefined || text.trim() === '') return null;
  if (text.length > limits.maxQueryLength) {
    throw limitFault('maxQueryLength', limits.maxQueryLength, 'characters in filters');
  }
  return new FilterParser(text, fields, limits).parse();
}

class FilterParser {
  private readonly text: string;
  private readonly fields: FilterFields;
  private readonly limits: QueryLimits;
  private at = 0;
  private token: FilterToken;
  private depth = 0;
  private comparisons = 0;
  private values = 0;

  constructor(text: string, fields: FilterFields, limits: QueryLimits) {
    this.text = text;
    this.fields = fields;
    this.limits = limits;
    this.token = this.read();
  }

  parse(): CollectionFilter {
    const filter = this.either();
    if (this.token.kind !== 'end') {
      this.refuseCapitals(this.token, ['and', 'or']);
      throw this.expected('and, or or the end of the filter');
    }
    return filter;
  }

  private either(): CollectionFilter {
    return this.joined('or', () => this.joined('and', () => this.negated()));
  }

  private joined(kind: 'and' | 'or', operand: () => CollectionFilter): CollectionFilter {
    const first = operand();
    const parts = [first];
    while (this.isWord(kind)) {
      this.advance();
      parts.push(operand());
    }
    return parts.length === 1 ? first : { kind, parts };
  }

  private negated(): CollectionFilter {
    if (this.isWord('not')) {
      this.advance();
      return { kind: 'not', part: this.nested(() => this.negated()) };
    }
    if (!this.isMark('(')) return this.comparison();
    this.advance();
    const filter = this.nested(() => this.either());
    this.take(')');
    return filter;
  }

  /** Reads one level deeper. */
  private nested(read: () => CollectionFilter): CollectionFilter {
    this.depth += 1;
    const { maxDepth } = this.limits;
    if (this.depth > maxDepth) {
      throw limitFault('maxDepth', maxDepth, 'levels of parentheses in filters');
    }
    const filter = read();
    this.depth -= 1;
    return filter;
  }

  private comparison(): CollectionFilter {
    const first = this.word('the name of a field');
    if (!Object.hasOwn(this.fields, first.text)) {
      this.refuseCapitals(first, ['not', 'and', 'or', 'pr', 'isnull']);
    }
    // `pr` and `isnull` are written before or after the field.
    if ((first.text === 'pr' || first.text === 'isnull') && this.token.kind === 'word') {
      return this.compare(this.word('the name of a field'), first);
    }
    return this.compare(first, this.word('an operator'));
  }

  private compare(field: FilterToken, operatorToken: FilterToken): CollectionFilter {
    this.comparisons += 1;
    if (this.comparisons > COMPARISONS_MAX) {
      const cause = `filters: more than ${COMPARISONS_MAX} comparisons; list values in one, as in name in ("a", "b")`;
      throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
    }
    const known = Object.hasOwn(this.fields, field.text) ? this.fields[field.text] : undefined;
    if (known === undefined) throw this.unknownField(field);
    const { kind, operators } = filterField(known);
    const operator = operators.find((name) => name === operatorToken.text);
    if (operator === undefined) {
      this.refuseCapitals(operatorToken, operators);
      throw filterFault(
        operatorToken.offset,
        `${operatorToken.text} is no operator of ${field.text}; it has ${operators.join(', ')}`,
      );
    }
    const values =
      operator === 'pr' || operator === 'isnull' ? [] : this.operands(kind, operator, field.text);
    return { kind: 'compare', field: field.text, operator, values };
  }

  private operands(kind: FilterKind, operator: FilterOperator, field: string): FilterValue[] {
    const takesList = operator === 'in' || operator === 'ca';
    if (kind === 'date' && operator === 'sw') return [this.startOfDate(field)];
    if (!takesList || !this.isMark('(')) return [this.value(kind, field)];
    this.advance();
    this.count(1);
    const values = [this.value(kind, field)];
    while (this.isMark(',')) {
      this.advance();
      this.count(1);
      values.push(this.value(kind, field));
    }
    this.take(')');
    return values;
  }

  private value(kind: FilterKind, field: string): FilterValue {
    const { token } = this;
    const value = tokenValue(token, kind);
    if (value === null) throw this.expectedValue(kind, field);
    this.advance();
    return value;
  }

  /** The start of a date, which need not be a whole one. */
  private startOfDate(field: string): string {
    const { kind, text } = this.token;
    if (kind !== 'string' && kind !== 'date' && kind !== 'number') {
      throw this.expected(`the start of a date for ${field}`);
    }
    this.advance();
    return text;
  }

  private count(more: number): void {
    this.values += more;
    const { maxClauses } = this.limits;
    if (this.values > maxClauses) {
      throw limitFault('maxClauses', maxClauses, 'values in filters');
    }
  }

  private isWord(word: string): boolean {
    return this.token.kind === 'word' && this.token.text === word;
  }

  private isMark(mark: '(' | ')' | ','): boolean {
    return this.token.kind === mark;
  }

  private word(what: string): FilterToken {
    const { token } = this;
    if (token.kind !== 'word') throw this.expected(what);
    this.advance();
    return token;
  }

  private take(mark: ')'): void {
    if (!this.isMark(mark)) throw this.expected(`"${mark}"`);
    this.advance();
  }

  private advance(): void {
    this.token = this.read();
  }

  private read(): FilterToken {
    const { token, end } = readFilterToken(this.text, this.at);
    this.at = end;
    return token;
  }

  private expectedValue(kind: FilterKind, field: string): ServiceError {
    const list = this.token.text.startsWith('[') ? ', and lists in parentheses,' : '';
    return this.expected(`${VALUE_TYPES[kind]}${list} for ${field}`);
  }

  private expected(what: string): ServiceError {
    const { kind, text, offset } = this.token;
    const found = kind === 'end' ? 'the end' : JSON.stringify(text.slice(0, 40));
    const isMisquoted = isOddlyQuoted(text) || hasTypographicQuote(this.text);
    const hint =
      isMisquoted && !what.includes(IN_QUOTES) ? '; texts are in plain double quotes' : '';
    return filterFault(offset, `expected ${what}, found ${found}${hint}`);
  }

  /** Refuses one of some words in another case: operators are written in lower case. */
  private refuseCapitals({ kind, text, offset }: FilterToken, words: readonly string[]): void {
    const word = text.toLowerCase();
    if (kind !== 'word' || word === text || !words.includes(word)) return;
    throw filterFault(offset, `operators are in lower case: write ${word} instead of ${text}`);
  }

  private unknownField({ text, offset }: FilterToken): ServiceError {
    const names = Object.keys(this.fields);
    const near = nearestName(text, names);
    const hint = near === null ? `the fields are ${names.join(', ')}` : `did you mean ${near}?`;
    return filterFault(offset, `${text.slice(0, 60)} cannot be filtered by; ${hint}`);
  }
}

/** The value of a token; null if it is none of that kind. */
function tokenValue({ kind: tokenKind, text }: FilterToken, kind: FilterKind): FilterValue | null {
  switch (kind) {
    case 'number':
      return tokenKind === 'number' ? Number(text) : null;
    case 'flag': {
      const word = tokenKind === 'word' ? text.toLowerCase() : '';
      return word === 'true' || word === 'false' ? word === 'true' : null;
    }
    case 'date':
      return tokenKind === 'date' || tokenKind === 'number' || tokenKind === 'string'
        ? dateOperand(text)
        : null;
    default:
      return tokenKind === 'string' ? text : null;
  }
}
