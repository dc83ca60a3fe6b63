// Reads DSL clauses that compare whole terms: term, terms, prefix, wildcard, regexp, fuzzy, range,
// exists, ids. They ignore case on text and keyword fields, but not on the exact form of a field.
import { fold } from '../analysis/fold.ts';
import { words } from '../analysis/words.ts';
import { invalid, isObject } from '../body.ts';
import { bestOf, MATCH_ALL, MATCH_NONE } from '../build.ts';
import { UTC } from '../dates/time-zone.ts';
import { withPlace } from '../fault-place.ts';
import { withCaret } from '../language/caret.ts';
import { existsQuery } from '../language/exists-query.ts';
import { fieldQuery, type Mismatch, stringQuery, valuesQuery } from '../language/field-query.ts';
import { parseRegexp } from '../language/regexp.ts';
import { RequestTexts } from '../language/request-texts.ts';
import type { Leaf } from '../language/syntax.ts';
import { limitFault } from '../limits.ts';
import { isString } from '../mapping/field-names.ts';
import type { Field } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { sizeOf } from '../query-parts.ts';
import { type FieldClause, fieldClause, Parameters, textOf } from './dsl-parameters.ts';
import {
  type ClauseReader,
  type ReadClause,
  requestTextsOf,
  siblingBoost,
  withBoost,
} from './dsl-reader.ts';
import type { DslQuery } from './dsl-target.ts';
import { regexpWithFlags } from './regexp-flags.ts';

export const TERM_CLAUSES: Readonly<Record<string, ReadClause>> = {
  term: readTerm,
  terms: readTerms,
  prefix: (value, place, reader) => readPattern('prefix', value, place, reader),
  wildcard: (value, place, reader) => readPattern('wildcard', value, place, reader),
  regexp: (value, place, reader) => readPattern('regexp', value, place, reader),
  fuzzy: (value, place, reader) => readPattern('fuzzy', value, place, reader),
  exists: readExists,
  ids: readIds,
  range: readRange,
};

/** Returns the parameters of a clause on one field, whose short form is the bare value. */
function fieldParameters(clause: FieldClause, allowed: readonly string[]): Parameters {
  const { value, place } = clause;
  if (!isObject(value) && value !== null) textOf(value, place);
  return new Parameters(isObject(value) ? value : { value }, place, allowed);
}

function readTerm(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const clause = fieldClause(value, place, []);
  const parameters = fieldParameters(clause, ['value', 'boost', 'case_insensitive']);
  const text = parameters.requiredText('value');
  const ignoreCase = parameters.boolean('case_insensitive') ?? false;
  const texts = new RequestTexts(reader.now, UTC);
  const query: DslQuery = (target, scope) =>
    target.resolveName(clause.field, scope, clause.place, { kind: 'term', text }, (field, exact) =>
      exact && ignoreCase
        ? { kind: 'term', field: field.path, form: 'folded', value: fold(text) }
        : termQuery(text, field, exact, texts),
    );
  return withBoost(query, parameters.factor('boost'));
}

/** On a text field the value matches one of its words or the whole value. */
function termQuery(
  text: string,
  field: Field,
  exact: boolean,
  texts: RequestTexts,
): Query | Mismatch | null {
  if (!isString(field)) return fieldQuery({ kind: 'term', text }, field, exact, texts);
  if (exact) return { kind: 'term', field: field.path, form: 'exact', value: text };
  const form = field.type === 'text' && isOneWord(text) ? 'word' : 'folded';
  return { kind: 'term', field: field.path, form, value: fold(text) };
}

/**
 * Matches most single words without tokenizing: letters of Latin, Greek and Cyrillic, without
 * blanks.
 */
const ONE_WORD =
  /^[A-Za-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03a1\u03a3-\u03ce\u0400-\u0481\u048a-\u052f]{1,255}$/;

function isOneWord(text: string, folded = fold(text)): boolean {
  if (ONE_WORD.test(text)) return true;
  if (/\s/.test(text)) return false;
  const [first, ...more] = words(text);
  return more.length === 0 && first?.term === folded;
}

function readTerms(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const clause = fieldClause(value, place, ['boost']);
  if (!Array.isArray(clause.value)) throw invalid(`${clause.place}: expected an array of values`);
  const { maxTerms, maxClauses } = reader.limits;
  if (clause.value.length > maxTerms) throw limitFault('maxTerms', maxTerms, 'values in terms');
  const values = textsOf(clause.value, clause.place);
  let valuesByForm: ReturnType<typeof byForm> | undefined;
  const texts = new RequestTexts(reader.now, UTC);
  const query: DslQuery = (target, scope) => {
    const operand = target.operand(clause.field, scope);
    if (operand === undefined) return MATCH_NONE;
    target.countTerms(values.length);
    if (operand.kind === 'constant') {
      const value = operand.exact ? operand.value : fold(operand.value);
      const matches = values.some((text) => (operand.exact ? text : fold(text)) === value);
      return matches ? MATCH_ALL : MATCH_NONE;
    }
    return target.resolveName(
      clause.field,
      scope,
      clause.place,
      { kind: 'any' },
      (field, exact) => {
        if (values.length === 0) return null;
        if (field.type === 'date' && values.length > maxClauses) {
          throw limitFault('maxClauses', maxClauses, `dates in ${clause.place}`);
        }
        if (exact || field.type !== 'text') return valuesQuery(values, field, exact, texts);
        valuesByForm ??= byForm(values);
        return bestOf(
          valuesByForm.map(
            ([form, texts]): Query => ({ kind: 'terms', field: field.path, form, values: texts }),
          ),
        );
      },
    );
  };
  return withBoost(query, siblingBoost(clause.boost, place));
}

/** Returns a list of values as texts; builds the place of a value only for an error. */
function textsOf(values: readonly unknown[], place: string): string[] {
  return values.map((item, at) =>
    typeof item === 'string' ? item : textOf(item, `${place}[${at}]`),
  );
}

/**
 * Splits values of a text field into single words and others, which only a whole value can match;
 * folded, without duplicates.
 */
function byForm(texts: readonly string[]): readonly (readonly ['word' | 'folded', string[]])[] {
  const forms = { word: new Set<string>(), folded: new Set<string>() };
  for (const text of texts) {
    const folded = fold(text);
    forms[isOneWord(text, folded) ? 'word' : 'folded'].add(folded);
  }
  return (['word', 'folded'] as const)
    .filter((form) => forms[form].size > 0)
    .map((form) => [form, [...forms[form]]] as const);
}

type PatternKind = 'prefix' | 'wildcard' | 'regexp' | 'fuzzy';

const PATTERN_PARAMETERS: Readonly<Record<PatternKind, readonly string[]>> = {
  prefix: ['value', 'case_insensitive', 'boost'],
  wildcard: ['value', 'case_insensitive', 'boost'],
  regexp: ['value', 'case_insensitive', 'flags', 'boost'],
  fuzzy: ['value', 'fuzziness', 'boost'],
};

function readPattern(
  kind: PatternKind,
  value: unknown,
  place: string,
  reader: ClauseReader,
): DslQuery {
  const clause = fieldClause(value, place, []);
  const parameters = fieldParameters(clause, PATTERN_PARAMETERS[kind]);
  const text = parameters.requiredText('value');
  const ignoreCase = kind !== 'fuzzy' && (parameters.boolean('case_insensitive') ?? false);
  const leaf = patternLeaf(kind, text, parameters, reader);
  const queries = new Map<boolean, Query | null>();
  const texts = new RequestTexts(reader.now, UTC);
  const query: DslQuery = (target, scope) =>
    target.resolveName(clause.field, scope, clause.place, leaf, (field, exact) => {
      if (!isString(field)) return fieldQuery(leaf, field, exact, texts);
      const plain = field.type === 'text' ? 'word' : 'folded';
      const form = !exact ? plain : ignoreCase ? 'folded' : 'exact';
      // Folding and validating a pattern is slow; the result is shared by all indices.
      const verbatim = form === 'exact';
      const cached =
        queries.get(verbatim) ??
        withPlace(clause.place, () =>
          withCaret(leaf.kind === 'regexp' ? leaf.pattern : '', () =>
            stringQuery(leaf, '', form, texts),
          ),
        );
      queries.set(verbatim, cached);
      return cached && ({ ...cached, field: field.path, form } as Query);
    });
  return withBoost(query, parameters.factor('boost'));
}

function patternLeaf(
  kind: PatternKind,
  text: string,
  parameters: Parameters,
  reader: ClauseReader,
): Exclude<Leaf, { readonly kind: 'any' }> {
  const { maxRegexLength, maxQueryLength } = reader.limits;
  if (text.length > maxQueryLength) {
    throw limitFault('maxQueryLength', maxQueryLength, `characters in ${parameters.path}`);
  }
  switch (kind) {
    case 'prefix':
      return { kind, text };
    case 'wildcard':
      return { kind, pattern: text };
    case 'fuzzy':
      return { kind, text, edits: fuzziness(parameters) };
    case 'regexp': {
      if (text.length > maxRegexLength) {
        const what = 'characters in a regular expression';
        throw limitFault('maxRegexLength', maxRegexLength, what);
      }
      return withPlace(parameters.path, () => {
        const pattern = regexpWithFlags(text, parameters.string('flags') ?? 'ALL');
        withCaret(pattern, () => parseRegexp(pattern));
        return { kind, pattern };
      });
    }
  }
}

/** Reads `fuzziness`: `AUTO` (null) or 0, 1, 2; larger numbers count as 2. */
export function fuzziness(parameters: Parameters): number | null {
  const text = parameters.text('fuzziness');
  if (text === undefined || /^auto$/i.test(text)) return null;
  const edits = /^\d{1,3}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  if (edits >= 0) return Math.min(2, edits);
  throw invalid(`${parameters.pathOf('fuzziness')}: expected AUTO, 0, 1 or 2`);
}

/** Reads exists. Inside nested, the path itself as field matches any element. */
function readExists(value: unknown, place: string): DslQuery {
  const parameters = new Parameters(value, place, ['field', 'boost']);
  const name = parameters.string('field') ?? parameters.requiredText('field');
  const query: DslQuery = (target, scope) => {
    const { nested } = scope;
    if (nested !== null && name === nested) return MATCH_ALL;
    if (nested !== null && !name.startsWith(`${nested}.`)) return MATCH_NONE;
    const withoutForm = name.endsWith('.exact') && target.operand(name, scope) !== undefined;
    const plainName = withoutForm ? name.slice(0, -'.exact'.length) : name;
    const exists = existsQuery(plainName, scope, target.names);
    target.countTerms(sizeOf(exists));
    return exists;
  };
  return withBoost(query, parameters.factor('boost'));
}

function readIds(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, ['values', 'boost']);
  const ids = parameters.required('values');
  const list = Array.isArray(ids) ? ids : [ids];
  const { maxTerms } = reader.limits;
  if (list.length > maxTerms) throw limitFault('maxTerms', maxTerms, 'values in ids');
  const values = [...new Set(textsOf(list, parameters.pathOf('values')))];
  const query: DslQuery = (target, scope) => {
    if (scope.nested !== null) throw invalid(`${place}: ids is not allowed inside nested`);
    target.countTerms(values.length);
    return values.length === 0 ? MATCH_NONE : { kind: 'ids', values };
  };
  return withBoost(query, parameters.factor('boost'));
}

const RANGE_PARAMETERS = [
  'gt',
  'gte',
  'lt',
  'lte',
  'from',
  'to',
  'include_lower',
  'include_upper',
  'time_zone',
  'format',
  'boost',
];

/**
 * Accepted formats: all are covered by the date parser, which reads ISO 8601 and epoch
 * milliseconds.
 */
const FORMAT =
  /^(?:(?:strict_)?(?:date_optional_time(?:_nanos)?|date|date_time(?:_no_millis)?|year|year_month|year_month_day|date_hour(?:_minute(?:_second(?:_(?:millis|fraction))?)?)?)|epoch_millis|(?:yyyy|uuuu)(?:-MM(?:-dd(?:'T'HH(?::mm(?::ss(?:\.S{1,9})?)?)?(?:Z|X{1,3}|'Z')?)?)?)?)$/;

function readRange(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const clause = fieldClause(value, place, []);
  const parameters = new Parameters(clause.value, clause.place, RANGE_PARAMETERS);
  for (const format of parameters.string('format')?.split('||') ?? []) {
    if (FORMAT.test(format)) continue;
    throw invalid(
      `${parameters.pathOf('format')}: ${JSON.stringify(format.slice(0, 60))} is not supported; use an ISO format or epoch_millis`,
    );
  }
  const lower = boundOf(parameters, 'gte', 'gt', 'from', 'include_lower');
  const upper = boundOf(parameters, 'lte', 'lt', 'to', 'include_upper');
  const leaf: Leaf = { kind: 'range', ...(lower && { lower }), ...(upper && { upper }) };
  const texts = requestTextsOf(parameters, reader);
  const query: DslQuery = (target, scope) =>
    target.resolveName(clause.field, scope, clause.place, leaf, (field, exact) =>
      fieldQuery(leaf, field, exact, texts),
    );
  return withBoost(query, parameters.factor('boost'));
}

function boundOf(
  parameters: Parameters,
  closed: string,
  open: string,
  either: string,
  include: string,
): { readonly text: string; readonly inclusive: boolean } | undefined {
  const names = [closed, open, either].filter((name) => parameters.has(name));
  const inclusive = parameters.boolean(include) ?? true;
  const [name] = names;
  if (names.length > 1) {
    throw invalid(
      `${parameters.path}: ${names.join(' and ')} are the same bound, expected only one of them`,
    );
  }
  if (name === undefined) return undefined;
  const text = parameters.requiredText(name);
  return { text, inclusive: name === either ? inclusive : name === closed };
}
