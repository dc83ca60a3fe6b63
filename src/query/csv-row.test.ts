import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRow } from './csv-row.ts';

const check = (values: readonly unknown[], row: string) =>
  test(`${JSON.stringify(values)} is the row ${row}`, () => {
    assert.equal(csvRow(values), `${row}\r\n`);
  });
check(['a', 1, -1, true, null, undefined], 'a,1,-1,true,,');
check(['a,b', 'say "x"', 'two\nlines', ' padded '], '"a,b","say ""x""","two\nlines"," padded "');
check(['=1+1', '+1', '-1', '@x', '\tx'], `'=1+1,'+1,'-1,'@x,"'\tx"`);
check([{ a: 1 }, ['=x']], '"{""a"":1}","[""=x""]"');
