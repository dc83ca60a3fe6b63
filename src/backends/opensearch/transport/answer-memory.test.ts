import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerMemory } from './answer-memory.ts';

const MIB = 2 ** 20;

test('uses a released buffer again, once', () => {
  const memory = new AnswerMemory();
  const first = memory.take(MIB);
  first.release();
  first.release();
  const second = memory.take(MIB - 1);
  const third = memory.take(MIB);
  assert.equal(second.bytes, first.bytes);
  assert.notEqual(third.bytes, first.bytes);
});

test('gives each answer a buffer of its own until it is released', () => {
  const memory = new AnswerMemory();
  const buffers = Array.from({ length: 20 }, () => memory.take(100_000));
  assert.equal(new Set(buffers.map(({ bytes }) => bytes)).size, 20);
  for (const length of [0, 1, 5_000, 20_000, 3 * MIB, 9 * MIB]) {
    assert.ok(memory.take(length).bytes.length >= length, String(length));
  }
});

test('keeps a limited number of free bytes, and no buffer that is very large', () => {
  const memory = new AnswerMemory();
  const buffers = Array.from({ length: 40 }, () => memory.take(MIB));
  for (const buffer of buffers) buffer.release();
  const again = Array.from({ length: 40 }, () => memory.take(MIB).bytes);
  const reused = again.filter((bytes) => buffers.some((buffer) => buffer.bytes === bytes));
  assert.equal(reused.length, 32);
  const large = memory.take(9 * MIB);
  large.release();
  assert.notEqual(memory.take(9 * MIB).bytes, large.bytes);
});
