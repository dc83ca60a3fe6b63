// Random plans over mappings: every kind of query in every form, sort keys of every type, element
// rows.
import { fold } from '../../src/query/analysis/fold.ts';
import { words } from '../../src/query/analysis/words.ts';
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan, Target } from '../../src/query/plan.ts';
import {
  CATCH_ALL,
  type NumberColumn,
  type Query,
  type SortKey,
  type TermForm,
} from '../../src/query/query.ts';
import type { Random } from './random.ts';
import { edited, randomExpression, wildcardOf } from './random-patterns.ts';
import {
  COMMON_WORDS,
  DATES,
  NUMBERS,
  randomKey,
  randomSought,
  randomText,
} from './random-text.ts';

/** @param mappings of the searched indexes, in index name order */
export function randomPlan(random: Random, mappings: readonly Mapping[]): Plan {
  const sort = random.chance(0.6) ? random.list(1, 3, () => randomSort(random, mappings)) : [];
  return {
    targets: mappings.map((mapping) => ({
      index: mapping.index,
      query: randomQuery(random, mapping, null, 3),
    })),
    sort,
    from: random.chance(0.3) ? random.int(5) : 0,
    size: random.pick([0, 1, 3, 10, 1000, 1000]),
    trackTotal: random.chance(0.5),
    source: { includes: [], excludes: [], nested: random.chance(0.8) },
  };
}

/** The plan with elements as rows; an index without the path has no rows. */
export function withRandomElements(random: Random, plan: Plan, mappings: readonly Mapping[]): Plan {
  const path = random.pick(mappings.flatMap(({ nestedPaths }) => nestedPaths));
  const targets = plan.targets.map((target, at): Target => {
    const mapping = mappings[at];
    if (mapping === undefined || !mapping.nestedPaths.includes(path)) {
      return { index: target.index, query: { kind: 'matchNone' } };
    }
    const innerHit = { path, query: randomQuery(random, mapping, path, 1) };
    const owns: Query = { kind: 'nested', ...innerHit, scoreMode: 'none' };
    const query: Query = {
      ...{ kind: 'bool', must: [target.query], filter: [owns] },
      ...{ should: [], mustNot: [] },
    };
    return { index: target.index, query, innerHit };
  });
  return { ...plan, targets };
}

/** A plan for elements in an order of their own. */
export function randomElementOrder(random: Random, mapping: Mapping): Plan {
  const { targets, sort, ...page } = randomPlan(random, [mapping]);
  const path = random.pick(mapping.nestedPaths);
  const all: Query = { kind: 'matchAll' };
  const inner = random.chance(0.4) ? all : randomQuery(random, mapping, path, 1);
  const own = [...mapping.fields.values()].filter(({ nested }) => nested === path);
  const keys = sort.filter(({ type }) => type === 'string' || type === 'number');
  // Mostly fields of the elements, which half of the keys would not be.
  const ownKeys = random.list(0, 2, () => keyOf(random, random.pick(own)));
  return {
    ...page,
    targets: targets.map(({ index, query }) => {
      return { index, query: random.chance(0.5) ? all : query, innerHit: { path, query: inner } };
    }),
    sort: random.chance(0.5) ? [...ownKeys, ...keys] : [...keys, ...ownKeys],
    elementOrder: true,
  };
}

function keyOf(random: Random, field: Field): SortKey {
  const key = { field: field.path, order: random.pick(['asc', 'desc'] as const) };
  if (!isString(field)) return { ...key, type: 'number' };
  return { ...key, type: 'string', ...(random.chance(0.4) && { form: 'folded' as const }) };
}

function randomSort(random: Random, mappings: readonly Mapping[]): SortKey {
  const order = random.pick(['asc', 'desc'] as const);
  if (random.chance(0.05)) return { field: '_doc', order, type: 'doc' };
  if (random.chance(0.05)) return { field: '_score', order: 'desc', type: 'score' };
  if (random.chance(0.05)) return { field: 'org', order, type: 'string' };
  const field = random.pick(mappings.flatMap(({ fields }) => [...fields.values()]));
  const others = mappings.flatMap(({ fields }) => fields.get(field.path) ?? []);
  // A plan compares values of one kind (query/requests/sorters.ts).
  if (others.some((other) => isString(other) !== isString(field)))
    return randomSort(random, mappings);
  return keyOf(random, field);
}

const isString = (field: Field): boolean => field.type === 'text' || field.type === 'keyword';

export function randomQuery(
  random: Random,
  mapping: Mapping,
  path: string | null,
  depth: number,
): Query {
  const query =
    depth > 0 && random.chance(0.45)
      ? compound(random, mapping, path, depth)
      : leaf(random, mapping, path);
  if (query.kind === 'matchNone' || random.chance(0.9)) return query;
  return { ...query, boost: random.pick([0, 0.5, 2, 3]) };
}

function compound(random: Random, mapping: Mapping, path: string | null, depth: number): Query {
  const inner = () => randomQuery(random, mapping, path, depth - 1);
  const some = (max: number) => random.list(0, max, inner);
  switch (random.int(path === null ? 8 : 5)) {
    case 0:
      return { kind: 'constantScore', query: inner() };
    case 1:
      return { kind: 'disMax', queries: some(3), tieBreaker: random.pick([0, 0.3, 1]) };
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
      const below = random.pick(mapping.nestedPaths);
      const scoreMode = random.pick(['avg', 'max', 'min', 'sum', 'none'] as const);
      const query = randomQuery(random, mapping, below, depth - 1);
      return { kind: 'nested', path: below, query, scoreMode };
    }
  }
}

function leaf(random: Random, mapping: Mapping, path: string | null): Query {
  const all = [...mapping.fields.values()];
  // Sometimes a field of another level, which must match nothing.
  const at = random.chance(0.95) ? path : random.pick([null, ...mapping.nestedPaths]);
  const fields = all.filter((field) => field.nested === at);
  const dice = random.int(16);
  if (dice === 0) return random.chance(0.7) ? { kind: 'matchAll' } : { kind: 'matchNone' };
  if (dice === 1) return { kind: 'exists', field: random.pick(fields).path };
  if (dice < 5) return numeric(random, fields, path);
  if (dice === 5 && path === null) {
    return { kind: 'ids', values: random.list(0, 5, () => `d${random.int(60)}`) };
  }
  const texts = fields.filter((field) => field.type === 'text').map((field) => field.path);
  if (dice < 8 && texts.length > 0) {
    return phrase(random, random.pick(path === null ? [...texts, CATCH_ALL] : texts));
  }
  const strings = fields.filter(isString);
  const field = random.pick(strings).path;
  const form = random.pick(['word', 'folded', 'exact'] as const);
  return termQuery(random, path === null && random.chance(0.1) ? CATCH_ALL : field, form);
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
  const value = () => random.pick([...NUMBERS, ...DATES.map((date) => Date.parse(date)), 1e300]);
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
  // Half of them from few words, so that words repeat in the phrase and the text.
  const few = () => random.pick(COMMON_WORDS);
  const terms = random.chance(0.5)
    ? random.list(2, 4, few)
    : words(randomText(random))
        .map((word) => word.term)
        .slice(0, 3);
  const slop = random.pick([0, 0, 0, 1, 2, 4]);
  if (random.chance(0.7)) return { kind: 'phrase', field, terms, slop };
  const last = [...(terms.pop() ?? 'a')].slice(0, 2).join('');
  return { kind: 'phrase', field, terms: [...terms, last], slop, prefixExpansions: 50 };
}

function value(random: Random, form: TermForm): string {
  const text = random.chance(0.4) ? randomKey(random) : randomSought(random);
  if (form === 'exact') return text;
  return form === 'folded' ? fold(text) : (words(text)[0]?.term ?? 'ada');
}

function termQuery(random: Random, field: string, form: TermForm): Query {
  const one = value(random, form);
  const chars = [...one].slice(0, 12);
  switch (random.int(8)) {
    case 0:
      return { kind: 'terms', field, form, values: random.list(0, 4, () => value(random, form)) };
    case 1:
      return { kind: 'prefix', field, form, value: chars.slice(0, random.int(4)).join('') };
    case 2:
      return { kind: 'wildcard', field, form, pattern: wildcardOf(random, chars) };
    case 3:
      return { kind: 'regexp', field, form, pattern: randomExpression(random, 2) };
    case 4: {
      const maxEdits = random.pick([0, 1, 2] as const);
      const bounds = { maxEdits, prefixLength: random.int(3), maxExpansions: 1000 };
      return { kind: 'fuzzy', field, form, value: edited(random, chars), ...bounds };
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
