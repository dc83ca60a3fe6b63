// The requests that explain a document, and the tree built from the answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import { explainDocument } from './explain-document.ts';
import type { OpenTarget } from './requests/plan-to-body.ts';
import type { Json } from './requests/query-to-body.ts';
import type { ResponseHit, SearchResponse } from './requests/search-response.ts';

const NAMED: Query = { kind: 'term', field: 'accounts.name', form: 'exact', value: 'ada' };
const QUERY: Query = {
  ...{ kind: 'bool', must: [], filter: [{ kind: 'exists', field: 'name' }], mustNot: [] },
  should: [{ kind: 'nested', path: 'accounts', query: NAMED, scoreMode: 'avg', boost: 2 }],
  boost: 3,
};
const TARGET: OpenTarget = {
  index: 'identities',
  query: QUERY,
  mapping: staticMapping('identities', { name: 'acme', pod: 'cardea' }),
  concreteIndex: 'cardea-acme-identities-v3',
};
const PLAN: Plan = {
  targets: [TARGET],
  ...{ sort: [], from: 0, size: 10, trackTotal: false },
  source: { includes: [], excludes: [], nested: false },
};
const KEY = { index: 'identities', id: 'i1' } as const;

const answer = (total: number, ...hits: Partial<ResponseHit>[]): SearchResponse => ({
  timed_out: false,
  _shards: { failed: 0 },
  hits: { total: { value: total }, hits: hits.map((hit) => ({ sort: [], fields: {}, ...hit })) },
});

/** Explains a document with these answers, in the order of the clauses. */
async function explain(document: SearchResponse, clauses: readonly SearchResponse[]) {
  const requests: Json[] = [];
  const explanation = await explainDocument([TARGET], PLAN, KEY, (_target, bodies) => {
    requests.push(...bodies);
    return Promise.resolve([document, ...clauses]);
  });
  return { requests, explanation };
}

test('sends each clause for the one document, and below nested for its elements', async () => {
  const { requests, explanation } = await explain(answer(0), []);
  assert.equal(explanation, null);
  const only = '{"terms":{"%id":["i1"]}}';
  const [document, , nested, named, exists] = requests.map((body) => JSON.stringify(body));
  assert.ok(
    document?.startsWith(`{"query":${only},"size":0,"track_total_hits":true,"aggs":{"n0":`),
  );
  const inner = '{"term":{"accounts.name%exact":{"value":"ada"}}}';
  const around = `"score_mode":"avg","ignore_unmapped":true,"boost":2`;
  assert.equal(
    nested,
    `{"query":{"bool":{"must":[{"nested":{"path":"accounts","query":${inner},${around}}}],"boost":3,"filter":[${only}]}},"size":1,"_source":false,"stored_fields":"_none_","track_total_hits":false}`,
  );
  const elements = `"inner_hits":{"name":"elements","size":100,"sort":["_doc"],"_source":false,"stored_fields":"_none_"}`;
  assert.equal(
    named,
    `{"query":{"bool":{"must":[{"nested":{"path":"accounts","query":${inner},"score_mode":"max",${elements}}}],"boost":6,"filter":[${only}]}},"size":1,"_source":false,"stored_fields":"_none_","track_total_hits":false,"explain":true}`,
  );
  assert.match(exists ?? '', /^\{"query":\{"bool":\{"must":\[\{"constant_score":/);
});

test('the tree holds the result of each clause', async () => {
  const at = TARGET.mapping.nestedPaths.indexOf('accounts');
  const document = { ...answer(1), aggregations: { [`n${at}`]: { doc_count: 4 } } };
  const offsets = [3, 1].map((offset) => ({ _nested: { offset } }));
  const { explanation } = await explain(document, [
    answer(1, { _score: 1.5 }),
    answer(1, { _score: 1.5 }),
    answer(1, { _score: 2, inner_hits: { elements: { hits: { hits: offsets } } } }),
    answer(0),
  ]);
  assert.deepEqual([explanation?.matched, explanation?.score], [true, 1.5]);
  const [nested, exists] = explanation?.clauses.children ?? [];
  assert.deepEqual([nested?.matched, nested?.elementCount, nested?.score], [true, 4, 1.5]);
  const [named] = nested?.children ?? [];
  assert.deepEqual([named?.matched, named?.elements, named?.score], [true, [1, 3], 2]);
  assert.equal(named?.scoring?.value, 2);
  assert.deepEqual([exists?.matched, exists && 'score' in exists], [false, false]);
});
