import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSearch } from '../../model/search-state.ts';
import { conditionsOf, fieldsIn, filteredFields, matchingOnly } from './miss.ts';

const state = {
  ...defaultSearch('identities'),
  query: 'attributes.city:Rome AND NOT inactive:true',
  facetFilters: { 'attributes.country': ['IT', 'FR'] },
  excluded: { 'attributes.department': ['Sales'] },
};

test('takes a search apart into conditions, and removes each', () => {
  const { mode, conditions } = conditionsOf(state);
  assert.equal(mode, 'all');
  assert.deepEqual(
    conditions.map(({ kind, text, without }) => [kind, text, without?.query]),
    [
      ['clause', 'attributes.city:Rome', 'NOT inactive:true'],
      ['clause', 'NOT inactive:true', 'attributes.city:Rome'],
      ['filter', 'Country: IT or FR', state.query],
      ['filter', 'Department: not Sales', state.query],
    ],
  );
  assert.deepEqual(conditions[2]?.without?.facetFilters, {});
  assert.deepEqual(conditions[3]?.alone.excluded, state.excluded);
});

test('puts another value into a plain clause', () => {
  const [city, negated] = conditionsOf(state).conditions;
  assert.equal(
    city?.withValue?.('New York').query,
    'attributes.city:"New York" AND NOT inactive:true',
  );
  assert.equal(negated?.withValue, null);
});

test('keeps only the conditions that match', () => {
  const kept = matchingOnly(state, [false, true, true, false]);
  assert.deepEqual(kept, {
    ...state,
    query: 'NOT inactive:true',
    facetFilters: state.facetFilters,
    excluded: {},
  });
  assert.equal(matchingOnly({ ...defaultSearch('roles'), query: 'a:1 OR b:2' }, []), null);
});

test('removes no alternative, since that finds no more', () => {
  const { mode, conditions } = conditionsOf({ ...defaultSearch('roles'), query: 'a:1 OR b:2' });
  assert.equal(mode, 'any');
  assert.deepEqual(
    conditions.map(({ without }) => without),
    [null, null],
  );
});

test('lists the fields of a clause, but not those of words without a field', () => {
  const leaf = (field: string) => ({ clause: 'term', text: '', field });
  const words = { clause: 'disMax', text: '', children: [leaf('_all'), leaf('name')] };
  const children = [leaf('accounts.disabled'), words, leaf('accounts.disabled')];
  assert.deepEqual(fieldsIn({ clause: 'bool', text: '', children }), ['accounts.disabled']);
});

test('lists the fields of filters, also that of a time range', () => {
  const span = { from: 'now-7d', to: 'now' };
  const events = { ...defaultSearch('events'), facetFilters: { status: ['FAILED'] } };
  assert.deepEqual(filteredFields(events), ['status']);
  assert.deepEqual(filteredFields({ ...defaultSearch('events'), span }), ['created']);
});
