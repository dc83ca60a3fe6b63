import assert from 'node:assert/strict';
import test from 'node:test';
import { testMapping } from '../../../test/support/segments.ts';
import { indexMappings } from './index-template.ts';

const WORDS = { type: 'text', analyzer: 'standard', position_increment_gap: 100 };
const EXACT = { type: 'keyword', use_similarity: true };
const FOLDED = { ...EXACT, doc_values: false };
/** Aggregated but not searched. */
const LISTED = { type: 'keyword', index: false };
/** Returned, neither searched nor aggregated. */
const BYTES = { type: 'keyword', index: false, doc_values: false, store: true };
const INSTANT = { type: 'date', format: 'epoch_millis', index: false };

test('an index has a property for each column, indexed only if it is searched', () => {
  const types = { name: 'text', size: 'long', 'accounts.created': 'date' } as const;
  const mappings = indexMappings(testMapping(types, ['accounts']));
  const expected = {
    dynamic: 'strict',
    _source: { enabled: false },
    properties: {
      '%document': {
        properties: { id: EXACT, index: EXACT, repeats: LISTED, root: BYTES, nested: BYTES },
      },
      '%all': {
        properties: { words: WORDS, folded: FOLDED, value: { type: 'long', doc_values: false } },
      },
      accounts: {
        ...{ type: 'nested', dynamic: 'strict' },
        properties: {
          '%document': { properties: { id: LISTED, repeats: LISTED } },
          created: { properties: { value: { type: 'long', fields: { instant: INSTANT } } } },
        },
      },
      name: { properties: { words: WORDS, exact: EXACT, folded: FOLDED } },
      size: { properties: { value: { type: 'long' } } },
    },
  };
  // As JSON: the objects of properties have no prototype.
  assert.deepEqual(JSON.parse(JSON.stringify(mappings)), expected);
});
