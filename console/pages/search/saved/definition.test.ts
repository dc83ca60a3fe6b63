import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SavedSearch, SavedSearchDefinition } from '../../../api/saved-search.ts';
import { KINDS } from '../../../model/kinds.ts';
import { searchBody } from '../../../model/search-body.ts';
import { columnsOf, defaultSearch, type SearchState, sortOf } from '../../../model/search-state.ts';
import { changedDetails, definitionOf, isChanged, stateOf } from './definition.ts';

const TEXTS = { name: 'Test', description: null, shared: false };
const DEFINITION: SavedSearchDefinition = {
  ...TEXTS,
  ...{ indices: ['identities'], query: '*', columns: {} },
  ...{ fields: null, sort: null, orderBy: null, filters: null },
};
const stored = (definition: SavedSearchDefinition): SavedSearch => ({
  ...definition,
  ...{ id: 's1', owner: { type: 'IDENTITY', id: 'me' } },
  ...{ created: '2026-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z' },
});

const state: fc.Arbitrary<SearchState> = fc
  .record({
    index: fc.constantFrom(...KINDS.map((kind) => kind.index)),
    query: fc.constantFrom('', 'ada', 'name:x'),
    facetFilters: fc.constantFrom({}, { 'source.name': ['HR', 'AD'] }),
    excluded: fc.constantFrom({}, { status: ['FAILED'] }),
    span: fc.constantFrom(null, { from: 'now-7d/d', to: 'now' }),
    moreFilters: fc.constantFrom({}, { email: { type: 'EXISTS' } }),
    wordFields: fc.constantFrom(null, ['name']),
    sort: fc.constantFrom(null, '', '-name', 'status,name'),
    columns: fc.constantFrom(null, ['name', 'id']),
  })
  .map((one) => ({ ...defaultSearch(one.index), ...one }));

test('gives the same search again, unless its order is by relevance without any words', () => {
  fc.assert(
    fc.property(state, (shown) => {
      const timed = KINDS.find(({ index }) => index === shown.index)?.timeline ?? null;
      const sound = timed === null ? { ...shown, span: null } : shown;
      fc.pre(sound.sort !== '' || sortOf({ ...sound, sort: null }) === '');
      const saved = stored(definitionOf(sound, TEXTS, null));
      const opened = stateOf(saved);
      assert.deepEqual(searchBody(opened), searchBody(sound));
      assert.deepEqual(columnsOf(opened), columnsOf(sound));
      assert.equal(opened.saved, 's1');
      assert.equal(isChanged(sound, saved), false);
    }),
  );
});

test('tells which details were changed', () => {
  const cases: readonly Partial<typeof TEXTS>[] = [{}, { name: 'Other' }, { shared: true }];
  for (const changed of cases) {
    assert.deepEqual(changedDetails(TEXTS, { ...TEXTS, ...changed }), changed);
  }
  assert.deepEqual(changedDetails({ ...TEXTS, description: 'x' }, TEXTS), { description: null });
});

test('notices a change of query, filters, order and columns', () => {
  const saved = stored(definitionOf(defaultSearch('identities'), TEXTS, null));
  const opened = stateOf(saved);
  const changes: readonly Partial<SearchState>[] = [
    { query: 'ada' },
    { facetFilters: { status: ['ACTIVE'] } },
    { sort: '-displayName' },
    { columns: ['name'] },
  ];
  for (const change of changes) assert.ok(isChanged({ ...opened, ...change }, saved));
});

test('ignores remembered columns for a search that was saved without columns', () => {
  const saved = stored(DEFINITION);
  assert.equal(isChanged({ ...stateOf(saved), columns: ['email'] }, saved), false);
});

test('keeps what the page does not show when a search is updated', () => {
  const previous: SavedSearchDefinition = {
    ...DEFINITION,
    indices: ['identities', 'roles'],
    columns: { identity: [{ field: 'name', header: 'Login' }], role: [{ field: 'name' }] },
    orderBy: { role: ['-name'] },
  };
  const shown = { ...stateOf(stored(previous)), columns: ['name', 'email'], sort: 'email' };
  const { indices, columns, orderBy } = definitionOf(shown, TEXTS, previous);
  assert.deepEqual(indices, ['identities', 'roles']);
  assert.deepEqual(columns['identity'], [{ field: 'name', header: 'Login' }, { field: 'email' }]);
  assert.deepEqual(columns['role'], [{ field: 'name' }]);
  assert.deepEqual(orderBy, { role: ['-name'], identity: ['email'] });
});

test('keeps every index, and the order of the other types, when a search is updated', () => {
  for (const indices of [['*'], ['identities', 'roles']]) {
    const previous: SavedSearchDefinition = { ...DEFINITION, indices, sort: ['-created'] };
    const changed = { ...stateOf(stored(previous)), query: 'ada', sort: '-displayName' };
    const updated = definitionOf(changed, TEXTS, previous);
    assert.deepEqual(updated.indices, indices);
    assert.deepEqual(updated.sort, ['-created']);
    assert.deepEqual(updated.orderBy, { identity: ['-displayName'] });
  }
});

test('keeps the columns of documents when the rows are elements', () => {
  const previous = { ...DEFINITION, columns: { identity: [{ field: 'email' }] } };
  const rows = { path: 'accounts', elements: 'matching' } as const;
  const shown = { ...defaultSearch('identities'), rows, columns: ['accounts.name'] };
  assert.deepEqual(definitionOf(shown, TEXTS, previous).columns['identity'], [{ field: 'email' }]);
  assert.equal(isChanged(shown, stored(previous)), false);
});

test('keeps filters that are no facet values, and reads those that are', () => {
  const filters = {
    a: { terms: ['x'] },
    b: { type: 'TERMS', terms: ['y'], exclude: true },
    c: { type: 'TERMS', terms: [1] },
    created: { type: 'RANGE', range: { lower: { value: 'now-1y', inclusive: true } } },
  };
  const opened = stateOf(stored({ ...DEFINITION, indices: ['events'], filters }));
  assert.deepEqual(opened.facetFilters, { a: ['x'] });
  assert.deepEqual(opened.excluded, { b: ['y'] });
  assert.deepEqual(Object.keys(opened.moreFilters), ['c', 'created']);
  assert.equal(opened.span, null);
});
