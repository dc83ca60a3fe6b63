import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvCell, csvRow, plainText } from './csv-row.ts';

describe('a cell of CSV', () => {
  const CASES: readonly (readonly [value: unknown, cell: string])[] = [
    [null, ''],
    ['', ''],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' padded ', '" padded "'],
    [-5, '-5'],
    [1.5e300, '1.5e+300'],
    [true, 'true'],
    ['-5', "'-5"],
    ['=1+1', "'=1+1"],
    ['+47 123', "'+47 123"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['＝1', "'＝1"],
    ["'=1", "''=1"],
    ["'tis", "'tis"],
    [['a', null, 'b'], '"a; ; b"'],
    [['=a', 'b'], `"'=a; b"`],
    [[1, [2]], '"1; 2"'],
    [{ a: 1 }, '"{""a"":1}"'],
  ];
  for (const [value, cell] of CASES) {
    test(`of ${JSON.stringify(value)} is ${JSON.stringify(cell)}`, () =>
      assert.equal(csvCell(value), cell));
  }
});

test('a row joins its cells and ends its line', () => {
  assert.equal(csvRow(['a', 1, null, undefined, ['x', 'y']]), 'a,1,,,"x; y"\r\n');
});

for (const text of ['plain', '=1', "'=1", "''-1", "'tis", "'", '', '@x', '\t=1', '＋1']) {
  test(`${JSON.stringify(text)} is read back from its cell`, () => {
    const cell = csvCell(text).replace(/^"([\s\S]*)"$/, '$1');
    assert.equal(plainText(cell), text);
  });
}
