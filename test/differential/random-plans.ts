// Plans over the mapping of random-documents.ts: every kind of query in every form, sort keys of every type.
import { fold } from '../../src/analysis/fold.ts';
import { words } from '../../src/analysis/words.ts';
import type { Field } from '../../src/query/mapping.ts';
import {
  CATCH_ALL,
  type NumberColumn,
  type Plan,
  type Query,
  type SortKey,
  type TermForm,
} from '../../src/query/plan.ts';
import type { Random } from './random.ts';
import { DATES, KEYS, MAPPING, NESTED, NUMBERS, randomText, WORDS } from './random-documents.ts';

const FIELDS = [...MAPPING.fields.values()];

export function randomPlan(random: Random): Plan {
  const sort = random.chance(0.6) ? random.list(1, 3, () => randomKey(random)) : [];
  const from = random.chance(0.3) ? random.int(5) : 0;
  return {
    targets: [{ index: 'identities', query: randomQuery(random, null, 3) }],
    sort,
    from,
    size: random.pick([0, 1, 3, 10, 1000]),
    trackTotal: random.chance(0.5),
    source: { includes: [], excludes: [], nested: true },
  };
}

function randomKey(random: Random): SortKey {
  const order = random.pick(['asc', 'desc'] as const);
  if (random.chance(0.05)) return { field: '_doc', order, type: 'doc' };
  if (random.chance(0.05)) return { field: 'org', order, type: 'string' };
  const field = random.pick(FIELDS);
  const type = isString(field) ? 'string' : 'number';
  return { field: field.path, order, type };
}

const isString = (field: Field): boolean => field.type === 'text' || field.type === 'keyword';

export function randomQuery(random: Random, path: string | null, depth: number): Query {
  const query =
    depth > 0 && random.chance(0.45) ? compound(random, path, depth) : leaf(random, path);
  if (query.kind === 'matchNone' || random.chance(0.9)) return query;
  return { ...query, boost: random.pick([0.5, 2, 3]) };
}

function compound(random: Random, path: string | null, depth: number): Query {
  const inner = () => randomQuery(random, path, depth - 1);
  const some = (max: number) => random.list(0, max, inner);
  switch (random.int(path === null ? 8 : 5)) {
    case 0:
      return { kind: 'constantScore', query: inner() };
    case 1:
      return { kind: 'disMax', queries: some(3), tieBreaker: random.pick([0, 0.3]) };
    case 2:
    case 3:
    case 4: {
      const should = some(3);
      return {
        kind: 'bool',
        ...{ must: some(2), filter: some(1), should, mustNot: some(1) },
        ...(random.chance(0.3) ? { minimumShouldMatch: random.int(should.length + 2) } : {}),
      };
    }
    default: {
      const below = random.pick(NESTED);
      const scoreMode = random.pick(['avg', 'max', 'min', 'sum', 'none'] as const);
      return {
        kind: 'nested',
        path: below,
        query: randomQuery(random, below, depth - 1),
        scoreMode,
      };
    }
  }
}

function leaf(random: Random, path: string | null): Query {
  // Now and then a field of another level: it must match nothing.
  const at = random.chance(0.95) ? path : random.pick([null, ...NESTED]);
  const fields = FIELDS.filter((field) => field.nested === at);
  const dice = random.int(16);
  if (dice === 0) return random.chance(0.7) ? { kind: 'matchAll' } : { kind: 'matchNone' };
  if (dice === 1) return { kind: 'exists', field: random.pick(fields).path };
  if (dice < 5) return numeric(random, fields, path);
  if (dice === 5 && path === null) {
    return { kind: 'ids', values: random.list(0, 5, () => `d${random.int(60)}`) };
  }
  if (dice < 8) {
    const texts = fields.filter((field) => field.type === 'text').map((field) => field.path);
    return phrase(random, random.pick(path === null ? [...texts, CATCH_ALL] : texts));
  }
  const strings = fields.filter(isString);
  const field = random.pick(strings);
  const all = path === null && random.chance(0.1);
  const form = random.pick(['word', 'folded', 'exact'] as const);
  return termQuery(random, all ? CATCH_ALL : field.path, form);
}

function numeric(random: Random, fields: readonly Field[], path: string | null): Query {
  const columns: { field: string; column: NumberColumn }[] = [];
  for (const field of fields) {
    if (!isString(field)) columns.push({ field: field.path, column: 'value' });
    if (!field.dynamic || field.type !== 'text') continue;
    columns.push({ field: field.path, column: 'date' }, { field: field.path, column: 'number' });
  }
  if (path === null) columns.push({ field: CATCH_ALL, column: 'value' });
  if (columns.length === 0) return { kind: 'matchAll' };
  const value = () => random.pick([...NUMBERS, ...DATES.map((date) => Date.parse(date)), 12]);
  const column = random.pick(columns);
  if (random.chance(0.4)) return { kind: 'numbers', ...column, values: random.list(0, 3, value) };
  return {
    kind: 'numberRange',
    ...column,
    ...(random.chance(0.3) ? { gt: value() } : {}),
    ...(random.chance(0.3) ? { gte: value() } : {}),
    ...(random.chance(0.3) ? { lt: value() } : {}),
    ...(random.chance(0.3) ? { lte: value() } : {}),
  };
}

function phrase(random: Random, field: string): Query {
  // Half of them of few words, so that one stands twice in the phrase and often in the text.
  const few = () => random.pick(['ada', 'bob', 'the']);
  const terms = random.chance(0.5)
    ? random.list(2, 4, few)
    : words(randomText(random))
        .map((word) => word.term)
        .slice(0, 3);
  const slop = random.pick([0, 0, 0, 1, 2, 4]);
  if (random.chance(0.7)) return { kind: 'phrase', field, terms, slop };
  const last = terms.pop() ?? 'a';
  return { kind: 'phrase', field, terms: [...terms, last.slice(0, 2)], slop, prefixExpansions: 50 };
}

function value(random: Random, form: TermForm): string {
  const text = random.pick([...WORDS, ...KEYS, randomText(random)]);
  if (form === 'exact') return text;
  return form === 'folded' ? fold(text) : (words(text)[0]?.term ?? 'ada');
}

function termQuery(random: Random, field: string, form: TermForm): Query {
  const one = value(random, form);
  const chars = [...one];
  switch (random.int(8)) {
    case 0:
      return { kind: 'terms', field, form, values: random.list(0, 4, () => value(random, form)) };
    case 1:
      return { kind: 'prefix', field, form, value: chars.slice(0, random.int(4)).join('') };
    case 2:
      return { kind: 'wildcard', field, form, pattern: pattern(random, chars) };
    case 3:
      return { kind: 'regexp', field, form, pattern: expression(random, 2) };
    case 4: {
      const maxEdits = random.pick([0, 1, 2] as const);
      const prefixLength = random.int(3);
      return {
        kind: 'fuzzy',
        field,
        form,
        value: edited(random, chars),
        maxEdits,
        prefixLength,
        maxExpansions: 1000,
      };
    }
    case 5:
      return {
        ...{ kind: 'termRange', field, form },
        ...(random.chance(0.5) ? { [random.pick(['gt', 'gte'])]: value(random, form) } : {}),
        ...(random.chance(0.5) ? { [random.pick(['lt', 'lte'])]: value(random, form) } : {}),
      } as Query;
    default:
      return { kind: 'term', field, form, value: one };
  }
}

/** Two neighbours swapped, one left out, or as it is. */
function edited(random: Random, chars: readonly string[]): string {
  const at = random.int(chars.length);
  const [one = '', two = ''] = chars.slice(at);
  const middle = random.pick([one + two, two + one, two + one, two]);
  return [...chars.slice(0, at), middle, ...chars.slice(at + 2)].join('');
}

function pattern(random: Random, chars: readonly string[]): string {
  return chars
    .map((char) => {
      if (random.chance(0.25)) return random.pick(['*', '?']);
      return /[*?\\]/.test(char) ? `\\${char}` : char;
    })
    .join('');
}

/** A regular expression of Lucene's flavour. */
function expression(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.1)) {
    return `${expression(random, 0)}&${expression(random, 0)}`;
  }
  const atoms = [
    'a',
    'd',
    'b',
    'o',
    '.',
    '[a-d]',
    '[^b]',
    '@',
    '"ad"',
    '<1-12>',
    '\\w',
    '\\*',
    'é',
    '#?',
    '()',
  ];
  const parts = random.list(1, 4, () => {
    const group = depth > 0 && random.chance(0.3);
    const atom = group
      ? `(${random.list(1, 2, () => expression(random, depth - 1)).join('|')})`
      : random.pick(atoms);
    return atom + random.pick(['', '', '*', '+', '?', '{1,2}', '{2,}']);
  });
  return parts.join('');
}
