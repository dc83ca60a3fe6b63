import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackingIds } from './tracking-id.ts';

test('ids are 32 hexadecimal digits and differ, also beyond the bytes drawn at once', () => {
  const ids = new TrackingIds();
  const drawn = Array.from({ length: 1_000 }, () => ids.next());
  for (const id of drawn) assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(new Set(drawn).size, drawn.length);
});
