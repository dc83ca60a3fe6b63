import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEGMENT_CODEC } from './segment-codec.ts';

const { compress, decompress } = SEGMENT_CODEC.compression;
const TEXT = new TextEncoder().encode(
  '{"name":"Ada","names":["Ada","Ada Lovelace"]}'.repeat(1_000),
);

test('a block of documents is restored, and shrinks', () => {
  const block = compress(TEXT, null);
  assert.ok(block.length < TEXT.length / 10);
  assert.deepEqual(new Uint8Array(decompress(block, TEXT.length, null)), TEXT);
});

test('a block in the middle of other memory is restored', () => {
  const block = compress(TEXT.subarray(7, 5_007), null);
  const memory = new Uint8Array(new SharedArrayBuffer(block.length + 20));
  memory.set(block, 9);
  const restored = decompress(memory.subarray(9, 9 + block.length), 5_000, null);
  assert.deepEqual(new Uint8Array(restored), TEXT.slice(7, 5_007));
});

test('a short block shrinks by a dictionary that is like it, and is restored with it alone', () => {
  const document = new TextEncoder().encode('{"name":"Ada Lovelace","city":"London"}');
  const dictionary = new TextEncoder().encode('{"name":"Ada King","city":"London"}');
  const block = compress(document, dictionary);
  assert.ok(block.length < compress(document, null).length);
  assert.deepEqual(new Uint8Array(decompress(block, document.length, dictionary)), document);
  assert.throws(() => decompress(block, document.length, null));
});

for (const [damage, damaged] of [
  ['a length of four gigabytes', (block: Uint8Array) => block.fill(0xff, 0, 4)],
  ['half of a block', (block: Uint8Array) => block.subarray(0, block.length / 2)],
  ['no bytes', (block: Uint8Array) => block.subarray(0, 0)],
  ['other bytes', (block: Uint8Array) => block.fill(0xa5, 4)],
] as const) {
  test(`${damage} is refused`, () => {
    const block = Uint8Array.from(compress(TEXT, null));
    assert.throws(() => decompress(damaged(block), TEXT.length, null));
  });
}
