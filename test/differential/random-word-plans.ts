// Random searches for words: common and rare words and phrases, in text fields or any field, of
// documents or elements, required, optional, excluded or filtering, ranked by score. Small pages
// without a total let the engine skip rows that are not competitive.

import type { Aggregations } from '../../src/query/aggregation.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan } from '../../src/query/plan.ts';
import { CATCH_ALL, type Query } from '../../src/query/query.ts';
import { RARE_WORD } from './large-world.ts';
import type { Random } from './random.ts';
import { COMMON_WORDS } from './random-text.ts';

export function randomWordPlan(random: Random, mappings: readonly Mapping[]): Plan {
  const withHits = random.chance(0.15);
  return {
    targets: mappings.map((mapping) => ({
      index: mapping.index,
      query: wordsQuery(random, mapping, 2),
      ...(withHits && { aggregations: BEST_HITS }),
    })),
    sort: [],
    from: random.chance(0.2) ? random.int(5) : 0,
    size: random.pick([1, 3, 10, 10, 1000]),
    trackTotal: random.chance(0.4),
    source: { includes: [], excludes: [], nested: random.chance(0.5) },
    ...(withHits && { maxBuckets: 1000 }),
  };
}

const BEST_HITS: Aggregations = {
  best: {
    ...{ kind: 'topHits', from: 0, size: 3, sort: [] },
    sourceFilter: { includes: [], excludes: [], nested: true },
  },
};

function wordsQuery(random: Random, mapping: Mapping, depth: number): Query {
  const path = random.chance(0.4) ? random.pick(mapping.nestedPaths) : null;
  const clause = (): Query =>
    depth > 0 && random.chance(0.25)
      ? wordsQuery(random, mapping, depth - 1)
      : below(path, one(random, mapping, path));
  const inside = (): Query => one(random, mapping, path);
  if (random.chance(0.2)) {
    return {
      kind: 'disMax',
      queries: random.list(2, 4, clause),
      tieBreaker: random.pick([0, 0, 0.3]),
    };
  }
  // Several clauses of one element, or clauses of documents.
  const make = path !== null && random.chance(0.6) ? inside : clause;
  const should = random.list(0, 4, make);
  const query: Query = {
    kind: 'bool',
    must: random.list(should.length === 0 ? 1 : 0, 2, make),
    filter: random.chance(0.2) ? [make()] : [],
    should,
    mustNot: random.chance(0.2) ? [make()] : [],
    ...(random.chance(0.15) && { minimumShouldMatch: random.int(should.length + 1) }),
  };
  return make === inside ? below(path, query) : query;
}

function below(path: string | null, query: Query): Query {
  return path === null ? query : { kind: 'nested', path, query, scoreMode: 'avg' };
}

function one(random: Random, mapping: Mapping, path: string | null): Query {
  const texts = [...mapping.fields.values()].filter(
    ({ type, nested }) => type === 'text' && nested === path,
  );
  const others = [...mapping.fields.values()].filter(
    ({ type, nested }) => type === 'boolean' && nested === path,
  );
  if (texts.length === 0 || (others.length > 0 && random.chance(0.15))) {
    if (others.length === 0) return { kind: 'matchAll' };
    const field = random.pick(others).path;
    return { kind: 'numbers', field, column: 'value', values: [random.int(2)] };
  }
  const field = path === null && random.chance(0.3) ? CATCH_ALL : random.pick(texts).path;
  if (random.chance(0.35)) {
    const inTeams = field.endsWith('team') && random.chance(0.7);
    const terms = inTeams ? ['ada', 'bob'] : random.list(2, 3, () => word(random));
    return { kind: 'phrase', field, terms, slop: random.pick([0, 0, 0, 1]) };
  }
  return { kind: 'term', field, form: 'word', value: word(random) };
}

function word(random: Random): string {
  return random.chance(0.1) ? RARE_WORD : random.pick(COMMON_WORDS);
}
