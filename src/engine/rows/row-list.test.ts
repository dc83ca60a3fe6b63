import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { runSteps } from '../../query/steps.ts';
import { QueryCache } from '../index/query-cache.ts';
import { liveView } from '../sections/live-docs.ts';
import { fieldTerms } from '../terms/field-terms.ts';
import { newBitSet, setBit } from './bit-set.ts';
import { isFew, sortedOnce } from './row-list.ts';

test('a list is sorted and has each row once', () => {
  assert.deepEqual([...sortedOnce(Int32Array.of(7, 3, 7, 0, 3, 9))], [0, 3, 7, 9]);
  assert.deepEqual([...sortedOnce(new Int32Array(0))], []);
});

test('rows are few if their list takes less memory than a set', () => {
  for (const [count, rowCount, few] of [
    [0, 0, true],
    [1, 63, false],
    [1, 64, true],
    [100, 6_400, true],
    [101, 6_400, false],
  ] as const) {
    assert.equal(isFew(count, rowCount), few, `${count} of ${rowCount}`);
  }
});

test('a field lists the rows of its terms if they are few, also of several spellings', () => {
  const documents = Array.from({ length: 1_000 }, (_, row) => {
    const code = row % 500 === 7 ? ['Seven', 'seven', 'seventh'] : [`c${row % 3}`];
    return sourceDocument(`d${String(row).padStart(4, '0')}`, { code }, []);
  });
  const view = liveView(testSegment(testMapping({ code: 'keyword' }), documents));
  const field = fieldTerms(view, { path: null, cache: new QueryCache() }, 'code', 'folded');
  assert.ok(field);
  const rowsOf = (...terms: string[]) => {
    const only = newBitSet(field.terms.size);
    for (const term of terms) setBit(only, field.terms.find(term));
    const ordinals = { from: 0, to: field.terms.size, only, count: terms.length };
    return runSteps(field.fewRows(ordinals));
  };
  assert.deepEqual([...(rowsOf('seven') ?? [])], [7, 507]);
  assert.deepEqual([...(rowsOf('seven', 'seventh') ?? [])], [7, 507]);
  assert.equal(rowsOf('c0', 'seven'), null);
  const all = { from: 0, to: 4, only: null, count: 64 };
  assert.equal(runSteps(field.fewRows(all)), null, 'more terms than few rows have');
});
