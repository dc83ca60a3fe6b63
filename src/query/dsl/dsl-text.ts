// Reads DSL clauses whose text is analysed: match, match_phrase, match_phrase_prefix and
// multi_match. On keyword, date, number and boolean fields the text is one whole value.
import { fold } from '../analysis/fold.ts';
import { words } from '../analysis/words.ts';
import { isObject } from '../body.ts';
import { anyOf, bestOf, bool, MATCH_ALL, MATCH_NONE } from '../build.ts';
import { UTC } from '../dates/time-zone.ts';
import type { DefaultField } from '../language/assembly.ts';
import { fieldQuery, Mismatch, stringQuery } from '../language/field-query.ts';
import { freeWords, freeWordsBelow } from '../language/free-words.ts';
import { RequestTexts } from '../language/request-texts.ts';
import { type Leaf, MAX_SLOP } from '../language/syntax.ts';
import { limitFault } from '../limits.ts';
import type { Operand, Scope } from '../mapping/field-names.ts';
import type { Field } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { type MinimumShouldMatch, minimumShouldMatch } from './dsl-compound.ts';
import { fieldClause, Parameters } from './dsl-parameters.ts';
import { type ClauseReader, fieldsOf, type ReadClause, withBoost } from './dsl-reader.ts';
import type { DslQuery, DslTarget, OnField } from './dsl-target.ts';
import { fuzziness } from './dsl-terms.ts';

export const TEXT_CLAUSES: Readonly<Record<string, ReadClause>> = {
  match: readMatch,
  match_phrase: (value, place, reader) => readPhrase('match_phrase', value, place, reader),
  match_phrase_prefix: (value, place, reader) =>
    readPhrase('match_phrase_prefix', value, place, reader),
  multi_match: readMultiMatch,
};

/**
 * Default number of terms that the last word of a phrase prefix expands to, as in Elasticsearch.
 */
const MAX_EXPANSIONS = 50;
const MAX_MAX_EXPANSIONS = 1024;

/** A text and how its words must match a field. */
interface Match {
  readonly text: string;
  /** All words must match, not just one. */
  readonly requireAll: boolean;
  readonly least?: MinimumShouldMatch | undefined;
  /** null: `AUTO`; absent: words match exactly. */
  readonly fuzziness?: number | null;
}

function readMatch(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const clause = fieldClause(value, place, []);
  const parameters = textParameters(clause, [
    'operator',
    'minimum_should_match',
    'fuzziness',
    'lenient',
    'zero_terms_query',
  ]);
  const text = textWithin(parameters, reader);
  const match: Match = {
    text,
    requireAll: parameters.choice('operator', ['or', 'and']) === 'and',
    least: minimumShouldMatch(parameters),
    ...(parameters.has('fuzziness') && { fuzziness: fuzziness(parameters) }),
  };
  const lenient = parameters.boolean('lenient') ?? false;
  const zero = parameters.choice('zero_terms_query', ['none', 'all']) === 'all';
  const texts = new RequestTexts(reader.now, UTC);
  const tokens = tokensOf(text);
  const query: DslQuery = (target, scope) => {
    target.countTerms(tokens.length);
    return target.resolveName(
      clause.field,
      scope,
      clause.place,
      { kind: 'term', text },
      (...fieldForm) => {
        const resolved = matchQuery(match, tokens, ...fieldForm, texts);
        if (resolved === null) return zero ? MATCH_ALL : MATCH_NONE;
        return resolved instanceof Mismatch && lenient ? MATCH_NONE : resolved;
      },
    );
  };
  return withBoost(query, parameters.factor('boost'));
}

/** Returns null if the text has no words. */
function matchQuery(
  { text, requireAll, least, fuzziness: edits }: Match,
  tokens: readonly string[],
  field: Field,
  exact: boolean,
  texts: RequestTexts,
): Query | Mismatch | null {
  const leafOf = (value: string): Exclude<Leaf, { readonly kind: 'any' }> =>
    edits === undefined ? { kind: 'term', text: value } : { kind: 'fuzzy', text: value, edits };
  if (field.type !== 'text' || exact) {
    const leaf: Leaf = field.type === 'keyword' || exact ? leafOf(text) : { kind: 'term', text };
    return fieldQuery(leaf, field, exact, texts);
  }
  if (tokens.length === 0) return null;
  const queries = tokens.map(
    (token): Query =>
      edits === undefined
        ? { kind: 'term', field: field.path, form: 'word', value: token }
        : (stringQuery(leafOf(token), field.path, 'word', texts) ?? MATCH_NONE),
  );
  if (requireAll) return bool({ must: queries });
  const minimum = queries.length === 1 ? 1 : (least?.(queries.length) ?? 1);
  if (minimum <= 1) return anyOf(queries);
  if (minimum > queries.length) return MATCH_NONE;
  return {
    kind: 'bool',
    must: [],
    should: queries,
    filter: [],
    mustNot: [],
    minimumShouldMatch: minimum,
  };
}

function readPhrase(
  kind: 'match_phrase' | 'match_phrase_prefix',
  value: unknown,
  place: string,
  reader: ClauseReader,
): DslQuery {
  const prefix = kind === 'match_phrase_prefix';
  const clause = fieldClause(value, place, []);
  const parameters = textParameters(clause, prefix ? ['slop', 'max_expansions'] : ['slop']);
  const text = textWithin(parameters, reader);
  const slop = parameters.integer('slop', 0, MAX_SLOP) ?? 0;
  const expansions = parameters.integer('max_expansions', 1, MAX_MAX_EXPANSIONS) ?? MAX_EXPANSIONS;
  const texts = new RequestTexts(reader.now, UTC);
  const tokens = tokensOf(text);
  const query: DslQuery = (target, scope) => {
    target.countTerms(tokens.length);
    const leaf: Leaf = { kind: prefix ? 'prefix' : 'phrase', text, slop };
    return target.resolveName(clause.field, scope, clause.place, leaf, (field, exact) =>
      phraseQuery(text, tokens, slop, prefix ? expansions : null, field, exact, texts),
    );
  };
  return withBoost(query, parameters.factor('boost'));
}

/**
 * Builds a phrase on one field; null if the text has no words.
 * @param expansions of the last word as a prefix; null for a plain phrase
 */
function phraseQuery(
  text: string,
  tokens: readonly string[],
  slop: number,
  expansions: number | null,
  field: Field,
  exact: boolean,
  texts: RequestTexts,
): Query | Mismatch | null {
  const { path, type } = field;
  if (exact || type === 'keyword') {
    const form = exact ? 'exact' : 'folded';
    const value = exact ? text : fold(text);
    return { kind: expansions === null ? 'term' : 'prefix', field: path, form, value };
  }
  if (type !== 'text') return fieldQuery({ kind: 'phrase', text, slop }, field, false, texts);
  const [only] = tokens;
  if (only === undefined) return null;
  if (expansions !== null) {
    return { kind: 'phrase', field: path, terms: tokens, slop, prefixExpansions: expansions };
  }
  if (tokens.length === 1) return { kind: 'term', field: path, form: 'word', value: only };
  return { kind: 'phrase', field: path, terms: tokens, slop };
}

const TYPES = ['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix'] as const;
type MultiMatchType = (typeof TYPES)[number];

function readMultiMatch(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, ['query', 'fields', 'type', 'operator', 'boost']);
  const text = textWithin(parameters, reader);
  const type = parameters.choice('type', TYPES) ?? 'best_fields';
  const requireAll = parameters.choice('operator', ['or', 'and']) === 'and';
  const fields = fieldsOf(parameters, 'fields', reader);
  const texts = new RequestTexts(reader.now, UTC);
  const tokens = tokensOf(text);
  const query: DslQuery = (target, scope) => {
    const match = { text, tokens, type, requireAll, texts };
    if (fields.length === 0) return onAnyField(match, target, scope);
    return onFields(match, operandsOf(fields, target, scope), target, scope);
  };
  return withBoost(query, parameters.factor('boost'));
}

interface WeightedOperand {
  readonly operand: Operand;
  readonly boost: number;
}

function operandsOf(
  fields: readonly DefaultField[],
  target: DslTarget,
  scope: Scope,
): readonly WeightedOperand[] {
  return fields.flatMap(({ name, boost }) =>
    target.operands(name, scope).map((operand) => ({ operand, boost })),
  );
}

interface MultiMatch {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly type: MultiMatchType;
  readonly requireAll: boolean;
  readonly texts: RequestTexts;
}

/** Builds a multi_match on fields; skips fields that the text does not suit. */
function onFields(
  { text, tokens, type, requireAll, texts }: MultiMatch,
  operands: readonly WeightedOperand[],
  target: DslTarget,
  scope: Scope,
): Query {
  target.countTerms(operands.length * Math.max(1, tokens.length));
  const queriesOn = (leaf: Leaf, onField: OnField): readonly Query[] =>
    operands
      .map(({ operand, boost }) => target.resolveOperand(operand, scope, leaf, onField, boost))
      .filter((query): query is Query => query !== null && !(query instanceof Mismatch));
  if (type === 'phrase' || type === 'phrase_prefix') {
    const expansions = type === 'phrase' ? null : MAX_EXPANSIONS;
    const leaf: Leaf = { kind: expansions === null ? 'phrase' : 'prefix', text, slop: 0 };
    return bestOf(
      queriesOn(leaf, (...fieldForm) =>
        phraseQuery(text, tokens, 0, expansions, ...fieldForm, texts),
      ),
    );
  }
  if (type !== 'cross_fields') {
    const match: Match = { text, requireAll };
    const queries = queriesOn({ kind: 'term', text }, (...fieldForm) =>
      matchQuery(match, tokens, ...fieldForm, texts),
    );
    return type === 'best_fields' ? bestOf(queries) : anyOf(queries);
  }
  // Each word in any of the fields, including fields that are not analysed into words.
  const perWord = tokens.map((token) =>
    bestOf(
      queriesOn({ kind: 'term', text: token }, (...fieldForm) =>
        matchQuery({ text: token, requireAll }, [token], ...fieldForm, texts),
      ),
    ),
  );
  if (perWord.length === 0) return MATCH_NONE;
  return requireAll ? bool({ must: perWord }) : anyOf(perWord);
}

/** Builds a multi_match without fields, which searches where a word without a field does. */
function onAnyField(
  { text, tokens, type, requireAll, texts }: MultiMatch,
  target: DslTarget,
  scope: Scope,
): Query {
  const { names } = target;
  const fields = scope.nested === null ? null : names.inScope(scope);
  target.countTerms(tokens.length * (fields?.length ?? 8));
  const free = (leaf: Exclude<Leaf, { readonly kind: 'any' }>): Query =>
    (fields === null
      ? freeWords(leaf, names.mapping, texts)
      : freeWordsBelow(leaf, fields, texts)) ?? MATCH_NONE;
  if (type === 'phrase') return free({ kind: 'phrase', text, slop: 0 });
  if (type === 'phrase_prefix') {
    const last = tokens.at(-1);
    if (last === undefined) return MATCH_NONE;
    if (tokens.length === 1) return free({ kind: 'prefix', text: last });
    return withExpansions(free({ kind: 'phrase', text, slop: 0 }));
  }
  const perWord = tokens.map((token) => free({ kind: 'term', text: token }));
  if (perWord.length === 0) return MATCH_NONE;
  return requireAll ? bool({ must: perWord }) : anyOf(perWord);
}

/** Turns the last word of each phrase of a query into a prefix. */
function withExpansions(query: Query): Query {
  if (query.kind === 'phrase') return { ...query, prefixExpansions: MAX_EXPANSIONS };
  if (query.kind !== 'disMax') return query;
  return { ...query, queries: query.queries.map(withExpansions) };
}

/** Returns the analysed words of a text. */
export function tokensOf(text: string): readonly string[] {
  return words(text).map(({ term }) => term);
}

/** Returns the parameters `{ query, … }`; a scalar is the query itself. */
function textParameters(
  { value, place }: { readonly value: unknown; readonly place: string },
  allowed: readonly string[],
): Parameters {
  return new Parameters(isObject(value) ? value : { query: value }, place, [
    'query',
    ...allowed,
    'boost',
  ]);
}

function textWithin(parameters: Parameters, { limits }: ClauseReader): string {
  const text = parameters.requiredText('query');
  if (text.length > limits.maxQueryLength) {
    const what = `characters in ${parameters.pathOf('query')}`;
    throw limitFault('maxQueryLength', limits.maxQueryLength, what);
  }
  return text;
}
