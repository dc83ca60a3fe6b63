// Errors that are passed between threads are unpacked as they were packed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CorruptSegmentError } from '../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../errors.ts';
import { packFault, unpackFault } from './searching/packed-fault.ts';

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
