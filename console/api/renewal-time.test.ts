import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewalWait, retryWait } from './renewal-time.ts';

for (const [name, leftMs, wait] of [
  ['an hour', 3_600_000, 3_480_000],
  ['ten minutes', 600_000, 480_000],
  ['ten seconds', 10_000, 8_000],
] as const) {
  test(`renews a token of ${name} in time`, () => assert.equal(renewalWait(leftMs), wait));
}

for (const [failures, leftMs, wait] of [
  [0, 120_000, 5_000],
  [1, 115_000, 10_000],
  [2, 400_000, 20_000],
  [9, 400_000, 60_000],
  [3, 40_000, 10_000],
  [0, 2_000, 500],
  [0, 100, 500],
] as const) {
  test(`waits ${wait} ms after ${failures} failures if ${leftMs} ms are left`, () => {
    assert.equal(retryWait(failures, leftMs), wait);
  });
}
