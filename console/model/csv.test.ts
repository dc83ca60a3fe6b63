import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvHead, csvLine } from './csv.ts';

const check = (value: unknown, cell: string) =>
  test(`${JSON.stringify(value)} is written as ${JSON.stringify(cell)}`, () => {
    assert.equal(csvLine({ v: value }, ['v']), `${cell}\r\n`);
  });

check('plain', 'plain');
check('a,b', '"a,b"');
check('say "hi"', '"say ""hi"""');
check('two\nlines', '"two\nlines"');
check(-5, '-5');
check(true, 'true');
check(null, '');
check(undefined, '');
check(['a', 'b'], '"a; b"');
check([{ x: 1 }], '"{""x"":1}"');
for (const sign of ['=', '+', '-', '@']) check(`${sign}SUM(A1)`, `'${sign}SUM(A1)`);
check('\tx', '"\'\tx"');
check('\rx', '"\'\rx"');
check(['=1', 'b'], '"\'=1; b"');

test('escapes formulas, also in the header', () => {
  assert.equal(csvHead(['name', '=x']), "name,'=x\r\n");
});

test('reads values through objects and arrays', () => {
  const document = { source: { name: 'HR' }, accounts: [{ id: 1 }, { id: 2 }] };
  assert.equal(csvLine(document, ['source.name', 'accounts.id', 'gone']), 'HR,"1; 2",\r\n');
});
