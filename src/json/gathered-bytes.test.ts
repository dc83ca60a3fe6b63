import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatheredBytes } from './gathered-bytes.ts';

describe('gathered bytes', () => {
  test('concatenate the chunks, and are empty once taken', () => {
    const bytes = new GatheredBytes();
    const whole = Uint8Array.from({ length: 5_000 }, (_, index) => index % 251);
    let at = 0;
    for (const size of [1, 0, 1, 2_000, 7, 1_500, 1_491]) {
      bytes.push(whole.subarray(at, at + size));
      at += size;
    }
    assert.equal(bytes.length, 5_000);
    assert.deepEqual(bytes.take(), whole);
    assert.equal(bytes.length, 0);
    assert.deepEqual(bytes.take(), new Uint8Array(0));
  });

  test('do not modify the chunks, and are not modified by later ones', () => {
    const bytes = new GatheredBytes();
    const source = Uint8Array.of(1, 2, 3, 4);
    bytes.push(source.subarray(0, 1));
    bytes.push(Uint8Array.of(9));
    const taken = bytes.take();
    bytes.push(Uint8Array.of(7));
    bytes.push(Uint8Array.of(8));
    assert.deepEqual([...source], [1, 2, 3, 4]);
    assert.deepEqual([...taken], [1, 9]);
  });

  test('hold at most twice the gathered bytes, however small the chunks', () => {
    const bytes = new GatheredBytes();
    for (let i = 0; i < 100_000; i++) bytes.push(Uint8Array.of(i % 251));
    const { buffer, length } = bytes.take();
    assert.equal(length, 100_000);
    assert.ok(buffer.byteLength <= 200_000, `${buffer.byteLength} bytes`);
  });
});
