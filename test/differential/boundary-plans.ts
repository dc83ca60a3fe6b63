// Plans for every large world, since random plans seldom reach these paths: postings and elements
// over several windows, clauses without common rows, a rare word with a frequent one, long position
// lists.
import type { Aggregations } from '../../src/query/aggregation.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';
import { CLUSTERED_WORD, RARE_WORD } from './large-world.ts';

type Bool = Extract<Query, { readonly kind: 'bool' }>;

const bool = (clauses: Partial<Bool>): Query => {
  return { kind: 'bool', must: [], filter: [], should: [], mustNot: [], ...clauses };
};
const word = (field: string, value: string): Query => ({
  kind: 'term',
  field,
  form: 'word',
  value,
});
const phrase = (field: string, ...terms: string[]): Query => {
  return { kind: 'phrase', field, terms, slop: 0 };
};
const names = (...values: string[]): Query[] => values.map((value) => word('name', value));

const QUERIES: readonly Query[] = [
  // A phrase and another clause of an element, over all elements.
  {
    kind: 'nested',
    path: 'accounts',
    scoreMode: 'avg',
    query: bool({
      must: [
        phrase('accounts.type', 'the', 'ada'),
        { kind: 'numbers', field: 'accounts.enabled', column: 'value', values: [1] },
      ],
    }),
  },
  // Two phrases whose rows alternate, without a common row.
  bool({ must: [phrase('mark', 'even', 'stone'), phrase('mark', 'odd', 'stone')] }),
  // Very many rows of one window and few of others, where other clauses are filled or tested by
  // row.
  bool({ must: [...names(CLUSTERED_WORD), bool({ should: names('the', 'ada', 'bob') })] }),
  bool({ must: [...names(CLUSTERED_WORD), bool({ must: names('the', 'ada') })] }),
  bool({
    must: [
      ...names(CLUSTERED_WORD),
      bool({ should: [bool({ must: names('the', 'ada') }), word('name', 'bob')] }),
    ],
  }),
  bool({ must: names('the'), should: [bool({ should: names('adam', 'bobby') })] }),
  // A term of one row with a term of most rows, which skips blocks of postings.
  bool({ must: names(RARE_WORD, 'the') }),
  // Frequent words that only contribute to the score of rare ones.
  bool({ should: names('the', 'ada', 'adam', RARE_WORD) }),
  phrase('notes', 'the', 'ada'),
];

/** Documents with several matching elements, whose buckets of one element are pruned early. */
const OWNERS_OF_SEVERAL: Aggregations = {
  elements: {
    kind: 'nested',
    path: 'accounts',
    aggregations: {
      owners: {
        kind: 'terms',
        source: { kind: 'id' },
        ...{ size: 5, minDocCount: 2, order: [] },
        aggregations: {
          levels: { kind: 'valueCount', source: { kind: 'strings', field: 'accounts.name' } },
        },
      },
    },
  },
};

/** Keys of most rows, which are counted by subtracting those of the other rows. */
const CODES: Aggregations = {
  codes: {
    kind: 'terms',
    source: { kind: 'strings', field: 'codes' },
    ...{ size: 500, minDocCount: 1, order: [] },
    aggregations: {},
  },
};

const ACTIVE: Query = { kind: 'numbers', field: 'active', column: 'value', values: [1] };

const AGGREGATED: readonly Plan[] = [
  aggregated(word('name', 'ada'), OWNERS_OF_SEVERAL),
  aggregated(ACTIVE, CODES),
];

/** The first plans for a world of large-world.ts. */
export const BOUNDARY_PLANS: readonly Plan[] = [...AGGREGATED, ...QUERIES.map(planOf)];

function aggregated(query: Query, aggregations: Aggregations): Plan {
  return {
    targets: [{ index: 'identities', query, aggregations }],
    ...{ sort: [], from: 0, size: 0, trackTotal: true, maxBuckets: 1_000 },
    source: { includes: [], excludes: [], nested: false },
  };
}

function planOf(query: Query, at: number): Plan {
  return {
    targets: [{ index: 'identities', query }],
    ...{ sort: [], from: 0, size: 10, trackTotal: at % 2 === 0 },
    source: { includes: [], excludes: [], nested: false },
  };
}
