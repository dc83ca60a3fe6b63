// Aggregations as questions: what is refused, and that nothing kept back by OpenSearch is passed over.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import { staticMapping } from '../../query/document-types.ts';
import { questionsOf } from './aggregation-body.ts';

const mapping = staticMapping('identities', { name: 'acme', pod: 'cardea' });
const TERMS: Aggregation = {
  kind: 'terms',
  source: { kind: 'id' },
  size: 10,
  minDocCount: 1,
  order: [],
  aggregations: {},
};

function ask(aggregation: Aggregation) {
  return questionsOf({ one: aggregation }, { mapping, path: null, wanting: [] });
}

function fails(work: () => unknown, code: string, message: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

describe('aggregations on OpenSearch', () => {
  const refused: readonly [RegExp, Aggregation][] = [
    [/^composite /, { kind: 'composite', sources: [], size: 10, aggregations: {} }],
    [/^top_hits /, { kind: 'topHits', from: 0, size: 3, sort: [], sourceFilter: null }],
    [
      /^percentiles \(MEDIAN\) /,
      { kind: 'percentiles', source: { kind: 'none' }, percents: [50], keyed: true },
    ],
    [/^_id inside of nested /, { kind: 'nested', path: 'accounts', aggregations: { ids: TERMS } }],
  ];
  for (const [message, aggregation] of refused) {
    test(`what is not served is told by name: ${message.source}`, () => {
      fails(() => ask(aggregation), 'request_invalid', message);
    });
  }

  test('values that OpenSearch keeps back are a limit, not a shorter answer', () => {
    const question = ask(TERMS);
    const [name = ''] = Object.keys(question.aggs);
    const found = { [name]: { buckets: [{ key: 'a', doc_count: 1 }], sum_other_doc_count: 1 } };
    fails(() => question.read(found), 'limit_exceeded', /more than 65535 values/);
  });

  test('a path that an index does not have is not asked for', () => {
    const question = ask({ kind: 'nested', path: 'unknown', aggregations: {} });
    assert.deepEqual(question.aggs, {});
    assert.deepEqual(question.read({}), [undefined]);
  });
});
