import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ListWalks } from './list-walks.ts';

let now = 0;
let walks: ListWalks;

beforeEach(() => {
  now = 0;
  walks = new ListWalks({ now: () => now }, 2);
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
  walks.ended('a', 250, ['x']);
  walks.ended('b', 250, ['y']);
  walks.ended('a', 500, ['z']);
  walks.ended('c', 250, ['v']);
  assert.deepEqual(walks.before('a', 500), ['z']);
  assert.equal(walks.before('b', 250), null);
  assert.deepEqual(walks.before('c', 250), ['v']);
});

test('the last eight pages of a walk are remembered', () => {
  for (let page = 1; page <= 9; page++) walks.ended('a', page, [page]);
  assert.equal(walks.before('a', 1), null);
  assert.deepEqual(walks.before('a', 2), [2]);
  assert.deepEqual(walks.before('a', 9), [9]);
});
