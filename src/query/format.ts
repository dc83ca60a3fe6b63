// A plan printed back in the likeness of a query: what `explain` shows and what the tests of the language read.
//   name:ada  name.folded:"ada lovelace"  name.exact:Ada   one word, a whole value in either form
//   accessCount=3 a number   +must  should  #filter  -mustNot   (a | b) the best of several   @path(…) nested   *:* all   -*:* none
import type { Plan, Query, SortKey, Target, TermForm, Typeahead } from './plan.ts';

/** A plan, one line for each target and each part that differs from its default. */
export function format(plan: Plan): string {
  const lines = plan.targets.flatMap(formatTarget);
  if (plan.typeahead !== undefined) lines.push(formatTypeahead(plan.typeahead));
  if (plan.sort.length > 0) lines.push(`sort: ${plan.sort.map(formatSortKey).join(', ')}`);
  if (plan.searchAfter !== undefined) lines.push(`after: ${JSON.stringify(plan.searchAfter)}`);
  lines.push(`rows: ${plan.from} + ${plan.size}${plan.trackTotal ? ' of the exact total' : ''}`);
  const { includes, excludes, nested } = plan.source;
  if (includes.length > 0) lines.push(`includes: ${includes.join(', ')}`);
  if (excludes.length > 0) lines.push(`excludes: ${excludes.join(', ')}`);
  if (!nested) lines.push('without nested members');
  return lines.join('\n');
}

function formatTarget({ index, query, innerHit, typeahead }: Target): readonly string[] {
  const lines = [`${index}: ${formatQuery(query)}`];
  if (innerHit !== undefined) {
    lines.push(`  elements of ${innerHit.path}: ${formatQuery(innerHit.query)}`);
  }
  if (typeahead !== undefined) {
    const { nested, terms, filter } = typeahead;
    const within = nested === null ? '' : ` in ${nested}`;
    const words = `${name(typeahead)}:${JSON.stringify(terms.join(' '))}*`;
    lines.push(`  values of ${words}${within} where ${formatQuery(filter)}`);
  }
  return lines;
}

function formatTypeahead({ size, order, by, maxExpansions }: Typeahead): string {
  const sign = order === 'asc' ? '+' : '-';
  return `values: ${size} by ${sign}${by}, ${maxExpansions} expansions`;
}

/** A query in one line. */
export function formatQuery(query: Query): string {
  const boost = 'boost' in query && query.boost !== undefined ? `^${query.boost}` : '';
  return `${body(query)}${boost}`;
}

function body(query: Query): string {
  switch (query.kind) {
    case 'matchAll':
      return '*:*';
    case 'matchNone':
      return '-*:*';
    case 'term':
      return `${name(query)}:${text(query.value)}`;
    case 'terms':
      return `${name(query)}:{${query.values.map(text).join(', ')}}`;
    case 'phrase': {
      const slop = query.slop === 0 ? '' : `~${query.slop}`;
      const prefix = query.prefixExpansions === undefined ? '' : `*${query.prefixExpansions}`;
      return `${query.field}:${JSON.stringify(query.terms.join(' '))}${slop}${prefix}`;
    }
    case 'prefix':
      return `${name(query)}:${text(query.value)}*`;
    case 'wildcard':
      return `${name(query)}:${query.pattern.replace(/[\s()]/g, '\\$&')}`;
    case 'regexp':
      return `${name(query)}:/${query.pattern}/`;
    case 'fuzzy':
      return `${name(query)}:${text(query.value)}~${query.maxEdits}`;
    case 'termRange':
      return `${name(query)}:${range(query, text)}`;
    case 'numberRange':
      return `${column(query)}:${range(query, String)}`;
    case 'numbers':
      return `${column(query)}=${query.values.length === 1 ? query.values[0] : `{${query.values.join(', ')}}`}`;
    case 'exists':
      return `_exists_:${query.field}`;
    case 'ids':
      return `_id:{${query.values.map(text).join(', ')}}`;
    case 'bool':
      return formatBool(query);
    case 'disMax': {
      const tie = query.tieBreaker === 0 ? '' : `~${query.tieBreaker}`;
      return `(${query.queries.map(formatQuery).join(' | ')})${tie}`;
    }
    case 'constantScore':
      return `constant(${formatQuery(query.query)})`;
    case 'nested': {
      const mode = query.scoreMode === 'max' ? '' : `[${query.scoreMode}]`;
      return `@${query.path}${mode}(${unwrapped(formatQuery(query.query), query.query)})`;
    }
  }
}

function formatBool(query: Query & { readonly kind: 'bool' }): string {
  const parts = [
    ...query.must.map((part) => `+${formatQuery(part)}`),
    ...query.should.map(formatQuery),
    ...query.filter.map((part) => `#${formatQuery(part)}`),
    ...query.mustNot.map((part) => `-${formatQuery(part)}`),
  ];
  const least = query.minimumShouldMatch === undefined ? '' : `~${query.minimumShouldMatch}`;
  return `(${parts.join(' ')})${least}`;
}

/** A bool inside `@path(…)` needs no second pair of parentheses. */
function unwrapped(formatted: string, query: Query): string {
  const plain = query.kind === 'bool' && query.boost === undefined;
  return plain && query.minimumShouldMatch === undefined ? formatted.slice(1, -1) : formatted;
}

function formatSortKey({ field, order }: SortKey): string {
  return `${order === 'asc' ? '+' : '-'}${field}`;
}

function name({ field, form }: { readonly field: string; readonly form: TermForm }): string {
  return form === 'word' ? field : `${field}.${form}`;
}

function column({
  field,
  column: of,
}: {
  readonly field: string;
  readonly column: string;
}): string {
  return of === 'value' ? field : `${field}.${of}`;
}

function text(value: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.@,'-]*$/u.test(value) ? value : JSON.stringify(value);
}

interface Bounds<T> {
  readonly gt?: T;
  readonly gte?: T;
  readonly lt?: T;
  readonly lte?: T;
}

function range<T>({ gt, gte, lt, lte }: Bounds<T>, print: (value: T) => string): string {
  const lower = gt ?? gte;
  const upper = lt ?? lte;
  const open = gt === undefined ? '[' : '{';
  const close = lt === undefined ? ']' : '}';
  return `${open}${lower === undefined ? '*' : print(lower)} TO ${upper === undefined ? '*' : print(upper)}${close}`;
}
