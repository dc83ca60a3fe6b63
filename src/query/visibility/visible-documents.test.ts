// The documents that views show, as a query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testMapping } from '../../../test/support/segments.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { VisibleDocuments } from './visible-documents.ts';

const mapping = testMapping({ name: 'text', created: 'date' });
const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);

/** Of views of two kinds: their texts, how far apart they are asked, and whether the answers differ. */
const CASES: readonly (readonly [text: string, laterMs: number, differs: boolean])[] = [
  ['name:ada', 10 * DAY_MS, false],
  ['created:[2026-01-01 TO *]', 10 * DAY_MS, false],
  ['created:[now-7d TO *]', 1, true],
  ['created:[n\\ow-7d TO *]', 1, true],
  ['created:[now-7d/d TO *]', 1, false],
  ['created:[now-7d/d TO *]', DAY_MS, true],
  ['name:now', 10 * DAY_MS, false],
];

for (const [text, laterMs, differs] of CASES) {
  test(`${text} means ${differs ? 'something else' : 'the same'} ${laterMs} ms later`, () => {
    const documents = new VisibleDocuments(DEFAULT_LIMITS);
    const first = documents.of([text], mapping, NOON);
    const later = documents.of([text], mapping, NOON + laterMs);
    assert.equal(JSON.stringify(later) !== JSON.stringify(first), differs);
    const fresh = new VisibleDocuments(DEFAULT_LIMITS).of([text], mapping, NOON + laterMs);
    assert.deepEqual(later, fresh);
  });
}

test('the same text has another meaning in another mapping', () => {
  const documents = new VisibleDocuments(DEFAULT_LIMITS);
  const asText = documents.of(['name:5'], mapping, NOON);
  const asNumber = documents.of(['name:5'], testMapping({ name: 'long' }), NOON);
  assert.notDeepEqual(asNumber, asText);
});

const NOTHING: readonly (readonly [title: string, queries: readonly (string | undefined)[]])[] = [
  ['a view that does not name the index', [undefined]],
  ['one of several views that does not name it', ['name:ada', undefined]],
  ['a query that cannot be planned any more', ['name:[']],
];

for (const [title, queries] of NOTHING) {
  test(`${title} shows nothing`, () => {
    const visible = new VisibleDocuments(DEFAULT_LIMITS).of(queries, mapping, NOON);
    assert.deepEqual(visible, { kind: 'matchNone' });
  });
}

test('* shows everything, and several views what all of them show', () => {
  const documents = new VisibleDocuments(DEFAULT_LIMITS);
  assert.deepEqual(documents.of([' * '], mapping, NOON), { kind: 'matchAll' });
  const both = documents.of(['*', 'name:ada', 'name:bob'], mapping, NOON);
  assert.deepEqual(both.kind === 'bool' && both.filter.length, 2);
});
