// Random query strings over a mapping: words, phrases, patterns, ranges and dates on suitable
// fields, in groups and below `@path(…)`. Some are invalid, and the caller replaces them.
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import type { Random } from './random.ts';
import { edited, randomExpression, wildcardOf } from './random-patterns.ts';
import { NUMBERS, randomKey, randomSought, randomWord } from './random-text.ts';

/** The time of `now` in random requests. */
export const NOW = Date.parse('2024-06-15T12:34:56.789Z');

export const DATE_TEXTS: readonly string[] = [
  ...['2024', '2024-05', '2024-05-31', '2024-05-31T10:00:00Z', '1969-12-31T23:59:59.999Z', 'now'],
  ...[
    'now-15d/d',
    'now-1M/M',
    '2024-05-31||-1M/M',
    '2024-01-01||+1w/w',
    '2024-03-31T02:30',
    '0050',
  ],
];

/** A sequence of clauses. */
export function randomQueryText(
  random: Random,
  mapping: Mapping,
  nested: string | null,
  depth: number,
): string {
  const clauses = random.list(1, 3, () => {
    const sign = random.pick(['', '', '', '', '', 'NOT ', '-', '+', '!']);
    return sign + clauseText(random, mapping, nested, depth);
  });
  return clauses.reduce((text, clause) => {
    return `${text}${random.pick([' ', ' ', ' AND ', ' OR ', ' && ', ' || '])}${clause}`;
  });
}

function clauseText(
  random: Random,
  mapping: Mapping,
  nested: string | null,
  depth: number,
): string {
  const dice = random.int(12);
  const boost = random.chance(0.1) ? `^${random.pick([0.5, 2, 3])}` : '';
  if (depth > 0 && dice === 0)
    return `(${randomQueryText(random, mapping, nested, depth - 1)})${boost}`;
  if (depth > 0 && dice <= 2 && nested === null && mapping.nestedPaths.length > 0) {
    const path = random.pick(mapping.nestedPaths);
    return `@${path}(${randomQueryText(random, mapping, path, depth - 1)})${boost}`;
  }
  if (dice <= 4) return `${leafText(random, null)}${boost}`;
  const field = random.pick(
    [...mapping.fields.values()].filter((one) => nested === null || one.nested === nested),
  );
  if (dice === 5) return `_exists_:${escaped(nameOf(random, field, nested))}`;
  if (dice === 6 && isString(field)) {
    const parts = random.list(1, 3, () => leafText(random, field));
    return `${escaped(nameOf(random, field, nested))}:(${parts.join(random.pick([' ', ' AND ', ' OR ']))})${boost}`;
  }
  const shorthand = nested === null && field.nested !== null && random.chance(0.2) ? '@' : '';
  const exact = isString(field) && random.chance(0.2) ? '.exact' : '';
  const name = `${shorthand}${escaped(nameOf(random, field, shorthand === '' ? nested : null))}`;
  return `${name}${exact}:${leafText(random, field)}${boost}`;
}

const isString = ({ type }: Field): boolean => type === 'text' || type === 'keyword';

/** Inside a nested path, a name may be relative to it. */
function nameOf(random: Random, { path }: Field, nested: string | null): string {
  if (nested === null || random.chance(0.3)) return path;
  return path.slice(nested.length + 1);
}

export function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}_.]/gu, '\\$&').replace(/^(?=(?:AND|OR|NOT)$)/, '\\');
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** @param field null: a word without a field */
function leafText(random: Random, field: Field | null): string {
  if (field !== null && random.chance(0.05)) return '*';
  if (field !== null && !isString(field)) return valueText(random, field);
  if (field?.dynamic === true && random.chance(0.25)) {
    const of = { ...field, type: random.pick(['date', 'double'] as const) };
    return rangeText(random, () => boundOf(random, of));
  }
  const sought = () => random.pick([randomSought, randomKey, randomWord])(random);
  const one = sought();
  const chars = [...one].slice(0, 12);
  switch (random.int(10)) {
    case 0:
    case 1:
      return quoted(one) + random.pick(['', '', '~1', '~3']);
    case 2:
      return `${escaped(chars.slice(0, 1 + random.int(3)).join('')) || 'a'}*`;
    case 3: {
      const pattern = wildcardOf(random, chars).replace(/[^\p{L}\p{N}_.*?\\]/gu, '\\$&');
      return pattern.replace(/\\\\(?=[*?])/g, '\\') || 'a*';
    }
    case 4:
      return `/${randomExpression(random, 1).replace(/\//g, '\\/')}/`;
    case 5:
      return `${escaped(edited(random, chars)) || 'ada'}~${random.pick(['', '1', '2'])}`;
    case 6:
      return field === null ? escaped(one) || 'ada' : rangeText(random, sought);
    case 7:
      return String(random.pick(NUMBERS)).replace('-', '\\-');
    default:
      return escaped(one) || 'bob';
  }
}

function valueText(random: Random, field: Field): string {
  const value = () => boundOf(random, field);
  if (field.type === 'boolean') return random.pick(['true', 'false', 'TRUE']);
  return random.chance(0.4) ? quoted(value()) : rangeText(random, value);
}

function boundOf(random: Random, { type }: Pick<Field, 'type'>): string {
  return type === 'date' ? random.pick(DATE_TEXTS) : String(random.pick(NUMBERS));
}

function rangeText(random: Random, value: () => string): string {
  if (random.chance(0.2)) return random.pick(['>', '>=', '<', '<=']) + escaped(value() || '0');
  const bound = () => (random.chance(0.25) ? '*' : quoted(value()));
  return `${random.pick(['[', '{'])}${bound()} TO ${bound()}${random.pick([']', '}'])}`;
}
