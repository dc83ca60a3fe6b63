import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { AddressLimit } from './address-limit.ts';
import { localRateLimit } from './rate-limit.ts';

test('counts all authentication failures of an address together, and no other errors', async () => {
  const clock = { now: () => 5_000 };
  const limit = new AddressLimit(localRateLimit({ requests: 2, windowSeconds: 10 }, clock));
  const codeOf = async (error: unknown, address: string) =>
    ((await limit.judge(error, address)) as ServiceError).code;
  const tokenMissing = new ServiceError('token_missing', 'No token.');
  const unavailable = new ServiceError('unavailable', 'Later.');
  for (let n = 0; n < 5; n++) {
    assert.equal(await codeOf(unavailable, '192.0.2.7'), 'unavailable');
  }
  assert.equal(await codeOf(tokenMissing, '192.0.2.7'), 'token_missing');
  const clientInvalid = new ServiceError('oauth_invalid_client', 'No.');
  assert.equal(await codeOf(clientInvalid, '::ffff:192.0.2.7'), 'oauth_invalid_client');
  const fault = await limit.judge(tokenMissing, '192.0.2.7');
  assert.ok(fault instanceof ServiceError && fault.code === 'rate_limited');
  assert.equal(fault.details.retryAfterSeconds, 5);
  assert.equal(await codeOf(tokenMissing, '192.0.2.8'), 'token_missing');
});
