import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeastRate } from './least-rate.ts';

function watchedTransfer() {
  const clock = { ms: 0, now: () => clock.ms };
  const rate = new LeastRate({ bytesPerSecond: 100, graceMs: 1_000 }, clock);
  let slow = 0;
  const transfer = rate.watch(() => slow++);
  const after = (ms: number) => {
    clock.ms += ms;
    rate.check();
    return slow;
  };
  return { transfer, after };
}

test('reports a body that stalls for the grace time once', () => {
  const { after } = watchedTransfer();
  assert.equal(after(999), 0);
  assert.equal(after(1), 1);
  assert.equal(after(5_000), 1);
});

test('a body at the least rate is not too slow, however long it takes', () => {
  const { transfer, after } = watchedTransfer();
  for (let second = 0; second < 60; second++) {
    transfer.received(100);
    assert.equal(after(1_000), 0);
  }
});

test('bytes of an earlier period do not excuse a stall', () => {
  const { transfer, after } = watchedTransfer();
  transfer.received(1_000_000);
  assert.equal(after(1_000), 0);
  assert.equal(after(1_000), 1);
});

test('does not count time in which the body is not read', () => {
  const { transfer, after } = watchedTransfer();
  transfer.pause();
  assert.equal(after(60_000), 0);
  transfer.resume();
  assert.equal(after(999), 0);
  assert.equal(after(1), 1);
});

test('stops watching a body that has ended', () => {
  const { transfer, after } = watchedTransfer();
  transfer.end();
  assert.equal(after(60_000), 0);
});
