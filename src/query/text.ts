// TEXT queries: terms that the values of some fields start with or contain, without regard to case (with regard to
// it on the exact form of a field). Values are compared whole, not word by word.
import { fold } from '../analysis/fold.ts';
import { decimalNumber, strictIsoDate } from '../analysis/values.ts';
import { invalid } from './body.ts';
import { anyOf, bestOf, bool, MATCH_ALL, MATCH_NONE, nestedIn } from './build.ts';
import { FieldNames, isString, type Operand, ROOT } from './field-names.ts';
import { booleanOf } from './field-query.ts';
import { limitFault, type QueryLimits } from './limits.ts';
import type { Field, Mapping } from './mapping.ts';
import type { Query } from './plan.ts';
import type { TextQueryBody } from './search-body.ts';

/**
 * Checks a TEXT query; what comes back is put to each index.
 * @throws ServiceError `request_invalid`, `limit_exceeded`
 */
export function readText(
  body: TextQueryBody | undefined,
  limits: QueryLimits,
): (mapping: Mapping) => Query {
  if (body === undefined) throw invalid('textQuery: is required for queryType TEXT');
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
  return (mapping) => {
    const operands = operandsOf(fields, new FieldNames(mapping));
    if (operands.length * terms.length > limits.maxTerms) {
      throw limitFault('maxTerms', limits.maxTerms, 'terms and fields in textQuery');
    }
    const queries = terms.map((term) =>
      bestOf(operands.map((operand) => operandQuery(term, operand, body.contains))),
    );
    return body.matchAny ? anyOf(queries) : bool({ must: queries });
  };
}

function operandsOf(fields: readonly string[], names: FieldNames): readonly Operand[] {
  return fields.flatMap((sent) => {
    const name = sent.replace(/^@/, '');
    if (name.includes('*')) return names.match(name, ROOT);
    const operand = names.find(name, ROOT);
    return operand === undefined ? [] : [operand];
  });
}

function operandQuery(term: string, operand: Operand, contains: boolean): Query {
  if (operand.kind === 'constant') {
    const [value, wanted] = [operand.value, term].map(operand.exact ? String : fold);
    const met = contains ? value?.includes(wanted ?? '') : value?.startsWith(wanted ?? '');
    return met ? MATCH_ALL : MATCH_NONE;
  }
  const { field, exact } = operand;
  const query = isString(field)
    ? valueQuery(exact ? term : fold(term), field.path, exact ? 'exact' : 'folded', contains)
    : equalQuery(term.trim(), field);
  return field.nested === null ? query : nestedIn(field.nested, query);
}

function valueQuery(
  value: string,
  field: string,
  form: 'exact' | 'folded',
  contains: boolean,
): Query {
  if (!contains) return { kind: 'prefix', field, form, value };
  return { kind: 'wildcard', field, form, pattern: `*${value.replace(/[*?\\]/g, '\\$&')}*` };
}

/** Numbers, booleans and instants are equal or not; there is nothing that they start with. */
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
