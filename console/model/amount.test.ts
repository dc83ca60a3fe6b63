// Formats of amounts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, countedText, countText, durationText, spanText } from './amount.ts';

const BYTES: readonly [number, string][] = [
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_960, '1.0 MB'],
  [1_250_000_000, '1.3 GB'],
  [5e15, '5000.0 TB'],
];
for (const [bytes, text] of BYTES) {
  test(`formats ${bytes} bytes as ${text}`, () => assert.equal(bytesText(bytes), text));
}

const SPANS: readonly [number, string][] = [
  [0, '0 seconds'],
  [1, '1 second'],
  [59.9, '59 seconds'],
  [60, '1 minute'],
  [7_199, '1 hour'],
  [172_800, '2 days'],
];
for (const [seconds, text] of SPANS) {
  test(`formats ${seconds} seconds as ${text}`, () => assert.equal(spanText(seconds), text));
}

const DURATIONS: readonly [number, string][] = [
  [0, '0 seconds'],
  [90, '1 minute 30 seconds'],
  [3_600, '1 hour'],
  [5_400, '1 hour 30 minutes'],
  [129_600, '1 day 12 hours'],
];
for (const [seconds, text] of DURATIONS) {
  test(`formats a limit of ${seconds} seconds as ${text}`, () =>
    assert.equal(durationText(seconds), text));
}

const COUNTED: readonly [number, string][] = [
  [0, '0 documents'],
  [1, '1 document'],
  [12_345, '12,345 documents'],
];
for (const [count, text] of COUNTED) {
  test(`counts ${text}`, () => assert.equal(countedText(count, 'document'), text));
}

test('formats an unknown count as a dash', () => {
  assert.deepEqual([countText(null), countText(0), countText(12_345)], ['–', '0', '12,345']);
});
