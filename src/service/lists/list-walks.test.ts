import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ListWalks } from './list-walks.ts';

let now = 0;
let walks: ListWalks;

beforeEach(() => {
  now = 0;
  walks = new ListWalks({ now: () => now }, undefined, { kept: 2 });
});

test('a page continues after the one that ended at its offset', () => {
  walks.ended('a', 250, ['x', 1]);
  walks.ended('a', 500, ['y', 2]);
  assert.deepEqual(walks.before('a', 250), ['x', 1]);
  assert.deepEqual(walks.before('a', 500), ['y', 2]);
  assert.equal(walks.before('a', 499), null);
  assert.equal(walks.before('b', 250), null);
});

test('the first page begins a new walk', () => {
  walks.ended('a', 250, ['x']);
  assert.equal(walks.before('a', 0), null);
  assert.equal(walks.before('a', 250), null);
});

test('a walk without a page for a minute is forgotten, and its ends with it', () => {
  walks.ended('a', 250, ['x']);
  now = 60_000;
  assert.deepEqual(walks.before('a', 250), ['x']);
  now = 60_001;
  assert.equal(walks.before('a', 250), null);
  walks.ended('a', 500, ['y']);
  assert.equal(walks.before('a', 250), null);
  assert.deepEqual(walks.before('a', 500), ['y']);
});

test('the least recent of too many walks is forgotten', () => {
  for (const key of ['a', 'b', 'c', 'a', 'd', 'e']) walks.ended(key, 250, [key]);
  assert.equal(walks.before('b', 250), null);
  for (const key of ['a', 'd', 'e']) assert.deepEqual(walks.before(key, 250), [key]);
});

test('the last eight pages of a walk are remembered', () => {
  for (let page = 1; page <= 17; page++) walks.ended('a', page, [page]);
  assert.equal(walks.before('a', 8), null);
  for (let page = 10; page <= 17; page++) assert.deepEqual(walks.before('a', page), [page]);
});

test('a walk that begins in another thread ends those of this one', () => {
  const counts = new Map<string, number>();
  const begins = {
    add: (key: string) => ({ count: counts.set(key, (counts.get(key) ?? 0) + 1).get(key) ?? 0 }),
    read: (key: string) => ({ count: counts.get(key) ?? 0 }),
  };
  const [here, there] = [0, 1].map(() => new ListWalks({ now: () => now }, begins));
  assert.ok(here !== undefined && there !== undefined);
  here.before('a', 0);
  here.ended('a', 250, ['x']);
  assert.deepEqual(here.before('a', 250), ['x']);
  there.before('a', 0);
  assert.equal(here.before('a', 250), null);
  here.ended('a', 250, ['y']);
  assert.deepEqual(here.before('a', 250), ['y']);
});
