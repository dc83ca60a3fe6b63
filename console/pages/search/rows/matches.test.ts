import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { queryTerms } from '../../../model/query-terms.ts';
import { partsOf } from './matches.ts';

const CASES: readonly [query: string, field: string, text: string, marked: string][] = [
  ['claire', 'displayName', 'Claire Dubois', '[Claire] Dubois'],
  ['dubois', 'displayName', 'Claire Dúbois', 'Claire [Dúbois]'],
  ['clair', 'displayName', 'Claire Dubois', 'Claire Dubois'],
  ['clai*', 'displayName', 'Claire Dubois', '[Claire] Dubois'],
  ['"new york"', 'attributes.city', 'New York, NY', '[New York], NY'],
  ['attributes.city:Rome', 'attributes.city', 'Rome', '[Rome]'],
  ['attributes.city:Rome', 'displayName', 'Rome Rossi', 'Rome Rossi'],
  ['@access(payroll)', 'displayName', 'Payroll', 'Payroll'],
  ['@access(payroll)', 'access.name', 'Payroll Read', '[Payroll] Read'],
  ['sales', 'name', 'sales.sales', '[sales].[sales]'],
  ['ada', 'name', '😀 ada', '😀 [ada]'],
];

for (const [query, field, text, marked] of CASES) {
  test(`marks ${query} in ${field} "${text}"`, () => {
    const parts = partsOf(text, field, queryTerms(query));
    assert.equal(
      parts.map((part) => (part.isMatch ? `[${part.text}]` : part.text)).join(''),
      marked,
    );
  });
}

test('keeps every character of any text', () => {
  const any = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(any, any, (query, text) => {
      const parts = partsOf(text, 'name', queryTerms(query));
      assert.equal(parts.map((part) => part.text).join(''), text);
    }),
  );
});
