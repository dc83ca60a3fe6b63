import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KINDS } from './kinds.ts';
import {
  columnsOf,
  defaultSearch,
  moreFiltersOf,
  printSearch,
  readSearch,
  type SearchState,
  sortOf,
  toggleExcludedValue,
  toggleFacetValue,
} from './search-state.ts';

function roundTrip(state: SearchState): SearchState {
  const [path = '', query] = printSearch(state).split(/\?(.*)/s);
  return readSearch(path.replace('/search/', ''), new URLSearchParams(query ?? ''));
}

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const values = fc
  .uniqueArray(fc.tuple(text, fc.uniqueArray(text, { minLength: 1, maxLength: 3 })), {
    maxLength: 3,
    selector: ([field]) => field,
  })
  .map((pairs) => Object.fromEntries(pairs.filter(([field]) => field !== '__proto__')));
const state: fc.Arbitrary<SearchState> = fc.record({
  index: fc.constantFrom(...KINDS.map((kind) => kind.index)),
  query: fc.oneof(fc.constant(''), text),
  facetFilters: values,
  excluded: values,
  span: fc.constantFrom(
    null,
    { from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z' },
    { from: 'now-7d/d', to: 'now' },
  ),
  moreFilters: fc.constantFrom({}, { email: { type: 'EXISTS', exclude: true } }),
  wordFields: fc.constantFrom(null, ['name', 'attributes.city']),
  sort: fc.constantFrom(null, '', 'name', '-created', 'attributes.city,-name'),
  columns: fc.oneof(fc.constant(null), fc.uniqueArray(text, { minLength: 1, maxLength: 4 })),
  rows: fc.constant(null),
  saved: fc.constantFrom(null, '0a1b'),
});

test('reads back the state that it prints', () => {
  fc.assert(
    fc.property(state, (shown) => {
      const fields = Object.keys(shown.facetFilters);
      const excluded = Object.entries(shown.excluded).filter(([field]) => !fields.includes(field));
      const sound = { ...shown, excluded: Object.fromEntries(excluded) };
      // A facet value replaces another filter on its field.
      const moreFilters = moreFiltersOf(sound);
      assert.deepEqual(roundTrip(sound), { ...sound, moreFilters });
    }),
  );
});

test('uses defaults for missing and malformed parts of an address', () => {
  const read = readSearch(
    'nowhere',
    new URLSearchParams('is=x&is=%25zz:1&in=2025&in=&columns=%25zz'),
  );
  assert.deepEqual(read, defaultSearch('identities'));
  assert.equal(readSearch('events', new URLSearchParams('in=2025-02-01/2025-01-01')).span, null);
});

test('prints no parameters for the default search', () => {
  assert.equal(printSearch(defaultSearch('roles')), '/search/roles');
});

test('adds a facet value once, and removes it when toggled again', () => {
  const chosen = toggleFacetValue(
    toggleFacetValue(defaultSearch('roles'), 'enabled', 'true'),
    'enabled',
    'false',
  );
  assert.deepEqual(chosen.facetFilters, { enabled: ['true', 'false'] });
  assert.deepEqual(
    toggleFacetValue(toggleFacetValue(chosen, 'enabled', 'true'), 'enabled', 'false').facetFilters,
    {},
  );
});

test('ends the selection of a facet when one of its values is excluded, and the reverse', () => {
  const selected = toggleFacetValue(defaultSearch('roles'), 'enabled', 'true');
  const excluded = toggleExcludedValue(selected, 'enabled', 'false');
  assert.deepEqual([excluded.facetFilters, excluded.excluded], [{}, { enabled: ['false'] }]);
  const again = toggleFacetValue(excluded, 'enabled', 'true');
  assert.deepEqual([again.facetFilters, again.excluded], [{ enabled: ['true'] }, {}]);
});

test('sorts by relevance as soon as a query has free words, unless a sort was chosen', () => {
  const search = defaultSearch('identities');
  assert.equal(sortOf(search), 'displayName');
  assert.equal(sortOf({ ...search, query: 'attributes.city:Rome' }), 'displayName');
  assert.equal(sortOf({ ...search, query: 'claire' }), '');
  assert.equal(sortOf({ ...search, query: 'claire', sort: 'name' }), 'name');
});

test('reads the dates of links that were made by earlier versions', () => {
  const read = readSearch('events', new URLSearchParams('in=2025-01-01/2025-02-01'));
  assert.deepEqual(read.span, { from: '2025-01-01', to: '2025-02-01' });
});

test('keeps rows of elements for arrays that the document type has', () => {
  const rows = { path: 'accounts', elements: 'all' } as const;
  const shown = { ...defaultSearch('identities'), rows };
  assert.deepEqual(roundTrip(shown), shown);
  assert.equal(readSearch('events', new URLSearchParams('rows=accounts')).rows, null);
  assert.equal(columnsOf(shown)[0], 'displayName');
  assert.ok(columnsOf(shown).includes('accounts.source.name'));
  // Elements have no relevance.
  assert.equal(sortOf({ ...shown, query: 'ada' }), 'displayName');
});

test('reads filters that are no JSON object as none', () => {
  for (const text of ['', '[1]', '{', '"x"', 'null']) {
    const parameters = new URLSearchParams({ filters: text });
    assert.deepEqual(readSearch('roles', parameters), defaultSearch('roles'), text);
  }
});
