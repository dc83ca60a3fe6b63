// The aggregations of an OpenSearch request, as lines of `opensearch/aggregations.txt`: what a client
// asks (which is what a user of OpenSearch would send, but for the names of fields), what is sent to
// an index of one shard, and what to one of several. `UPDATE_GOLDEN=1` rewrites the file.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aggregateTargets } from '../../src/backends/opensearch/aggregations/aggregate.ts';
import { DateCache } from '../../src/query/dates/date-cache.ts';
import { planAggregate, testContext } from '../support/query-context.ts';

const FILE = fileURLToPath(
  new URL('../../../test/golden/opensearch/aggregations.txt', import.meta.url),
);

const CITY = { terms: { field: 'attributes.city' } };
const SOURCE = { field: 'access.source.name' };

/** Sentences on what is sent to one shard. */
const CASES: Readonly<Record<string, object>> = {
  'OpenSearch chooses the largest buckets': CITY,
  'OpenSearch chooses the first keys after those that are left out': {
    terms: {
      ...{ field: 'attributes.city', size: 5, order: { _key: 'desc' } },
      ...{ include: 'B.*', exclude: ['Bonn'], missing: 'none' },
    },
  },
  'OpenSearch chooses at every level': {
    nested: { path: 'access' },
    aggs: {
      privileged: {
        filter: { term: { 'access.privileged': true } },
        aggs: { sources: { terms: { ...SOURCE, size: 3 }, aggs: { types: { terms: SOURCE } } } },
      },
    },
  },
  'with a minimum, the buckets that reach it': {
    terms: { field: 'attributes.city', min_doc_count: 2 },
  },
  'all buckets, and keys of other documents': {
    terms: { field: 'attributes.city', min_doc_count: 0 },
  },
  'all buckets for an order by a metric': {
    terms: { field: 'attributes.city', order: { ratio: 'asc' } },
    aggs: { ratio: { avg: { field: 'attributes.ratio' } } },
  },
  'all buckets, and all inside, where those of missing values are merged': {
    terms: { field: 'attributes.active', missing: true },
    aggs: { city: CITY },
  },
  'all buckets of elements that are counted as documents': { terms: SOURCE },
  'all buckets where a pattern may be read otherwise': {
    terms: { field: 'attributes.city', include: 'B{1,3}.*' },
  },
  'OpenSearch chooses the tuples of texts': {
    composite: {
      size: 3,
      sources: [
        { city: { terms: { field: 'attributes.city', missing_bucket: true, order: 'desc' } } },
        { name: { terms: { field: 'name' } } },
      ],
      after: { city: null, name: 'Ada' },
    },
  },
  'all tuples of numbers, which a document may have twice': {
    composite: { sources: [{ level: { terms: { field: 'attributes.level' } } }] },
  },
  'all tuples inside of other buckets': {
    terms: { field: 'attributes.city' },
    aggs: { names: { composite: { sources: [{ name: { terms: { field: 'name' } } }] } } },
  },
  'only intervals with documents': {
    date_histogram: { field: 'created', calendar_interval: 'month' },
    aggs: { city: CITY },
  },
  'all values, as OpenSearch only estimates their number': { cardinality: { field: 'name' } },
  'the figures that a result is made of': {
    filter: { match_all: {} },
    aggs: Object.fromEntries(
      ['avg', 'sum', 'min', 'max', 'value_count', 'stats', 'extended_stats'].map((kind) => [
        kind,
        { [kind]: { field: 'attributes.level' } },
      ]),
    ),
  },
  'each range is a query': {
    range: { field: 'attributes.level', ranges: [{ to: 3 }, { from: 3 }] },
  },
  'the ids of the best documents, which are read afterwards': {
    terms: { field: 'attributes.city', size: 2 },
    aggs: { best: { top_hits: { size: 1, sort: [{ name: 'asc' }] } } },
  },
};

/** The aggregations of a body, without the query. */
async function sent(asked: object, shards: number): Promise<string> {
  const context = testContext();
  const body = { indices: ['identities'], aggregationsDsl: { a: asked } };
  const { plan } = planAggregate(body, { limit: '0' }, context);
  const [target] = plan.targets;
  assert.ok(target);
  const mapping = await context.mapping('identities');
  const bodies: string[] = [];
  const search = async (_targets: unknown, request: Readonly<Record<string, unknown>>) => {
    const slices = request['terminate_after'] === undefined ? '' : ' (not in slices)';
    bodies.push(`${JSON.stringify(request['aggs'])}${slices}`);
    return { timed_out: false, _shards: { failed: 0 }, hits: { hits: [] }, aggregations: EMPTY };
  };
  const open = { ...target, mapping, concreteIndex: 'identities', shards };
  await aggregateTargets(plan, [open], search, new DateCache());
  return bodies.join('\n');
}

/** An answer without hits; aggregations that are absent are empty. */
const EMPTY = { a0: { hits: { total: { value: 0 }, hits: [] } } };

test('aggregations are sent to one shard and to several as the golden file says', async () => {
  const parts: string[] = [];
  for (const [sentence, asked] of Object.entries(CASES)) {
    const [one, several] = [await sent(asked, 1), await sent(asked, 3)];
    const lines = [
      `# ${sentence}`,
      `client:  ${JSON.stringify(asked)}`,
      `1 shard: ${one}`,
      `several: ${several === one ? 'the same' : several}`,
    ];
    parts.push(`${lines.join('\n')}\n`);
  }
  const text = parts.join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(FILE, text);
  assert.equal(text, readFileSync(FILE, 'utf8'));
});
