import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowWriter } from './row-format.ts';

/** The records of a CSV text, by the grammar of RFC 4180 section 2. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (let at = 0; at < text.length; ) {
    let field = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (text[at] === '"') at += 1;
        field += text[at];
      }
      at += 1;
    } else {
      for (; text[at] !== ',' && text[at] !== '\r'; at += 1) {
        assert.ok(at < text.length && text[at] !== '"' && text[at] !== '\n');
        field += text[at];
      }
    }
    record.push(field);
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    assert.equal(text.slice(at, at + 2), '\r\n');
    at += 2;
    records.push(record);
    record = [];
  }
  return records;
}

test('CSV of any texts is read back by the grammar of RFC 4180, but for the apostrophes', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', '=', '+', ' ') });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const writer = rowWriter('csv', ['one', 'two']);
      const text = writer.head() + rows.map((row) => writer.row(row)).join('') + writer.end();
      const [head, ...records] = parseCsv(text);
      assert.deepEqual(head, ['one', 'two']);
      const safe = (value: string) => (/^[=+\r\n]/.test(value) ? `'${value}` : value);
      assert.deepEqual(
        records,
        rows.map((row) => row.map(safe)),
      );
      for (const record of records) for (const field of record) assert.ok(!/^[=+]/.test(field));
    }),
  );
});

test('JSON is an array of any number of objects, and NDJSON a line each', () => {
  for (const rows of [[], [['x', null]], [['x'], [['y', 1]]]]) {
    const objects = rows.map(([a, b = null]) => ({ 'a "b"': a, c: b }));
    const textOf = (format: 'json' | 'ndjson') => {
      const writer = rowWriter(format, ['a "b"', 'c']);
      return writer.head() + rows.map((row) => writer.row(row)).join('') + writer.end();
    };
    assert.deepEqual(JSON.parse(textOf('json')), objects);
    const lines = textOf('ndjson').split('\n').slice(0, -1);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      objects,
    );
  }
});
