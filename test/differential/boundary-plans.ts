// Questions that every large world is asked, since random ones seldom reach these paths: postings and elements of several
// windows, clauses that never meet, a word in one row beside one in most rows, long lists of positions.
import type { Aggregations } from '../../src/query/aggregation/aggregation.ts';
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
  // A phrase beside another clause of an element, over all elements.
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
  // Two phrases whose rows alternate and never meet.
  bool({ must: [phrase('mark', 'even', 'stone'), phrase('mark', 'odd', 'stone')] }),
  // Very many rows of one window and very few of others: other clauses are filled there and asked row by row here.
  bool({ must: [...names(CLUSTERED_WORD), bool({ should: names('the', 'ada', 'bob') })] }),
  bool({ must: [...names(CLUSTERED_WORD), bool({ must: names('the', 'ada') })] }),
  bool({
    must: [
      ...names(CLUSTERED_WORD),
      bool({ should: [bool({ must: names('the', 'ada') }), word('name', 'bob')] }),
    ],
  }),
  bool({ must: names('the'), should: [bool({ should: names('adam', 'bobby') })] }),
  // One row among most rows: blocks of postings are skipped.
  bool({ must: names(RARE_WORD, 'the') }),
  // Frequent words that only add to the score of rare ones.
  bool({ should: names('the', 'ada', 'adam', RARE_WORD) }),
  phrase('notes', 'the', 'ada'),
];

/** Documents with several matching elements: buckets of one element are dropped before anything below them is counted. */
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

/** Keys of most rows: they are counted by taking away those of the other rows. */
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

/** The plans that a world of large-world.ts is asked first. */
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
