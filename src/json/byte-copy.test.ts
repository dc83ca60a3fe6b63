import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyBytes } from './byte-copy.ts';

test('copies bytes between ordinary and shared memory', () => {
  const ordinary = () => Buffer.alloc(12, '.');
  const shared = () => Buffer.from(new SharedArrayBuffer(12)).fill('.');
  for (const [source, target] of [
    [ordinary(), ordinary()],
    [ordinary(), shared()],
    [shared(), ordinary()],
    [shared(), shared()],
  ] as const) {
    source.write('\0\xff{}', 3, 'latin1');
    copyBytes(target, source.subarray(3, 7), 5);
    assert.equal(target.toString('latin1'), '.....\0\xff{}...');
    copyBytes(target, source.subarray(3, 3), 0);
    copyBytes(target, new Uint8Array([0x41]), 11);
    assert.equal(target.toString('latin1'), '.....\0\xff{}..A');
  }
});

test('copies no further than the target', () => {
  assert.throws(() => copyBytes(Buffer.alloc(3), Buffer.from('abcd'), 1), RangeError);
});
