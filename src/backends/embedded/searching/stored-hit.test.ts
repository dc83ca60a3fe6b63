import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceDocument, testMapping } from '../../../../test/support/segments.ts';
import { openSegment } from '../../../engine/index/segment-reader.ts';
import { buildSegment } from '../../../engine/index/segment-writer.ts';
import type { DocumentBlock } from '../../../engine/index/stored-fields.ts';
import { ByteCache } from '../../../engine/sections/byte-cache.ts';
import { StoredHit } from './stored-hit.ts';

test('has nested members only if they are wanted, whatever is cached', () => {
  const mapping = testMapping({ id: 'keyword', 'accounts.name': 'text' }, ['accounts']);
  const documents = [sourceDocument('a', { accounts: [{ name: 'x' }] }, ['accounts'])];
  const { index, sources } = buildSegment(mapping, documents);
  const read = (offset: number, length: number) => sources.slice(offset, offset + length);
  const sourceCache = new ByteCache<DocumentBlock>(10_000);
  const segment = openSegment('s', index, { read }, { sourceCache });
  const row = { index: 'roles', view: 0, row: 0, score: null, sort: [], elements: null } as const;
  for (const withNested of [false, true, false]) {
    const hit = new StoredHit(row, segment, withNested);
    assert.equal(hit.id, 'a');
    assert.equal(Buffer.from(hit.root).toString(), '{"id":"a"}');
    assert.equal(Buffer.from(hit.nested).toString(), withNested ? '"accounts":[{"name":"x"}]' : '');
  }
});
