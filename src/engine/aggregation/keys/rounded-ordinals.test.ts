import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceDocument, testMapping, testSegment } from '../../../../test/support/segments.ts';
import { QueryCache } from '../../index/query-cache.ts';
import { roundedOrdinals } from './rounded-ordinals.ts';

const MAPPING = testMapping({ id: 'keyword', n: 'long' });

test('each row has the bucket of its value, and ordinals of one rounding are not used for another', () => {
  const values = [5, -3, null, 17, 5, 0];
  const documents = values.map((n, at) => sourceDocument(`d${at}`, n === null ? {} : { n }));
  const index = testSegment(MAPPING, documents).root.numbers('n', 'value');
  assert.ok(index);
  const cache = new QueryCache();
  for (const width of [10, 4, 10, 1, 2, 3, 5, 10]) {
    const rounding = {
      key: String(width),
      round: (value: number) => Math.floor(value / width) * width,
    };
    const steps = roundedOrdinals(index, rounding, cache);
    let step = steps.next();
    while (!step.done) step = steps.next();
    assert.ok(step.value);
    const { ords, keys, counts } = step.value;
    const rounded = Array.from(ords, (ord) => (ord < 0 ? null : keys[ord]));
    const expected = values.map((value) =>
      value === null ? null : Math.floor(value / width) * width,
    );
    assert.deepEqual(rounded, expected);
    assert.deepEqual(
      counts,
      keys.map((key) => expected.filter((one) => one === key).length),
    );
  }
});
