// A query printed in the likeness of a query text: what `explain` shows and what the tests of the language read.
//   name:ada  name.folded:"ada lovelace"  name.exact:Ada   one word, a whole value in either form
//   accessCount=3 a number   +must  should  #filter  -mustNot   (a | b) the best of several   @path(…) nested   *:* all   -*:* none
// Invariant: no two queries print alike. What would be ambiguous is quoted as JSON or says its kind.
import type { Query, TermForm } from '../query.ts';

/** A query in one line. */
export function formatQuery(query: Query): string {
  const boost = 'boost' in query && query.boost !== undefined ? `^${query.boost}` : '';
  return `${body(query)}${boost}`;
}

/** A name as it is, where it could be taken for nothing else; else as JSON. */
export function formatName(name: string): string {
  return PLAIN_NAME.test(name) && !ENDS_AS_FORM.test(name) && !RESERVED.has(name)
    ? name
    : JSON.stringify(name);
}

/** Words side by side: `"ada lovelace"`, or a JSON list where a word is not plain. A whole value is one of them. */
export function formatWords(terms: readonly string[], form: TermForm = 'word'): string {
  if (form !== 'word') return JSON.stringify(terms.length === 1 ? terms[0] : terms);
  return terms.length > 0 && terms.every((term) => /^[^\s"\\]+$/u.test(term))
    ? JSON.stringify(terms.join(' '))
    : JSON.stringify(terms);
}

/** Which form of a field is meant; `word` goes without saying where the values are plain. */
export function formatForm(
  { field, form }: { readonly field: string; readonly form: TermForm },
  values: readonly string[] = [],
): string {
  const said = form !== 'word' || !values.every((value) => PLAIN_VALUE.test(value));
  return said ? `${formatName(field)}.${form}` : formatName(field);
}

const PLAIN_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]*$/u;
/** Forms and columns are told behind a dot. */
const ENDS_AS_FORM = /\.(?:word|folded|exact|date|number)$/;
const RESERVED = new Set(['_exists_', '_id']);
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_.@,'-]*[\p{L}\p{N}\p{M}_.@'-])?$/u;
const PLAIN_PATTERN = /^(?=.*[*?])(?:[\p{L}\p{N}_.@'*?-]|\\[*?\\])+$/u;
/** What ends at the next slash that no backslash stands before. */
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
      const usual = prefixLength === 0 && maxExpansions === FUZZY_EXPANSIONS;
      const bounds = usual ? '' : `[${prefixLength}, ${maxExpansions}]`;
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
      return `@${formatName(query.path)}${mode}(${inside(query.query)})`;
    }
  }
}

type Bool = Query & { readonly kind: 'bool' };

function formatBool(query: Bool): string {
  const parts = [
    ...query.must.map((part) => `+${formatQuery(part)}`),
    // Bare, none would read as not all.
    ...query.should.map((part) => (part.kind === 'matchNone' ? 'nothing' : formatQuery(part))),
    ...query.filter.map((part) => `#${formatQuery(part)}`),
    ...query.mustNot.map((part) => `-${formatQuery(part)}`),
  ];
  const least = query.minimumShouldMatch === undefined ? '' : `~${query.minimumShouldMatch}`;
  return `(${parts.join(' ')})${least}`;
}

/** A bool inside `@path(…)` needs no second pair of parentheses where it shows what it is. */
function inside(query: Query): string {
  const formatted = formatQuery(query);
  const plain =
    query.kind === 'bool' && query.boost === undefined && query.minimumShouldMatch === undefined;
  return plain && !readsAsOne(query) ? formatted.slice(1, -1) : formatted;
}

/** Whether a bool without its parentheses would read as the one query in it. */
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

/** As it is where it could not be a prefix or anything else. */
function wildcard(pattern: string): string {
  const plain =
    PLAIN_PATTERN.test(pattern) &&
    !(pattern.endsWith('*') && PLAIN_VALUE.test(pattern.slice(0, -1)));
  return plain ? pattern : `wildcard(${JSON.stringify(pattern)})`;
}

function regexp(pattern: string): string {
  return PLAIN_REGEXP.test(pattern) ? `/${pattern}/` : `regexp(${JSON.stringify(pattern)})`;
}

/** The form is said where the bounds could be those of numbers. */
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
