import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { AddressLimit } from './address-limit.ts';
import { localRateLimit } from './rate-limit.ts';

test('refusals of an address are counted together, and other faults are not', async () => {
  const clock = { now: () => 5_000 };
  const limit = new AddressLimit(localRateLimit({ requests: 2, windowSeconds: 10 }, clock));
  const codeOf = async (error: unknown, address: string) =>
    ((await limit.judge(error, address)) as ServiceError).code;
  const missing = new ServiceError('token_missing', 'No token.');
  const away = new ServiceError('unavailable', 'Later.');
  for (let n = 0; n < 5; n++) assert.equal(await codeOf(away, '192.0.2.7'), 'unavailable');
  assert.equal(await codeOf(missing, '192.0.2.7'), 'token_missing');
  const client = new ServiceError('oauth_invalid_client', 'No.');
  assert.equal(await codeOf(client, '::ffff:192.0.2.7'), 'oauth_invalid_client');
  const refused = await limit.judge(missing, '192.0.2.7');
  assert.ok(refused instanceof ServiceError && refused.code === 'rate_limited');
  assert.equal(refused.details.retryAfterSeconds, 5);
  assert.equal(await codeOf(missing, '192.0.2.8'), 'token_missing');
});
