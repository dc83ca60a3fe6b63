// A page at any offset equals that part of the whole list, over segments of different sizes with ties and deleted
// documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drive, searchSegments } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Query, SortKey } from '../../query/query.ts';
import { QueryCache } from '../index/query-cache.ts';
import { liveView, withDeleted } from '../sections/live-docs.ts';
import { orderedElements } from './element-order.ts';

const NESTED = ['accounts'];
const MAPPING = testMapping(
  { id: 'keyword', name: 'text', count: 'long', 'accounts.name': 'text' },
  NESTED,
);
const NAMES = ['Ada', 'ada', 'Bob', 'bob', 'BOB', 'cleo', ''];

const random = (() => {
  let state = 7;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
})();
const name = () => NAMES[random(NAMES.length)] || undefined;
/** One name, several or none. */
const names = () => Array.from({ length: random(3) }, name).filter((one) => one !== undefined);

const views = [1, 40, 3, 90, 17, 2, 60].map((size, segment) => {
  const documents = Array.from({ length: size }, (_, at) => {
    const id = `d${random(1000)}-${segment}-${at}`;
    const accounts = Array.from({ length: random(4) }, () => ({ name: name() }));
    return { id, document: { name: names(), count: random(5), accounts } };
  }).sort((a, b) => (a.id < b.id ? -1 : 1));
  const built = testSegment(
    MAPPING,
    documents.map(({ id, document }) => sourceDocument(id, document, NESTED)),
  );
  const deleted = Array.from({ length: size }, (_, row) => row).filter(() => random(9) === 0);
  return withDeleted(liveView(built), segment % 2 === 0 ? [] : deleted);
});
const ALL: Query = { kind: 'matchAll' };

const byName: SortKey = { field: 'name', order: 'asc', type: 'string' };
const folded: SortKey = { ...byName, form: 'folded' };
const byCount: SortKey = { field: 'count', order: 'desc', type: 'number' };
const ORDERS: readonly (readonly [name: string, keys: readonly SortKey[]])[] = [
  ['a number', [byCount]],
  ['text without case, then with case', [folded, byName]],
  ['text in either direction', [byName, { ...byName, order: 'desc' }]],
  ['text without case in either direction', [folded, { ...folded, order: 'desc' }]],
  ['a number, then text in reverse', [byCount, { ...byName, order: 'desc' }]],
];
const QUERIES: readonly (readonly [name: string, query: Query])[] = [
  ['all documents', ALL],
  ['most documents', { kind: 'term', field: 'name', form: 'folded', value: 'bob' }],
];

for (const [order, sort] of ORDERS) {
  for (const [queryName, query] of QUERIES) {
    test(`a page of ${queryName} by ${order} is that part of the whole list, at every offset`, () => {
      const page = (from: number, size: number) =>
        searchSegments(MAPPING, views, query, { sort, from, size });
      const whole = page(0, 1_000);
      assert.equal(whole.docs.length, whole.total);
      assert.ok(whole.docs.length > 40, `${whole.docs.length} hits`);
      for (let from = 0; from < whole.docs.length + 3; from++) {
        const { docs, total } = page(from, 4);
        assert.deepEqual(docs, whole.docs.slice(from, from + 4), `from ${from}`);
        assert.equal(total, whole.total);
      }
    });
  }
}

const INNER: readonly (readonly [name: string, query: Query])[] = [
  ['all elements', ALL],
  ['some elements', { kind: 'term', field: 'accounts.name', form: 'folded', value: 'ada' }],
];
for (const [queryName, query] of INNER) {
  test(`a page of ${queryName} is that part of the whole list, at every offset`, () => {
    const snapshot = { views, cache: new QueryCache() };
    const innerHit = { path: 'accounts', query };
    const target = {
      index: 'identities',
      query: ALL,
      innerHit,
      mapping: MAPPING,
      snapshot,
    } as const;
    const byAccount = { ...byName, field: 'accounts.name' };
    const sort: SortKey[] = [{ ...byAccount, form: 'folded' }, byAccount, byCount];
    const page = (from: number, size: number) =>
      drive(orderedElements(target, { sort, from, size, trackTotal: true })).value;
    const { hits: whole, total } = page(0, 1_000);
    assert.equal(whole.length, total);
    assert.ok(whole.length > 40, `${whole.length} hits`);
    for (let from = 0; from < whole.length + 3; from++) {
      assert.deepEqual(page(from, 4).hits, whole.slice(from, from + 4), `from ${from}`);
    }
  });
}
