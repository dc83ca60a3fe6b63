// What crosses from thread to thread comes out as it went in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CorruptSegmentError } from '../../engine/index/corrupt-segment-error.ts';
import { ServiceError } from '../../errors.ts';
import { JsonText } from '../../identity/json/json-text.ts';
import type { FoundRow } from './searching/found-page.ts';
import type { OpenTarget } from './searching/open-target.ts';
import { packFault, unpackFault } from './searching/packed-fault.ts';
import { packFinding, unpackFinding } from './searching/packed-finding.ts';
import type { Finding } from './searching/question.ts';

const TARGETS = ['identities', 'roles'].map((index) => ({ index }) as OpenTarget);
const value = fc.oneof(fc.constant(null), fc.string(), fc.double({ noNaN: true }));

function rowOf(keys: number, elements: boolean): fc.Arbitrary<FoundRow> {
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

const sent = (finding: Finding): Finding =>
  unpackFinding(structuredClone(packFinding(finding, TARGETS)), TARGETS);

test('pages, of documents and of elements, with any number of sort keys', () => {
  const pages = fc
    .tuple(fc.nat(3), fc.boolean())
    .chain(([keys, elements]) => fc.array(rowOf(keys, elements), { maxLength: 20 }));
  fc.assert(
    fc.property(pages, fc.option(fc.nat()), (rows, total) => {
      const finding: Finding = { kind: 'search', page: { rows, total } };
      assert.deepEqual(sent(finding), finding);
    }),
  );
});

test('aggregations, counts, values and explanations', () => {
  const aggregations = JsonText.of({ names: { buckets: [{ key: 'é', doc_count: 1 }] } });
  for (const finding of [
    { kind: 'search', page: { rows: [], total: null, aggregations } },
    { kind: 'count', answer: 3 },
    { kind: 'typeahead', answer: { values: [{ value: 'a', count: 1 }], total: 1 } },
    { kind: 'explain', answer: null },
  ] as const) {
    assert.deepEqual(sent(finding), finding);
  }
});

test('faults: named ones with all that they tell, damage with its segment, defects with their stack', () => {
  const crossed = (error: unknown) => unpackFault(structuredClone(packFault(error)));
  const details = { causes: ['why'], offset: 3, retryAfterSeconds: 5 };
  const fault = crossed(new ServiceError('limit_exceeded', 'Too much', details));
  assert.ok(fault instanceof ServiceError);
  assert.deepEqual(
    [fault.code, fault.message, fault.details],
    ['limit_exceeded', 'Too much', details],
  );
  const damage = new CorruptSegmentError('s7', 'checksum of a source');
  const found = crossed(damage);
  assert.ok(found instanceof CorruptSegmentError);
  assert.deepEqual([found.segment, found.message], ['s7', damage.message]);
  const defect = new TypeError('no such thing');
  assert.equal(crossed(defect).stack, defect.stack);
  assert.equal(crossed('text').message, 'text');
});
