// Random query DSL bodies over a mapping, with all clauses of docs/search.md.
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import type { Random } from './random.ts';
import { edited, randomExpression, wildcardOf } from './random-patterns.ts';
import { DATE_TEXTS, randomQueryText } from './random-query-text.ts';
import { NUMBERS, randomSought, randomText } from './random-text.ts';

export type Body = Record<string, unknown>;

export function randomDsl(
  random: Random,
  mapping: Mapping,
  nested: string | null,
  depth: number,
): Body {
  if (depth > 0 && random.chance(0.4)) return compoundBody(random, mapping, nested, depth);
  const fields = [...mapping.fields.values()].filter(
    (field) => nested === null || field.nested === nested,
  );
  const dice = random.int(14);
  if (dice === 0 || fields.length === 0)
    return random.pick([{ match_all: {} }, { match_none: {} }]);
  if (dice === 1) return { exists: { field: random.pick(fields).path } };
  if (dice === 2 && nested === null) {
    return { ids: { values: random.list(0, 4, () => `d${random.int(60)}`) } };
  }
  if (dice === 3) return wide(random, mapping, fields);
  if (dice === 4 && nested === null) {
    const text = randomQueryText(random, { ...mapping, nestedPaths: [] }, null, 1);
    const operator = random.pick([{}, {}, { default_operator: 'and' }]);
    return { query_string: { query: text, lenient: true, ...operator } };
  }
  const field = random.pick(fields);
  return isString(field) ? stringClause(random, field) : valueClause(random, field);
}

const isString = ({ type }: Field): boolean => type === 'text' || type === 'keyword';

function compoundBody(
  random: Random,
  mapping: Mapping,
  nested: string | null,
  depth: number,
): Body {
  const inner = () => randomDsl(random, mapping, nested, depth - 1);
  const dice = random.int(8);
  if (dice === 0) return { constant_score: { filter: inner(), boost: random.pick([1, 2]) } };
  if (dice === 1) return { dis_max: { queries: random.list(1, 3, inner), tie_breaker: 0.5 } };
  if (dice < 4 && nested === null) {
    const path = random.pick(mapping.nestedPaths);
    const query = randomDsl(random, mapping, path, depth - 1);
    const mode = random.pick(['avg', 'max', 'min', 'sum', 'none']);
    return { nested: { path, query, score_mode: mode } };
  }
  const least = random.chance(0.3)
    ? { minimum_should_match: random.pick([0, 1, 2, -1, '50%', '-25%']) }
    : {};
  return {
    bool: {
      must: random.list(0, 2, inner),
      filter: random.list(0, 1, inner),
      should: random.list(0, 3, inner),
      must_not: random.list(0, 1, inner),
      ...least,
    },
  };
}

/** Clauses on several fields. */
function wide(random: Random, mapping: Mapping, fields: readonly Field[]): Body {
  const names = random.list(0, 3, () => random.pick(fields).path + random.pick(['', '', '^2']));
  if (random.chance(0.4)) {
    const query = random.list(1, 3, () => random.pick(['', '-', '+', '"']) + randomSought(random));
    return { simple_query_string: { query: query.join(' '), fields: names } };
  }
  return {
    multi_match: {
      query: randomSought(random),
      ...(names.length > 0 || mapping.identifying.length === 0 ? { fields: names } : {}),
      type: random.pick(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix']),
      operator: random.pick(['and', 'or']),
    },
  };
}

function stringClause(random: Random, field: Field): Body {
  const name = field.path + random.pick(['', '', '', '.exact']);
  const one = randomSought(random);
  const chars = [...one].slice(0, 12);
  const on = (clause: string, value: unknown): Body => ({ [clause]: { [name]: value } });
  const folds = random.pick([{}, {}, { case_insensitive: true }]);
  switch (random.int(12)) {
    case 0:
      return on(
        'terms',
        random.list(0, 4, () => randomSought(random)),
      );
    case 1:
      return on('prefix', { value: chars.slice(0, random.int(4)).join(''), ...folds });
    case 2:
      return on('wildcard', { value: wildcardOf(random, chars), ...folds });
    case 3:
      return on('regexp', { value: randomExpression(random, 1), ...folds });
    case 4:
      return on('fuzzy', { value: edited(random, chars), fuzziness: random.pick(['AUTO', 1, 2]) });
    case 5:
      return on('range', {
        [random.pick(['gt', 'gte'])]: one,
        ...(random.chance(0.5) ? { [random.pick(['lt', 'lte'])]: randomSought(random) } : {}),
      });
    case 6:
      return on('match_phrase', { query: randomText(random), slop: random.pick([0, 0, 1, 3]) });
    case 7:
      return on('match_phrase_prefix', { query: one, max_expansions: random.pick([1, 3, 50]) });
    case 8:
    case 9:
      return on('match', {
        query: randomText(random),
        ...random.pick([{}, { operator: 'and' }, { minimum_should_match: 2 }, { fuzziness: 1 }]),
      });
    default:
      return on('term', { value: one, ...folds, boost: random.pick([1, 1, 2]) });
  }
}

function valueClause(random: Random, { path, type }: Field): Body {
  const value = (): unknown => {
    if (type === 'boolean') return random.pick([true, false, 'true']);
    return type === 'date' ? random.pick(DATE_TEXTS) : random.pick(NUMBERS);
  };
  const dice = random.int(4);
  if (dice === 0) return { term: { [path]: value() } };
  if (dice === 1) return { terms: { [path]: random.list(0, 3, value) } };
  if (dice === 2 && type !== 'boolean') return { match: { [path]: String(value()) } };
  const zone = type === 'date' && random.chance(0.3) ? { time_zone: '+05:30' } : {};
  return {
    range: {
      [path]: {
        ...(random.chance(0.7) ? { [random.pick(['gt', 'gte'])]: value() } : {}),
        ...(random.chance(0.7) ? { [random.pick(['lt', 'lte'])]: value() } : {}),
        ...zone,
      },
    },
  };
}
