import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvRow } from '../../src/query/csv-row.ts';
import { RowCounter } from './row-counter.ts';

/** Counts a text that arrives in pieces of a size. */
function countIn(format: 'csv' | 'ndjson', text: string, size: number): number {
  const bytes = new TextEncoder().encode(text);
  const counter = new RowCounter(format);
  for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
  return counter.rows;
}

test('counts the rows of CSV, whatever its cells hold and wherever a piece ends', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('a\nb', '"', '""\r\n', 'é'));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { maxLength: 5 });
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, size) => {
      const text = csvRow(['one', 'two']) + rows.map((row) => csvRow(row)).join('');
      assert.equal(countIn('csv', text, size), rows.length);
    }),
  );
});

test('counts the lines of NDJSON, in which a quote has no meaning', () => {
  assert.equal(countIn('ndjson', '{"a":"\\""}\n{"a":"x"}\n', 3), 2);
  assert.equal(countIn('csv', '', 1), 0);
});
