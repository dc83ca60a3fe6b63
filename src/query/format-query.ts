// Prints a query in a form like query text, for explain and for tests; ambiguous text becomes JSON.
//   name:ada  name.folded:"ada lovelace"  name.exact:Ada   one word, a whole value in either form
//   accessCount=3 a number   +must  should  #filter  -mustNot   (a | b) the best of several
//   @path(…) nested   *:* all   -*:* none
// Invariant: no two different queries print alike.
import type { Query, TermForm } from './query.ts';

/** Prints a query in one line. */
export function formatQuery(query: Query): string {
  const boost = 'boost' in query && query.boost !== undefined ? `^${query.boost}` : '';
  return `${body(query)}${boost}`;
}

/** Prints a field name; as JSON if it could be read as something else. */
export function formatName(name: string): string {
  return PLAIN_NAME.test(name) && !ENDS_AS_FORM.test(name) && !RESERVED.has(name)
    ? name
    : JSON.stringify(name);
}

/** Prints the words of a phrase: `"ada lovelace"`, or a JSON list if a word is not plain. */
export function formatWords(terms: readonly string[], form: TermForm = 'word'): string {
  if (form !== 'word') return JSON.stringify(terms.length === 1 ? terms[0] : terms);
  return terms.length > 0 && terms.every((term) => /^[^\s"\\]+$/u.test(term))
    ? JSON.stringify(terms.join(' '))
    : JSON.stringify(terms);
}

/** Prints a field with its form; `word` is left out if the values are plain. */
export function formatForm(
  { field, form }: { readonly field: string; readonly form: TermForm },
  values: readonly string[] = [],
): string {
  const explicit = form !== 'word' || !values.every((value) => PLAIN_VALUE.test(value));
  return explicit ? `${formatName(field)}.${form}` : formatName(field);
}

const PLAIN_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]*$/u;
/** Forms and columns follow a dot. */
const ENDS_AS_FORM = /\.(?:word|folded|exact|date|number)$/;
const RESERVED = new Set(['_exists_', '_id']);
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_.@,'-]*[\p{L}\p{N}\p{M}_.@'-])?$/u;
const PLAIN_PATTERN = /^(?=.*[*?])(?:[\p{L}\p{N}_.@'*?-]|\\[*?\\])+$/u;
/** A pattern without an unescaped slash. */
const PLAIN_REGEXP = /^(?:[^/\\\p{Cc}]|\\\P{Cc})*$/u;
const FUZZY_EXPANSIONS = 50;

function body(query: Query): string {
  switch (query.kind) {
    case 'matchAll':
      return '*:*';
    case 'matchNone':
      return '-*:*';
    case 'term':
      return `${formatForm(query, [query.value])}:${text(query.value)}`;
    case 'terms':
      return `${formatForm(query)}:{${query.values.map(text).join(', ')}}`;
    case 'phrase': {
      const slop = query.slop === 0 ? '' : `~${query.slop}`;
      const prefix = query.prefixExpansions === undefined ? '' : `*${query.prefixExpansions}`;
      return `${formatName(query.field)}:${formatWords(query.terms)}${slop}${prefix}`;
    }
    case 'prefix':
      return `${formatForm(query)}:${text(query.value)}*`;
    case 'wildcard':
      return `${formatForm(query)}:${wildcard(query.pattern)}`;
    case 'regexp':
      return `${formatForm(query)}:${regexp(query.pattern)}`;
    case 'fuzzy': {
      const { prefixLength, maxExpansions } = query;
      const isDefault = prefixLength === 0 && maxExpansions === FUZZY_EXPANSIONS;
      const bounds = isDefault ? '' : `[${prefixLength}, ${maxExpansions}]`;
      return `${formatForm(query, [query.value])}:${text(query.value)}~${query.maxEdits}${bounds}`;
    }
    case 'termRange':
      return `${rangeForm(query)}:${range(query, text)}`;
    case 'numberRange':
      return `${column(query)}:${range(query, String)}`;
    case 'numbers':
      return `${column(query)}=${query.values.length === 1 ? query.values[0] : `{${query.values.join(', ')}}`}`;
    case 'exists':
      return `_exists_:${formatName(query.field)}`;
    case 'ids':
      return `_id:{${query.values.map(text).join(', ')}}`;
    case 'bool':
      return formatBool(query);
    case 'disMax': {
      const tie = query.tieBreaker === 0 ? '' : `~${query.tieBreaker}`;
      const best = query.queries.length < 2 ? 'best' : '';
      return `${best}(${query.queries.map(formatQuery).join(' | ')})${tie}`;
    }
    case 'constantScore':
      return `constant(${formatQuery(query.query)})`;
    case 'nested': {
      const mode = query.scoreMode === 'max' ? '' : `[${query.scoreMode}]`;
      return `@${formatName(query.path)}${mode}(${formatInner(query.query)})`;
    }
  }
}

type Bool = Query & { readonly kind: 'bool' };

function formatBool(query: Bool): string {
  const parts = [
    ...query.must.map((part) => `+${formatQuery(part)}`),
    // A bare `-*:*` would read as a mustNot clause.
    ...query.should.map((part) => (part.kind === 'matchNone' ? 'nothing' : formatQuery(part))),
    ...query.filter.map((part) => `#${formatQuery(part)}`),
    ...query.mustNot.map((part) => `-${formatQuery(part)}`),
  ];
  const least = query.minimumShouldMatch === undefined ? '' : `~${query.minimumShouldMatch}`;
  return `(${parts.join(' ')})${least}`;
}

/**
 * Prints the query of a nested; a bool has no second pair of parentheses unless it is ambiguous
 * without.
 */
function formatInner(query: Query): string {
  const formatted = formatQuery(query);
  const plain =
    query.kind === 'bool' && query.boost === undefined && query.minimumShouldMatch === undefined;
  return plain && !readsAsOne(query) ? formatted.slice(1, -1) : formatted;
}

/** True if a bool without parentheses would read as the single query in it. */
function readsAsOne({ must, should, filter, mustNot }: Bool): boolean {
  if (must.length + filter.length > 0 || should.length + mustNot.length !== 1) return false;
  const [not] = mustNot;
  return not === undefined || (not.kind === 'matchAll' && not.boost === undefined);
}

function column({
  field,
  column: of,
}: {
  readonly field: string;
  readonly column: string;
}): string {
  return of === 'value' ? formatName(field) : `${formatName(field)}.${of}`;
}

function text(value: string): string {
  return PLAIN_VALUE.test(value) ? value : JSON.stringify(value);
}

/** Prints a wildcard pattern as is unless it could be read as a prefix. */
function wildcard(pattern: string): string {
  const plain =
    PLAIN_PATTERN.test(pattern) &&
    !(pattern.endsWith('*') && PLAIN_VALUE.test(pattern.slice(0, -1)));
  return plain ? pattern : `wildcard(${JSON.stringify(pattern)})`;
}

function regexp(pattern: string): string {
  return PLAIN_REGEXP.test(pattern) ? `/${pattern}/` : `regexp(${JSON.stringify(pattern)})`;
}

/** Prints the field of a term range; with its form if the bounds could be numbers. */
function rangeForm(query: Query & { readonly kind: 'termRange' }): string {
  const bounds = [query.gt, query.gte, query.lt, query.lte];
  const words = bounds.some((bound) => bound !== undefined && Number.isNaN(Number(bound)));
  return words ? formatForm(query) : `${formatName(query.field)}.${query.form}`;
}

interface Bounds<T> {
  readonly gt?: T;
  readonly gte?: T;
  readonly lt?: T;
  readonly lte?: T;
}

function range<T>({ gt, gte, lt, lte }: Bounds<T>, print: (value: T) => string): string {
  const lower = [
    ...(gt === undefined ? [] : [`{${print(gt)}`]),
    ...(gte === undefined ? [] : [`[${print(gte)}`]),
  ];
  const upper = [
    ...(lt === undefined ? [] : [`${print(lt)}}`]),
    ...(lte === undefined ? [] : [`${print(lte)}]`]),
  ];
  return `${lower.join(' & ') || '[*'} TO ${upper.join(' & ') || '*]'}`;
}
