import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferPool } from './buffer-pool.ts';

const MIB = 2 ** 20;

test('uses a released buffer again, once', () => {
  const pool = new BufferPool();
  const first = pool.take(MIB);
  first.release();
  first.release();
  const second = pool.take(MIB - 1);
  const third = pool.take(MIB);
  assert.equal(second.bytes, first.bytes);
  assert.notEqual(third.bytes, first.bytes);
});

test('gives each answer a buffer of its own until it is released', () => {
  const pool = new BufferPool();
  const buffers = Array.from({ length: 20 }, () => pool.take(100_000));
  assert.equal(new Set(buffers.map(({ bytes }) => bytes)).size, 20);
  for (const length of [0, 1, 5_000, 20_000, 3 * MIB, 9 * MIB]) {
    assert.ok(pool.take(length).bytes.length >= length, String(length));
  }
});

test('keeps a limited number of free bytes, and no buffer that is very large', () => {
  const pool = new BufferPool();
  const buffers = Array.from({ length: 40 }, () => pool.take(MIB));
  for (const buffer of buffers) buffer.release();
  const again = Array.from({ length: 40 }, () => pool.take(MIB).bytes);
  const reused = again.filter((bytes) => buffers.some((buffer) => buffer.bytes === bytes));
  assert.equal(reused.length, 32);
  const large = pool.take(9 * MIB);
  large.release();
  assert.notEqual(pool.take(9 * MIB).bytes, large.bytes);
});
