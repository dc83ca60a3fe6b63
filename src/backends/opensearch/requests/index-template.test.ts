import assert from 'node:assert/strict';
import test from 'node:test';
import { testMapping } from '../../../../test/support/segments.ts';
import { ID_KEYS } from './id-keys.ts';
import { indexMappings } from './index-template.ts';

const WORDS = { type: 'text', analyzer: 'standard', position_increment_gap: 100 };
const EXACT = { type: 'keyword', use_similarity: true };
const FOLDED = { ...EXACT, normalizer: 'cardea_fold' };
/** Aggregated but not searched. */
const LISTED = { type: 'keyword', index: false };
/** Not looked into. */
const OPAQUE = { type: 'object', enabled: false };
const COPIED = { type: 'keyword', index: false, doc_values: false };
const DATE = { type: 'date', format: 'epoch_millis||strict_date_optional_time' };

test('an index has a property for each column, indexed only if it is searched', () => {
  const types = { name: 'text', size: 'long', 'accounts.created': 'date' } as const;
  const mappings = indexMappings(testMapping(types, ['accounts']));
  const expected = {
    dynamic: 'false',
    properties: {
      ...{ '%id': EXACT, '%index': EXACT, '%repeats': LISTED, '%root': OPAQUE, '%nested': OPAQUE },
      ...{ '%sequence': { type: 'long', index: false } },
      ...{ '%all%words': WORDS, '%all%folded': { ...FOLDED, doc_values: false } },
      ...Object.fromEntries(ID_KEYS.map((key) => [key, { type: 'long', index: false }])),
      '%all%value': { type: 'long', doc_values: false },
      accounts: {
        ...{ type: 'nested', dynamic: 'false' },
        properties: {
          '%repeats': LISTED,
          created: { ...COPIED, copy_to: ['accounts.created%value'] },
          'created%value': DATE,
        },
      },
      name: {
        ...COPIED,
        copy_to: ['name%words', 'name%exact', 'name%folded', '%all%words'],
      },
      ...{ 'name%words': WORDS, 'name%exact': EXACT, 'name%folded': FOLDED },
      size: {
        ...COPIED,
        copy_to: ['size%value', '%all%value'],
      },
      'size%value': { type: 'long' },
    },
  };
  // As JSON: the objects of properties have no prototype.
  assert.deepEqual(JSON.parse(JSON.stringify(mappings)), expected);
});
