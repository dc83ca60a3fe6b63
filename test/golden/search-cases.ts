// Cases that judges once answered differently, small enough to be read: fields, documents, a plan, and what the answer
// must be. They are replayed on the naive evaluator and the engine, and with test/backends/ on a real OpenSearch.

import type { FieldType } from '../../src/query/mapping/mapping.ts';
import type { Plan, Target } from '../../src/query/plan.ts';
import type { IndexName, Query, SortValue } from '../../src/query/query.ts';
import type { TypeaheadResult } from '../../src/service/ports/search-backend.ts';
import type { Answer } from '../differential/answer.ts';
import type { Case } from '../differential/cases.ts';
import type { PlainDocument } from '../differential/naive.ts';
import { type Step, survivors } from '../differential/random-history.ts';
import type { World } from '../differential/world.ts';
import { testMapping } from '../support/segments.ts';

export interface GoldenCase {
  /** What is right. */
  readonly sentence: string;
  readonly fields: Readonly<Record<string, FieldType | `${FieldType}?`>>;
  readonly nested?: readonly string[];
  /** In one segment each. */
  readonly segments: readonly (readonly PlainDocument[])[];
  /** What happened to the index after these segments: more documents, deletions, merges. */
  readonly history?: readonly Step[];
  /** `search` when left out. */
  readonly asks?: Case['asks'];
  readonly query?: Query;
  /** What an index is asked that has no document. */
  readonly ofNone?: Query;
  readonly plan: Partial<Plan>;
  readonly aggregations?: Target['aggregations'];
  readonly innerHit?: Target['innerHit'];
  readonly typeahead?: Target['typeahead'];
  readonly expected: {
    /** Id and sort values of each row. */
    readonly rows?: readonly (readonly [id: string, ...sort: SortValue[]])[];
    readonly scores?: readonly (number | null)[];
    readonly total?: number;
    readonly aggregations?: unknown;
    readonly count?: number;
    readonly values?: TypeaheadResult;
  };
}

/** The one index that has documents. */
export const INDEX: IndexName = 'identities';
const EMPTY_INDEX: IndexName = 'roles';
const ALL: Query = { kind: 'matchAll' };

/** Owners of one account of a level each, but for the first of each, who has a low and a high one. */
function owners(prefix: string, count: number): PlainDocument[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `${prefix}${at}`,
    status: 'open',
    accounts: at === 3 ? [{ level: -1 }, {}, {}] : [{ level: 10 + at }, { level: 90 }],
  }));
}

const DIRECTORY = 'Active Directory - Direct';

/** The words of the phrase also occur by themselves, at other positions. */
const TYPES = ['Workday', 'Azure Active Directory', 'SAP - Direct', 'Flat file', DIRECTORY];

/** Owners of up to four accounts each; the elements of the first 256 owners end inside a word of 32 rows. */
const OWNERS_OF_ACCOUNTS: readonly PlainDocument[] = Array.from({ length: 400 }, (_, owner) => ({
  id: `o${String(owner).padStart(3, '0')}`,
  accounts: Array.from({ length: (owner * 3) % 5 }, (_, at) => {
    const type = TYPES[(owner * owner + 3 * at) % TYPES.length];
    return { type, enabled: type === DIRECTORY };
  }),
}));

const ownsDirectory = ({ accounts }: PlainDocument): boolean =>
  (accounts as { type: string }[]).some(({ type }) => type === DIRECTORY);

/** Regular expressions on lower-cased names, and the ids that they find. */
const NEGATED_CLASSES: readonly (readonly [pattern: string, ids: readonly string[]])[] = [
  ['\\D+', ['a', 'c', 'e']],
  ['\\W+', ['c']],
  ['\\S+', ['a', 'b', 'd']],
  ['[\\Wx]+1', ['d']],
  ['[^\\D]+', ['b']],
  ['[^\\W1]+', ['a', 'b']],
];

export const GOLDEN_CASES: readonly GoldenCase[] = [
  ...NEGATED_CLASSES.map(
    ([pattern, ids]): GoldenCase => ({
      sentence: `the expression ${pattern} matches lower-cased values without its characters`,
      fields: { id: 'keyword', name: 'text' },
      segments: [
        [
          ...[
            { id: 'a', name: 'Ada' },
            { id: 'b', name: '42' },
            { id: 'c', name: '? !' },
          ],
          ...[
            { id: 'd', name: 'X-1' },
            { id: 'e', name: 'A B' },
          ],
        ],
      ],
      query: { kind: 'regexp', field: 'name', form: 'folded', pattern },
      plan: { sort: [{ field: 'id', order: 'asc', type: 'string' }] },
      expected: { rows: ids.map((id) => [id, id]) },
    }),
  ),
  {
    sentence: 'a double beyond all longs is not missing',
    fields: { id: 'keyword', cost: 'double' },
    segments: [[{ id: 'a', cost: 1e19 }, { id: 'b' }, { id: 'c', cost: -1e300 }]],
    plan: { sort: [{ field: 'cost', order: 'asc', type: 'number' }] },
    expected: {
      rows: [
        ['c', -1e300],
        ['a', 1e19],
        ['b', null],
      ],
    },
  },
  {
    sentence: 'nor is it among the best hits of a bucket',
    fields: { id: 'keyword', cost: 'double' },
    segments: [[{ id: 'a', cost: 1e19 }, { id: 'b' }, { id: 'c', cost: -1e300 }]],
    plan: { size: 0 },
    aggregations: {
      dearest: {
        ...{ kind: 'topHits', from: 0, size: 2 },
        sourceFilter: { includes: [], excludes: [], nested: true },
        sort: [{ field: 'cost', order: 'desc', type: 'number' }],
      },
    },
    expected: {
      aggregations: {
        dearest: {
          hits: {
            ...{ total: { value: 3, relation: 'eq' }, max_score: null },
            hits: [
              {
                ...{ _index: 'identities', _id: 'a', _score: null },
                ...{ _source: { id: 'a', cost: 1e19 }, sort: [1e19] },
              },
              {
                ...{ _index: 'identities', _id: 'c', _score: null },
                ...{ _source: { id: 'c', cost: -1e300 }, sort: [-1e300] },
              },
            ],
          },
        },
      },
    },
  },
  {
    sentence: 'a scored phrase beside another clause finds every element of a long table',
    fields: { id: 'keyword', 'accounts.type': 'text', 'accounts.enabled': 'boolean' },
    nested: ['accounts'],
    segments: [OWNERS_OF_ACCOUNTS],
    query: {
      kind: 'nested',
      path: 'accounts',
      scoreMode: 'avg',
      query: {
        kind: 'bool',
        must: [
          {
            ...{ kind: 'phrase', field: 'accounts.type', slop: 0 },
            terms: ['active', 'directory', 'direct'],
          },
          { kind: 'numbers', field: 'accounts.enabled', column: 'value', values: [1] },
        ],
        ...{ filter: [], should: [], mustNot: [] },
      },
    },
    plan: { trackTotal: true },
    expected: {
      total: OWNERS_OF_ACCOUNTS.filter(ownsDirectory).length,
    },
  },
  {
    sentence: 'documents in the order of numbers of their elements are all there, also uncounted',
    fields: { id: 'keyword', 'accounts.level': 'double' },
    nested: ['accounts'],
    segments: [owners('a', 40), owners('b', 40)],
    plan: {
      size: 3,
      trackTotal: false,
      sort: [{ field: 'accounts.level', order: 'asc', type: 'number' }],
    },
    expected: {
      rows: [
        ['a3', -1],
        ['b3', -1],
        ['a0', 10],
      ],
    },
  },
  {
    sentence: 'and so are those of a query whose number is known without counting',
    fields: { id: 'keyword', status: 'keyword', 'accounts.level': 'double' },
    nested: ['accounts'],
    segments: [owners('a', 40), owners('b', 40)],
    query: { kind: 'term', field: 'status', form: 'exact', value: 'open' },
    plan: {
      size: 3,
      trackTotal: true,
      sort: [{ field: 'accounts.level', order: 'asc', type: 'number' }],
    },
    expected: {
      total: 80,
      rows: [
        ['a3', -1],
        ['b3', -1],
        ['a0', 10],
      ],
    },
  },
  {
    sentence: 'back at the documents from elements that nobody has, terms tell keys of none',
    fields: { id: 'keyword', status: 'keyword' },
    segments: [[{ id: 'a', status: 'open' }]],
    plan: { size: 0, trackTotal: true },
    aggregations: {
      below: {
        kind: 'nested',
        path: null,
        aggregations: {
          back: {
            kind: 'reverseNested',
            aggregations: {
              statuses: {
                kind: 'terms',
                source: { kind: 'strings', field: 'status' },
                ...{ size: 10, minDocCount: 0, order: [] },
                aggregations: {},
              },
            },
          },
        },
      },
    },
    expected: {
      total: 1,
      aggregations: {
        below: {
          doc_count: 0,
          back: {
            doc_count: 0,
            statuses: {
              doc_count_error_upper_bound: 0,
              sum_other_doc_count: 0,
              buckets: [{ key: 'open', doc_count: 0 }],
            },
          },
        },
      },
    },
  },
  {
    sentence:
      'a document counts once in a bucket of elements with a value and elements without one',
    fields: { id: 'keyword', 'accounts.type': 'keyword' },
    nested: ['accounts'],
    segments: [[{ id: 'a', accounts: [{ type: 'open' }, {}] }]],
    plan: { size: 0 },
    aggregations: {
      below: {
        kind: 'nested',
        path: 'accounts',
        aggregations: {
          types: {
            kind: 'terms',
            source: { kind: 'strings', field: 'accounts.type' },
            ...{ size: 10, minDocCount: 1, order: [], missing: 'open' },
            aggregations: { back: { kind: 'reverseNested', aggregations: {} } },
          },
        },
      },
    },
    expected: {
      aggregations: {
        below: {
          doc_count: 2,
          types: {
            doc_count_error_upper_bound: 0,
            sum_other_doc_count: 0,
            buckets: [{ key: 'open', doc_count: 2, back: { doc_count: 1 } }],
          },
        },
      },
    },
  },
  {
    sentence: 'a date that stands in for a missing one is the same instant in every time zone',
    fields: { id: 'keyword', created: 'date' },
    segments: [[{ id: 'a' }, { id: 'b', created: '2024-01-01T04:00:00Z' }]],
    plan: { size: 0 },
    aggregations: {
      years: {
        kind: 'dateHistogram',
        source: { kind: 'numbers', field: 'created', column: 'value', type: 'date' },
        intervals: { every: 'y', timeZone: 'America/New_York', offsetMs: 0 },
        ...{ format: null, minDocCount: 1, keyed: false, order: [{ by: 'key', order: 'asc' }] },
        missing: Date.parse('2024-01-01T00:00:00Z'),
        aggregations: {},
      },
    },
    expected: {
      aggregations: {
        years: {
          buckets: [
            {
              key_as_string: '2023-01-01T00:00:00.000-05:00',
              key: Date.parse('2023-01-01T05:00:00Z'),
              doc_count: 2,
            },
          ],
        },
      },
    },
  },
  {
    sentence: 'distances from before the zones were agreed upon are told to the minute',
    fields: { id: 'keyword', created: 'date' },
    segments: [[{ id: 'a', created: '0050-06-01' }]],
    plan: { size: 0 },
    aggregations: {
      years: {
        kind: 'dateHistogram',
        source: { kind: 'numbers', field: 'created', column: 'value', type: 'date' },
        intervals: { every: 'y', timeZone: 'America/New_York', offsetMs: 0 },
        ...{ format: null, minDocCount: 1, keyed: false, order: [{ by: 'key', order: 'asc' }] },
        aggregations: {},
      },
    },
    expected: {
      aggregations: {
        years: {
          buckets: [
            {
              key_as_string: '0050-01-01T00:00:00.000-04:56',
              key: -60_589_278_238_000,
              doc_count: 1,
            },
          ],
        },
      },
    },
  },
  {
    sentence: 'whether rows have a score is decided by the whole plan, also by what finds nothing',
    fields: { id: 'keyword', name: 'text' },
    segments: [[{ id: 'a' }, { id: 'b' }]],
    ofNone: { kind: 'term', field: 'name', form: 'word', value: 'ada' },
    plan: { size: 10 },
    expected: { rows: [['a'], ['b']], scores: [1, 1] },
  },
];

export function worldOf({ fields, nested = [], segments, history = [] }: GoldenCase): World {
  const mapping = testMapping(fields, nested);
  const flushes = segments.map((puts) => ({
    kind: 'flush' as const,
    puts: [...puts],
    deletes: [],
  }));
  const steps = [...flushes, ...history];
  const index = { mapping, steps, documents: survivors(steps) };
  const indexes = new Map([[INDEX, index]]);
  return { seed: 0, change: changeOf(steps), size: 'small', indexes };
}

/** `often` where a document is replaced or deleted. */
export function changeOf(steps: readonly Step[]): World['change'] {
  const seen = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'merge') continue;
    if (step.deletes.length > 0 || step.puts.some(({ id }) => seen.has(id))) return 'often';
    for (const { id } of step.puts) seen.add(id);
  }
  return 'once';
}

export function caseOf(golden: GoldenCase): Case {
  const { query = ALL, ofNone, plan, asks = 'search' } = golden;
  const { aggregations, innerHit, typeahead } = golden;
  const more = {
    ...(aggregations && { aggregations }),
    ...(innerHit && { innerHit }),
    ...(typeahead && { typeahead }),
  };
  return {
    kind: 'plan',
    asks,
    plan: {
      targets: [
        { index: INDEX, query, ...more },
        ...(ofNone === undefined ? [] : [{ index: EMPTY_INDEX, query: ofNone }]),
      ],
      ...{ sort: [], from: 0, size: 1000, trackTotal: false },
      source: { includes: [], excludes: [], nested: true },
      ...(aggregations && { maxBuckets: 1000 }),
      ...plan,
    },
  };
}

/** The part of an answer that a golden case names. */
export function namedPart(answer: Answer, { expected }: GoldenCase): GoldenCase['expected'] {
  const { rows = [], total, aggregations, count, values } = answer;
  return {
    ...(expected.rows && { rows: rows.map(({ id, sort }) => [id, ...sort] as const) }),
    ...(expected.scores && { scores: rows.map(({ score }) => score ?? null) }),
    ...(expected.total !== undefined && { total: total ?? 0 }),
    ...(expected.aggregations !== undefined && { aggregations }),
    ...(expected.count !== undefined && { count: count ?? 0 }),
    ...(expected.values && values && { values }),
  };
}
