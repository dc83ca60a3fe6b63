import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryTerms } from '../../../model/query-terms.ts';
import { occurrencesOf } from './occurrences.ts';

const document = {
  name: 'ada',
  attributes: { department: 'Payroll' },
  access: [{ name: 'Payroll Read' }, { name: 'Payroll Read' }, { name: 'Mail' }],
  accessCount: 3,
};
const found = (query: string, limit = 9) =>
  occurrencesOf(document, queryTerms(query), limit).map(({ path, text }) => `${path}: ${text}`);

test('finds free words in all texts, each once', () => {
  assert.deepEqual(found('payroll'), [
    'attributes.department: Payroll',
    'access.name: Payroll Read',
  ]);
  assert.deepEqual(found('payroll', 1), ['attributes.department: Payroll']);
});

test('finds the words of a field in that field alone', () => {
  assert.deepEqual(found('@access(name:payroll)'), ['access.name: Payroll Read']);
  assert.deepEqual(found('accessCount:3'), []);
});
