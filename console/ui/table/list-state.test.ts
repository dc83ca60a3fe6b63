import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressWith, changedParameters, listStateOf, nextSort } from './list-state.ts';

const stateOf = (text: string) => listStateOf(new URLSearchParams(text));

test('reads columns, order and page of an address', () => {
  assert.deepEqual(stateOf('columns=name,email&sort=-name&offset=100'), {
    columns: ['name', 'email'],
    sort: '-name',
    offset: 100,
  });
});

test('shows the first page with the defaults without, or with malformed, parameters', () => {
  const plain = { columns: null, sort: null, offset: 0 };
  for (const text of ['', 'columns=&sort=&offset=', 'offset=-1', 'offset=1.5', 'offset=x']) {
    assert.deepEqual(stateOf(text), plain, text);
  }
});

test('returns to the first page after every other change', () => {
  const before = new URLSearchParams('q=ada&offset=50&capability=A');
  const changed = (changes: Parameters<typeof changedParameters>[1]) =>
    String(changedParameters(before, changes));
  assert.equal(changed({ q: 'bob' }), 'capability=A&q=bob');
  assert.equal(changed({ q: null }), 'capability=A');
  assert.equal(changed({ capability: ['B', '', 'C'] }), 'q=ada&capability=B&capability=C');
  assert.equal(changed({ offset: '100' }), 'q=ada&capability=A&offset=100');
});

test('sorts ascending first, then descending, then ascending again', () => {
  assert.equal(nextSort(null, 'name'), 'name');
  assert.equal(nextSort('name', 'name'), '-name');
  assert.equal(nextSort('-name', 'name'), 'name');
  assert.equal(nextSort('-name', 'email'), 'email');
});

test('leaves out the question mark without parameters', () => {
  assert.equal(addressWith('/users', new URLSearchParams()), '/users');
  assert.equal(addressWith('/users', new URLSearchParams({ q: 'a b' })), '/users?q=a+b');
});
