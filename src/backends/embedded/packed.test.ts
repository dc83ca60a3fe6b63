// Results and errors that are passed between threads are unpacked as they were packed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HitRow } from '../../engine/hits/hit-merge.ts';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../json/json-text.ts';
import type { OpenTarget } from './searching/open-target.ts';
import { packFault, unpackFault } from './searching/packed-fault.ts';
import { packResult, unpackResult } from './searching/packed-result.ts';
import type { QueryPhaseResult } from './searching/query-request.ts';

const TARGETS = ['identities', 'roles'].map((index) => ({ index }) as OpenTarget);
const value = fc.oneof(fc.constant(null), fc.string(), fc.double({ noNaN: true }));

function rowOf(keys: number, elements: boolean): fc.Arbitrary<HitRow> {
  const sort = fc.array(value, { minLength: keys, maxLength: keys });
  return fc.record(
    {
      index: fc.constantFrom('identities' as const, 'roles' as const),
      view: fc.nat(20),
      row: fc.nat(),
      score: fc.option(fc.double({ noNaN: true })),
      sort,
      elements: elements ? fc.array(fc.nat(50), { minLength: 1 }) : fc.constant(null),
    },
    { noNullPrototype: true },
  );
}

const roundTrip = (result: QueryPhaseResult): QueryPhaseResult =>
  unpackResult(structuredClone(packResult(result, TARGETS)), TARGETS);

test('packs pages of documents and of elements with any number of sort keys', () => {
  const pages = fc
    .tuple(fc.nat(3), fc.boolean())
    .chain(([keys, elements]) => fc.array(rowOf(keys, elements), { maxLength: 20 }));
  fc.assert(
    fc.property(pages, fc.option(fc.nat()), (rows, total) => {
      const result: QueryPhaseResult = { kind: 'search', page: { rows, total } };
      assert.deepEqual(roundTrip(result), result);
    }),
  );
});

test('packs aggregations, counts, values and explanations', () => {
  const aggregations = JsonText.of({ names: { buckets: [{ key: 'é', doc_count: 1 }] } });
  for (const result of [
    { kind: 'search', page: { rows: [], total: null, aggregations } },
    { kind: 'count', result: 3 },
    { kind: 'typeahead', result: { values: [{ value: 'a', count: 1 }], total: 1 } },
    { kind: 'explain', result: null },
  ] as const) {
    assert.deepEqual(roundTrip(result), result);
  }
});

test('packs service errors with details, damage with its segment, and defects with their stack', () => {
  const roundTripError = (error: unknown) => unpackFault(structuredClone(packFault(error)));
  const details = { causes: ['why'], offset: 3, retryAfterSeconds: 5 };
  const fault = roundTripError(new ServiceError('limit_exceeded', 'Too much', details));
  assert.ok(fault instanceof ServiceError);
  assert.deepEqual(
    [fault.code, fault.message, fault.details],
    ['limit_exceeded', 'Too much', details],
  );
  const damage = new CorruptSegmentError('s7', 'checksum of a source');
  const unpacked = roundTripError(damage);
  assert.ok(unpacked instanceof CorruptSegmentError);
  assert.deepEqual([unpacked.segment, unpacked.message], ['s7', damage.message]);
  const defect = new TypeError('no such thing');
  assert.equal(roundTripError(defect).stack, defect.stack);
  assert.equal(roundTripError('text').message, 'text');
});
