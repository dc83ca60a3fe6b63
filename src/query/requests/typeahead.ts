// Reads TYPEAHEAD queries: the values of a field that complete the typed text. All words but the
// last must be adjacent in a value, and the last one is a prefix of the next word. On documents
// this is a phrase query with a prefix.
import { fold } from '../analysis/fold.ts';
import { words } from '../analysis/words.ts';
import { invalid, oneOf } from '../body.ts';
import { MATCH_NONE, nestedIn } from '../build.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, isString, ROOT } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Typeahead, TypeaheadField } from '../plan.ts';
import type { Query } from '../query.ts';
import type { TypeAheadQueryBody } from './search-body.ts';

const DEFAULT_SIZE = 100;
const MAX_SIZE = 2_147_483_647;
const DEFAULT_EXPANSIONS = 10;
const MAX_EXPANSIONS = 1000;

/** A validated type-ahead. */
export interface TypeaheadQuery {
  readonly typeahead: Typeahead;
  /** Resolves it on one index: the query for documents, and the field if the index has it. */
  resolve(mapping: Mapping): {
    readonly query: Query;
    readonly field?: Omit<TypeaheadField, 'filter'>;
  };
}

/** @throws ServiceError `request_invalid`, `limit_exceeded` */
export function readTypeahead(body: TypeAheadQueryBody, limits: QueryLimits): TypeaheadQuery {
  const { query: text, field: name } = body;
  if (text === undefined) throw invalid('typeAheadQuery.query: is required');
  if (name === undefined || name.trim() === '') throw invalid('typeAheadQuery.field: is required');
  if (text.length > limits.maxQueryLength) {
    throw limitFault('maxQueryLength', limits.maxQueryLength, 'characters in typeAheadQuery.query');
  }
  const typeahead: Typeahead = {
    size: integer('size', body.size ?? DEFAULT_SIZE, MAX_SIZE),
    order: oneOf('typeAheadQuery.sort', body.sort ?? 'desc', ['asc', 'desc']),
    by: body.sortByValue ? 'value' : 'count',
    maxExpansions: integer(
      'maxExpansions',
      body.maxExpansions ?? DEFAULT_EXPANSIONS,
      MAX_EXPANSIONS,
    ),
  };
  const tokens = words(text).map(({ term }) => term);
  const resolve: TypeaheadQuery['resolve'] = (mapping) => {
    const field = fieldOf(name.trim(), body.nestedType, text, tokens, mapping);
    if (field === undefined || field.terms.length === 0) return { query: MATCH_NONE };
    return { query: documentQuery(field, typeahead.maxExpansions), field };
  };
  return { typeahead, resolve };
}

function fieldOf(
  name: string,
  nestedType: string | undefined,
  text: string,
  tokens: readonly string[],
  mapping: Mapping,
): Omit<TypeaheadField, 'filter'> | undefined {
  const nested = nestedType?.trim().replace(/^@/, '') ?? '';
  const names = new FieldNames(mapping);
  if (nested !== '' && !names.isNested(nested)) return undefined;
  const scope = nested === '' ? ROOT : { nested };
  const operand = names.find(name.replace(/^@/, ''), scope);
  if (operand?.kind !== 'field') return undefined;
  const { field, exact } = operand;
  if (!isString(field)) {
    throw invalid(`typeAheadQuery.field: ${name} holds no text on ${mapping.index}`);
  }
  const at = { field: field.path, nested: field.nested };
  if (exact) return { ...at, form: 'exact', terms: text === '' ? [] : [text] };
  if (field.type === 'text') return { ...at, form: 'word', terms: tokens };
  return { ...at, form: 'folded', terms: text === '' ? [] : [fold(text)] };
}

/** Matches documents with a value that completes the text. */
function documentQuery(
  { field, nested, form, terms }: Omit<TypeaheadField, 'filter'>,
  prefixExpansions: number,
): Query {
  const query: Query =
    form === 'word'
      ? { kind: 'phrase', field, terms, slop: 0, prefixExpansions }
      : { kind: 'prefix', field, form, value: terms[0] ?? '' };
  return nested === null ? query : nestedIn(nested, query);
}

function integer(name: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalid(`typeAheadQuery.${name}: expected a whole number from 1 to ${max}, not ${value}`);
}
