// Reads TEXT queries: terms that values of some fields start with or contain, ignoring case except
// on the exact form of a field. Values are compared whole, not word by word.
import { fold } from '../analysis/fold.ts';
import { decimalNumber, strictIsoDate } from '../analysis/values.ts';
import { invalid } from '../body.ts';
import { anyOf, bestOf, bool, MATCH_ALL, MATCH_NONE, nestedIn } from '../build.ts';
import { booleanOf } from '../language/field-query.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, isString, type Operand, ROOT } from '../mapping/field-names.ts';
import type { Field, Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import type { Steps } from '../steps.ts';
import type { TextQueryBody } from './search-body.ts';

/**
 * Validates a TEXT query; the result plans it for one index, one term per step.
 * @throws ServiceError `request_invalid`, `limit_exceeded`
 */
export function readText(
  body: TextQueryBody,
  limits: QueryLimits,
): (mapping: Mapping) => Steps<Query> {
  const terms = (body.terms ?? []).filter((term) => term.trim() !== '');
  const fields = (body.fields ?? []).map((name) => name.trim()).filter((name) => name !== '');
  if (terms.length === 0)
    throw invalid('textQuery.terms: needs at least one term that is not blank');
  if (fields.length === 0) throw invalid('textQuery.fields: needs at least one field');
  for (const count of [terms.length, fields.length]) {
    if (count > limits.maxClauses) {
      throw limitFault('maxClauses', limits.maxClauses, 'terms or fields in textQuery');
    }
  }
  for (const term of terms) {
    if (term.length > limits.maxQueryLength) {
      throw limitFault(
        'maxQueryLength',
        limits.maxQueryLength,
        'characters in a term of textQuery',
      );
    }
  }
  const { contains, matchAny } = body;
  const preparedTerms = terms.map((term) => prepareTerm(term, contains));
  return (mapping) => {
    const operands = operandsOf(fields, new FieldNames(mapping));
    if (operands.length * terms.length > limits.maxTerms) {
      throw limitFault('maxTerms', limits.maxTerms, 'terms and fields in textQuery');
    }
    return textSteps(preparedTerms, operands, { contains, matchAny });
  };
}

function* textSteps(
  terms: readonly PreparedTerm[],
  operands: readonly Operand[],
  { contains, matchAny }: Pick<TextQueryBody, 'contains' | 'matchAny'>,
): Steps<Query> {
  const queries: Query[] = [];
  for (const term of terms) {
    queries.push(bestOf(operands.map((operand) => operandQuery(term, operand, contains))));
    yield;
  }
  return matchAny ? anyOf(queries) : bool({ must: queries });
}

function operandsOf(fields: readonly string[], names: FieldNames): readonly Operand[] {
  return fields.flatMap((field) => {
    const name = field.replace(/^@/, '');
    if (name.includes('*')) return names.match(name, ROOT);
    const operand = names.find(name, ROOT);
    return operand === undefined ? [] : [operand];
  });
}

/** A term with its clauses, built once because a request may have a hundred fields. */
interface PreparedTerm {
  readonly text: string;
  readonly folded: string;
  /** The clause, without the field, on the exact and on the folded form of a string field. */
  readonly onExact: ValueClause;
  readonly onFolded: ValueClause;
}

type ValueClause =
  | { readonly kind: 'prefix'; readonly form: 'exact' | 'folded'; readonly value: string }
  | { readonly kind: 'wildcard'; readonly form: 'exact' | 'folded'; readonly pattern: string };

function prepareTerm(text: string, contains: boolean): PreparedTerm {
  const folded = fold(text);
  return {
    text,
    folded,
    onExact: valueClause(text, 'exact', contains),
    onFolded: valueClause(folded, 'folded', contains),
  };
}

function valueClause(value: string, form: 'exact' | 'folded', contains: boolean): ValueClause {
  if (!contains) return { kind: 'prefix', form, value };
  return { kind: 'wildcard', form, pattern: `*${value.replace(/[*?\\]/g, '\\$&')}*` };
}

function operandQuery(term: PreparedTerm, operand: Operand, contains: boolean): Query {
  if (operand.kind === 'constant') {
    const value = operand.exact ? operand.value : fold(operand.value);
    const text = operand.exact ? term.text : term.folded;
    return (contains ? value.includes(text) : value.startsWith(text)) ? MATCH_ALL : MATCH_NONE;
  }
  const { field, exact } = operand;
  const query: Query = isString(field)
    ? { field: field.path, ...(exact ? term.onExact : term.onFolded) }
    : equalQuery(term.text.trim(), field);
  return field.nested === null ? query : nestedIn(field.nested, query);
}

/** Matches numbers, booleans and instants by equality; they have no prefix. */
function equalQuery(term: string, { path, type }: Field): Query {
  const value =
    type === 'date'
      ? strictIsoDate(term)
      : type === 'boolean'
        ? booleanOf(term)
        : decimalNumber(term);
  if (value === undefined) return MATCH_NONE;
  return { kind: 'numbers', field: path, column: 'value', values: [value] };
}
