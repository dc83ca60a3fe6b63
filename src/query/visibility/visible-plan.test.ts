import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../test/differential/random.ts';
import { testMapping } from '../../../test/support/segments.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Plan } from '../plan.ts';
import type { Query } from '../query.ts';
import { runSteps } from '../steps.ts';
import { HiddenFields } from './hidden-fields.ts';
import { visiblePlan } from './visible-plan.ts';

const NO_CLAUSES = { must: [], should: [], filter: [], mustNot: [] };
const mapping = testMapping({ name: 'text', secret: 'text' });

function visibleQuery(query: Query): Query {
  const plan: Plan = {
    targets: [{ index: 'roles', query }],
    ...{ sort: [], from: 0, size: 10, trackTotal: false },
    source: { includes: [], excludes: [], nested: true },
  };
  const hidden = new HiddenFields(['secret']);
  const part = () => ({ documents: { kind: 'matchAll' } as const, mapping });
  const visible = runSteps(visiblePlan(plan, { hidden, part, limits: DEFAULT_LIMITS }));
  const [target] = visible.targets;
  assert.ok(target !== undefined);
  return target.query;
}

const word = (boost?: number): Query => ({
  ...{ kind: 'term', field: 'name', form: 'word', value: 'ada' },
  ...(boost !== undefined && { boost }),
});
const scoring = (query: Query, boost: number): Query => {
  const { boost: _, ...unboosted } = query as Query & { readonly boost?: number };
  return { kind: 'constantScore', query: unboosted, boost };
};
const exists = (boost?: number): Query => ({
  ...{ kind: 'exists', field: 'name' },
  ...(boost !== undefined && { boost }),
});

const SCORES: readonly (readonly [title: string, query: Query, visible: Query])[] = [
  ['a word', word(), scoring(word(), 2)],
  ['a boosted word', word(3), scoring(word(), 6)],
  ['a word that would score 1 still ranks', word(0.5), scoring(word(), 17 / 16)],
  ['a word without weight', word(0), scoring(word(), 0)],
  ['a large boost', word(536_870_912), scoring(word(), 64)],
  ['a tiny boost', word(1e-9), scoring(word(), 1 / 16)],
  ['a boost between two steps', exists(0.3), exists(5 / 16)],
  ['a clause that does not rank', exists(), exists()],
  ['a boost of nothing', { kind: 'matchNone' }, { kind: 'matchNone' }],
  [
    'boosts around clauses are those of the clauses',
    { kind: 'bool', ...NO_CLAUSES, should: [word(2), exists()], boost: 3 },
    { kind: 'bool', ...NO_CLAUSES, should: [scoring(word(), 12), exists(3)] },
  ],
  [
    'filters have no boost of their own',
    { kind: 'bool', ...NO_CLAUSES, must: [word()], filter: [exists()], boost: 2 },
    { kind: 'bool', ...NO_CLAUSES, must: [scoring(word(), 4)], filter: [exists()] },
  ],
  [
    'only the outer of two adds the scores of ties',
    {
      ...{ kind: 'disMax', tieBreaker: 0.3, boost: 2 },
      queries: [word(), { kind: 'disMax', queries: [word(), exists()], tieBreaker: 0.3 }],
    },
    {
      ...{ kind: 'disMax', tieBreaker: 1 / 4 },
      queries: [
        scoring(word(), 4),
        { kind: 'disMax', queries: [scoring(word(), 4), exists(2)], tieBreaker: 0 },
      ],
    },
  ],
  [
    'elements score their best, not their average',
    { kind: 'nested', path: 'access', query: exists(), scoreMode: 'avg', boost: 2 },
    { kind: 'nested', path: 'access', query: exists(2), scoreMode: 'max' },
  ],
  [
    'elements that do not score',
    { kind: 'nested', path: 'access', query: exists(), scoreMode: 'none', boost: 2 },
    { kind: 'nested', path: 'access', query: exists(), scoreMode: 'none', boost: 2 },
  ],
];

for (const [title, query, visible] of SCORES) {
  test(`scores through a view: ${title}`, () => {
    assert.deepEqual(visibleQuery(query), visible);
  });
}

test('the score of a document is the same in whatever order an engine adds', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed);
    const query = visibleQuery(randomQuery(random, 3));
    const scores = Array.from({ length: 6 }, (_, order) => score(query, new Random(order)));
    assert.deepEqual([...new Set(scores)].length, 1, `seed ${seed}: ${JSON.stringify(query)}`);
  }
});

function randomQuery(random: Random, depth: number): Query {
  const boost = random.pick([1e-20, 2 ** -25, 0.1, 0.3, 1, 3, 7.7, 32, 2 ** 29, 1e9]);
  const inner = () => Array.from({ length: 5 }, () => randomQuery(random, depth - 1));
  if (depth === 0 || random.chance(0.3)) return random.chance(0.5) ? word(boost) : exists(boost);
  if (random.chance(0.3)) {
    return { kind: 'disMax', queries: inner(), tieBreaker: random.pick([0, 0.1, 0.3, 1]), boost };
  }
  return { kind: 'bool', ...NO_CLAUSES, must: inner(), should: inner(), boost };
}

/** The score of a document that matches all; sums of floats in random order and groups. */
function score(query: Query, order: Random): number {
  const sum = (scores: readonly number[]): number => {
    const left = [...scores];
    while (left.length > 1) {
      const [one = 0] = left.splice(order.int(left.length), 1);
      const at = order.int(left.length);
      left[at] = Math.fround(one + (left[at] ?? 0));
    }
    return left[0] ?? 0;
  };
  switch (query.kind) {
    case 'bool':
      return sum([...query.must, ...query.should].map((one) => score(one, order)));
    case 'disMax': {
      const scores = query.queries.map((one) => score(one, order));
      const best = Math.max(...scores);
      return Math.fround(best + (sum(scores) - best) * query.tieBreaker);
    }
    default:
      return 'boost' in query ? (query.boost ?? 1) : 1;
  }
}
