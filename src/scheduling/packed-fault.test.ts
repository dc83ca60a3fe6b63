// Errors that are passed between threads are unpacked as they were packed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { packFault, unpackFault } from './packed-fault.ts';

test('packs service errors with details, and defects with their stack', () => {
  const roundTripError = (error: unknown) => unpackFault(structuredClone(packFault(error)));
  const details = { causes: ['why'], offset: 3, retryAfterSeconds: 5 };
  const fault = roundTripError(new ServiceError('limit_exceeded', 'Too much', details));
  assert.ok(fault instanceof ServiceError);
  assert.deepEqual(
    [fault.code, fault.message, fault.details],
    ['limit_exceeded', 'Too much', details],
  );
  const defect = new TypeError('no such thing');
  assert.equal(roundTripError(defect).stack, defect.stack);
  assert.equal(roundTripError('text').message, 'text');
});
