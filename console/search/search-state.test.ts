import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KINDS } from './kinds.ts';
import { printSearch, readSearch, type SearchState, toggled, wholeOf } from './search-state.ts';

function reread(state: SearchState): SearchState {
  const [path = '', query] = printSearch(state).split(/\?(.*)/s);
  return readSearch(path.replace('/search/', ''), new URLSearchParams(query ?? ''));
}

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const state: fc.Arbitrary<SearchState> = fc.record({
  index: fc.constantFrom(...KINDS.map((kind) => kind.index)),
  query: fc.oneof(fc.constant(''), text),
  narrowed: fc
    .uniqueArray(fc.tuple(text, fc.uniqueArray(text, { minLength: 1, maxLength: 3 })), {
      maxLength: 3,
      selector: ([field]) => field,
    })
    .map((pairs) => Object.fromEntries(pairs.filter(([field]) => field !== '__proto__'))),
  span: fc.constantFrom(null, { from: '2025-01-01T00:00:00.000Z', to: '2025-02-01T00:00:00.000Z' }),
  sort: fc.constantFrom('', 'name', '-created', 'attributes.city'),
  columns: fc.oneof(fc.constant(null), fc.uniqueArray(text, { minLength: 1, maxLength: 4 })),
});

test('an address says all of a state', () => {
  fc.assert(fc.property(state, (shown) => assert.deepEqual(reread(shown), { ...shown })));
});

test('what nobody wrote is as usual', () => {
  const read = readSearch(
    'nowhere',
    new URLSearchParams('is=x&is=%25zz:1&in=2025&in=&columns=%25zz'),
  );
  assert.deepEqual(read, wholeOf('identities'));
  assert.equal(readSearch('events', new URLSearchParams('in=2025-02-01/2025-01-01')).span, null);
});

test('an address is short where nothing was chosen', () => {
  assert.equal(printSearch(wholeOf('roles')), '/search/roles');
});

test('a value of a facet is chosen once and let go again', () => {
  const chosen = toggled(toggled(wholeOf('roles'), 'enabled', 'true'), 'enabled', 'false');
  assert.deepEqual(chosen.narrowed, { enabled: ['true', 'false'] });
  assert.deepEqual(toggled(toggled(chosen, 'enabled', 'true'), 'enabled', 'false').narrowed, {});
});
