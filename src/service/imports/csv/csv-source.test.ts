import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { caseCount } from '../../../../test/support/case-count.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { csvRow } from '../../../query/csv-row.ts';
import { staticMapping, withFields } from '../../../query/mapping/document-types.ts';
import type { Field } from '../../../query/mapping/mapping.ts';
import { readCsvForm } from './csv-import.ts';
import { csvSource } from './csv-source.ts';
import { AUTH_USER_TARGET, type CsvTarget, documentTarget } from './csv-target.ts';

const MAPPING = staticMapping('identities', { name: 'acme', pod: 'here' });
const FIELDS: readonly Field[] = [
  { path: 'attributes.level', type: 'long', nested: null, dynamic: true },
  { path: 'attributes.remote', type: 'boolean', nested: null, dynamic: true },
];
const IDENTITIES = documentTarget(withFields(MAPPING, FIELDS));

interface Case {
  readonly bytes: Uint8Array | string;
  readonly map?: string;
  readonly separator?: string;
  readonly encoding?: string;
  readonly target?: CsvTarget;
  /** Bytes of a chunk. */
  readonly chunk?: number;
}

/** The patches of a file by line, faults as `fault: …`, warnings as `warning: …`. */
async function read({ bytes, target = IDENTITIES, chunk = 7, ...texts }: Case) {
  const all = Buffer.from(bytes as string);
  async function* chunks() {
    for (let at = 0; at < all.length; at += chunk) yield all.subarray(at, at + chunk);
  }
  const lines: [number, unknown][] = [];
  for await (const one of csvSource(chunks(), await readCsvForm(texts), target)) {
    const { line, text, fault, warning } = one;
    if (fault !== undefined) lines.push([line, `fault: ${fault}`]);
    else if (warning !== undefined) lines.push([line, `warning: ${warning}`]);
    else lines.push([line, JSON.parse(String(text))]);
  }
  return lines;
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const swapped = (text: string) => utf16(text).swap16();
const PLAIN = 'id,displayName\r\n1,Jürgen\r\n2,Ömer €\r\n';
const RESULT = [
  [2, { id: '1', displayName: 'Jürgen' }],
  [3, { id: '2', displayName: 'Ömer €' }],
];
const WINDOWS = Buffer.concat([
  Buffer.from('id,displayName\r\n1,J\xfcrgen\r\n2,\xd6mer ', 'latin1'),
  Buffer.from([0x80]),
  Buffer.from('\r\n'),
]);

describe('the same rows are read', () => {
  const CASES: Readonly<Record<string, Case>> = {
    'from UTF-8': { bytes: PLAIN },
    'byte by byte': { bytes: PLAIN, chunk: 1 },
    'with a byte order mark': { bytes: `\ufeff${PLAIN}` },
    'from UTF-16 with a byte order mark': { bytes: utf16(`\ufeff${PLAIN}`) },
    'from big-endian UTF-16 with a byte order mark': { bytes: swapped(`\ufeff${PLAIN}`) },
    'from UTF-16 that is named': { bytes: utf16(PLAIN), encoding: 'UTF-16LE', chunk: 3 },
    'from Windows-1252 that is named': { bytes: WINDOWS, encoding: 'windows-1252' },
    'from Windows-1252 that the map names': {
      bytes: WINDOWS,
      map: '{encoding: windows-1252, columns: {id: id, displayName: displayName}}',
    },
    'from ISO 8859-1, whose other name it is': { bytes: WINDOWS, encoding: 'latin1' },
    'with semicolons': { bytes: PLAIN.replaceAll(',', ';') },
    'with tabs': { bytes: PLAIN.replaceAll(',', '\t') },
    'with bars': { bytes: PLAIN.replaceAll(',', '|') },
    'with a separator that is named': { bytes: PLAIN.replaceAll(',', '^'), separator: '^' },
    'with tabs that are named': { bytes: PLAIN.replaceAll(',', '\t'), separator: 'tab' },
    'with line feeds': { bytes: PLAIN.replaceAll('\r\n', '\n') },
    'with carriage returns': { bytes: PLAIN.replaceAll('\r\n', '\r'), chunk: 100 },
    'with both kinds of line ends': { bytes: PLAIN.replace('\r\n', '\n') },
    'without a last line end': { bytes: PLAIN.trimEnd() },
    'with all values in quotes': {
      bytes: '"id","displayName"\r\n"1","Jürgen"\r\n"2","Ömer €"\r\n',
    },
    'with blanks around values': { bytes: PLAIN.replaceAll(',', ' , ') },
    'with columns without head or value at the end': {
      bytes: PLAIN.replaceAll('\r\n', ',,\r\n'),
    },
  };
  for (const [name, given] of Object.entries(CASES)) {
    test(name, async () => assert.deepEqual(await read(given), RESULT));
  }
  test('behind the line with which Excel names the separator', async () => {
    const later = RESULT.map(([line, patch]) => [Number(line) + 1, patch]);
    assert.deepEqual(await read({ bytes: `sep=;\r\n${PLAIN.replaceAll(',', ';')}` }), later);
  });
});

describe('a value is', () => {
  const CASES: readonly (readonly [head: string, cell: string, patch: object])[] = [
    ['displayName', '"a, b"', { displayName: 'a, b' }],
    ['displayName', '"say ""hi"""', { displayName: 'say "hi"' }],
    ['displayName', '"two\r\nlines"', { displayName: 'two\r\nlines' }],
    ['displayName', '" padded "', { displayName: ' padded ' }],
    ['displayName', '', { displayName: null }],
    ['displayName', '00123', { displayName: '00123' }],
    ['displayName', "'+49 30 1", { displayName: '+49 30 1' }],
    ['displayName', "''=1", { displayName: "'=1" }],
    ['displayName', "'tis", { displayName: "'tis" }],
    ['manager.name', 'Ada', { manager: { name: 'Ada' } }],
    ['attributes.city', 'Köln', { attributes: { city: 'Köln' } }],
    ['attributes.number', '007', { attributes: { number: '007' } }],
    ['attributes.level', '7', { attributes: { level: 7 } }],
    ['attributes.level', '007', { attributes: { level: '007' } }],
    ['attributes.level', 'Infinity', { attributes: { level: 'Infinity' } }],
    ['attributes.remote', 'true', { attributes: { remote: true } }],
    ['attributes.remote', 'maybe', { attributes: { remote: 'maybe' } }],
    ['inactive', 'nein', { inactive: false }],
    ['accountCount', '3', { accountCount: 3 }],
    ['created', '2026-01-31', { created: '2026-01-31' }],
    ['tags', 'a; b', { tags: ['a', 'b'] }],
    ['_type', 'identity', { _type: 'identity' }],
    ['tagsCount', '4', { tagCount: 4 }],
  ];
  for (const [head, cell, patch] of CASES) {
    test(`${JSON.stringify(cell)} of ${head}`, async () => {
      const lines = await read({ bytes: `id,${head}\r\nx,${cell}\r\n` });
      assert.deepEqual(lines, [[2, { id: 'x', ...patch }]]);
    });
  }
});

describe('a map', () => {
  const CASES: readonly (readonly [rule: string, cell: string, value: unknown])[] = [
    ['attributes.x', '12', '12'],
    ['{to: attributes.x, type: number}', '-1,234.5', -1234.5],
    ['{to: attributes.x, type: number, decimal: ","}', '1.234,50', 1234.5],
    ['{to: attributes.x, type: boolean}', 'Ja', true],
    ['{to: attributes.x, type: boolean, true: [aktiv], false: [weg, fort]}', 'fort', false],
    ['{to: attributes.x, type: boolean, false: aktiv}', 'ruhend', true],
    ['{to: attributes.x, type: date, format: dd.MM.yyyy}', '29.02.2024', '2024-02-29'],
    ['{to: attributes.x, type: date, format: d.M.yy}', '1.2.70', '1970-02-01'],
    ['{to: attributes.x, type: date, format: MM/dd/yyyy}', '02/28/2025', '2025-02-28'],
    [
      '{to: attributes.x, type: date, format: dd.MM.yyyy HH:mm}',
      '01.02.2025 08:30',
      '2025-02-01T08:30:00.000Z',
    ],
    ['{to: attributes.x, type: date}', '2025-02-01', '2025-02-01'],
    ['{to: attributes.x, type: list, separator: "|"}', 'a | b', ['a', 'b']],
    ['attributes.x', '', null],
    ['{to: attributes.x, blank: empty}', '', ''],
    ['{to: attributes.x, blank: keep}', '', undefined],
  ];
  for (const [rule, cell, value] of CASES) {
    test(`reads ${JSON.stringify(cell)} by ${rule}`, async () => {
      const map = `{columns: {Nr: id, X: ${rule}}}`;
      const lines = await read({ bytes: `Nr;X\n1;"${cell}"\n`, map });
      const attributes = value === undefined ? {} : { attributes: { x: value } };
      assert.deepEqual(lines, [[2, { id: '1', ...attributes }]]);
    });
  }

  for (const [rule, cell] of [
    ['{to: attributes.x, type: number}', '1,5'],
    ['{to: attributes.x, type: number}', '12345678901234567'],
    ['{to: attributes.x, type: number}', '1e999'],
    ['{to: attributes.x, type: number, decimal: ","}', '1234.567'],
    ['{to: attributes.x, type: number, decimal: ","}', '1.5'],
    ['{to: attributes.x, type: boolean}', 'vielleicht'],
    ['{to: attributes.x, type: boolean, true: [a], false: [b]}', 'ja'],
    ['{to: attributes.x, type: date}', '01.02.2025'],
    ['{to: attributes.x, type: date, format: dd.MM.yyyy HH:mm}', '01.02.2025 24:00'],
    ['{to: attributes.x, type: date, format: dd.MM.yyyy}', '1.2.2025'],
  ] as const) {
    test(`refuses ${JSON.stringify(cell)} by ${rule}, with the column and the value`, async () => {
      const map = `{columns: {Nr: id, X: ${rule}}}`;
      const [line, ...others] = await read({ bytes: `Nr;X\n1;"${cell}"\n`, map });
      assert.equal(others.length, 0);
      assert.ok(String(line?.[1]).startsWith(`fault: X: "${cell}" is n`), String(line?.[1]));
    });
  }

  test('sets constants, and texts of several columns', async () => {
    const map =
      'columns: {Nr: id, A: [firstName, attributes.a]}\nset: {displayName: "{A} {B}", inactive: false, attributes.company: ACME}';
    const lines = await read({ bytes: 'Nr;A;B\n1;x;y\n2;;z\n3;;\n', map });
    const shared = { inactive: false };
    const company = 'ACME';
    assert.deepEqual(lines, [
      [
        2,
        { id: '1', firstName: 'x', attributes: { a: 'x', company }, displayName: 'x y', ...shared },
      ],
      [
        3,
        { id: '2', firstName: null, attributes: { a: null, company }, displayName: 'z', ...shared },
      ],
      [
        4,
        {
          id: '3',
          firstName: null,
          attributes: { a: null, company },
          displayName: null,
          ...shared,
        },
      ],
    ]);
  });

  test('names columns that it leaves out', async () => {
    const lines = await read({ bytes: 'Nr;A;B;C\n1;2;3;4\n', map: '{columns: {Nr: id, B: null}}' });
    assert.deepEqual(lines, [
      [1, 'warning: columns that the map does not name are left out: "A", "C"'],
      [2, { id: '1' }],
    ]);
  });

  test('makes rows elements of the record that a column names', async () => {
    const map =
      'elements: accounts\nmatch: {Nr: id}\nkey: [source.name, name]\ncolumns: {System: source.name, Konto: name, Gesperrt: {to: disabled, type: boolean}}\nset: {privileged: false}';
    const bytes = 'Nr;System;Konto;Gesperrt\n7;AD;ada;nein\n7;SAP;ADA;ja\n7;;x;ja\n;AD;x;ja\n';
    const [first, second, blank, nobody] = await read({ bytes, map });
    const again = await read({ bytes: 'Nr;System;Konto;Gesperrt\n7;AD;ada;ja\n', map });
    const accountOf = (line: unknown) => {
      const { id, accounts } = (line as [number, { id: string; accounts: object[] }])[1];
      assert.equal(id, '7');
      return accounts[0] as { id: string; name: string; source: { name: string } };
    };
    assert.deepEqual(accountOf(first), {
      ...{ id: accountOf(first).id, source: { name: 'AD' }, name: 'ada' },
      ...{ disabled: false, privileged: false },
    });
    assert.match(accountOf(first).id, /^[0-9a-f]{32}$/);
    assert.notEqual(accountOf(first).id, accountOf(second).id);
    assert.equal(accountOf(again[0]).id, accountOf(first).id);
    assert.deepEqual(blank, [4, 'fault: source.name is blank, but is part of the key']);
    assert.deepEqual(nobody, [5, 'fault: Nr is blank, but names the record of the row']);
  });
});

test('elements of several rows, or of one row by position, come from heads alone', async () => {
  const bytes = csvRow(['id', 'accounts.id', 'accounts.name', 'accounts.disabled']);
  const rows = [
    csvRow(['1', 'a1', 'x; y', true]),
    csvRow(['1', 'a2', 'z', null]),
    csvRow(['2', ['b1', 'b2'], ['p', null], [true, false]]),
    csvRow(['3', null, null, null]),
    csvRow(['4', ['c1', 'c2'], ['only one'], null]),
  ];
  assert.deepEqual(await read({ bytes: bytes + rows.join('') }), [
    [2, { id: '1', accounts: [{ id: 'a1', name: 'x; y', disabled: true }] }],
    [3, { id: '1', accounts: [{ id: 'a2', name: 'z', disabled: null }] }],
    [
      4,
      {
        id: '2',
        accounts: [
          { id: 'b1', name: 'p', disabled: true },
          { id: 'b2', name: null, disabled: false },
        ],
      },
    ],
    [5, { id: '3' }],
    [6, 'fault: accounts.name has 1 values, but accounts.id 2; each element has one'],
  ]);
});

test('auth users have their own members', async () => {
  const bytes = 'id,uid,capabilities,lastLoginTimestamp\n1,ada,ORG_ADMIN; HELPDESK,5\n';
  assert.deepEqual(await read({ bytes, target: AUTH_USER_TARGET }), [
    [2, { id: '1', uid: 'ada', capabilities: ['ORG_ADMIN', 'HELPDESK'], lastLoginTimestamp: 5 }],
  ]);
});

describe('a fault has its line and says what to do', () => {
  const GOOD = 'id,displayName\n1,a\n';
  const ROW = [2, { id: '1', displayName: 'a' }] as const;
  const MAPPED = 'Nr;Datum\n1;31.02.2025\n2;28.02.2025\n';
  const DATE = 'columns: {Nr: id, Datum: {to: attributes.d, type: date, format: dd.MM.yyyy}}';
  const CASES: Readonly<Record<string, readonly [Case, ...(readonly [number, unknown])[]]>> = {
    'an empty file': [{ bytes: '' }, [1, 'the file is empty; its first line must have the heads']],
    'a file of blank lines': [{ bytes: '\n\n' }, [1, 'the file is empty']],
    'a head alone': [{ bytes: 'id,displayName\n' }],
    'an unknown head': [
      { bytes: 'id,displayNam,Ort\n1,a,b\n' },
      [1, 'identities have no member "displayNam" (displayName?), "Ort"; a map says which'],
    ],
    'more columns than a file may have': [
      { bytes: `id${',name'.repeat(2_000)}\n`, chunk: 4_000 },
      [1, 'has 2001 columns; a file may have 2000'],
    ],
    'many unknown heads': [
      { bytes: `id,${Array.from({ length: 30 }, (_, n) => `Ort ${n}`)}\n` },
      [1, 'identities have no member "Ort 0", "Ort 1", '],
    ],
    'many values that do not fit': [
      { bytes: `id,inactive,locked,disabled,protected,isManager,tagCount\n1${',?'.repeat(6)}\n` },
      [2, 'inactive: "?" is neither true'],
    ],
    'a repeated head': [
      { bytes: 'id,name,name\n1,a,b\n' },
      [1, 'the head "name" stands over columns 2 and 3; rename one'],
    ],
    'heads without id': [{ bytes: 'name\na\n' }, [1, 'there is no column "id", which names']],
    'elements without id': [
      { bytes: 'id,accounts.name\n1,a\n' },
      [1, 'members of accounts need a column "accounts.id", which tells them apart'],
    ],
    'a head of prototypes': [
      { bytes: 'id,attributes.__proto__\n1,a\n' },
      [1, 'identities have no member "attributes.__proto__"'],
    ],
    'a short row': [
      { bytes: `${GOOD}2\n3,c\n` },
      ROW,
      [3, 'has 1 cells under 2 heads; a value with a separator or a line break in it must be in'],
      [4, { id: '3', displayName: 'c' }],
    ],
    'a long row': [{ bytes: `${GOOD}2,b,c\n` }, ROW, [3, 'has 3 cells under 2 heads']],
    'a value without head': [
      { bytes: 'id,,displayName\n1,,a\n2,x,b\n' },
      [2, { id: '1', displayName: 'a' }],
      [3, 'column 2 has a value, but no head'],
    ],
    'a row of blanks, which is no row': [{ bytes: `${GOOD},\n` }, ROW],
    'a blank id': [{ bytes: `${GOOD},b\n` }, ROW, [3, 'id is blank, but names the record']],
    'a quote within a value': [
      { bytes: `${GOOD}2,5" pipe\n3,c\n` },
      ROW,
      [3, 'has a " within a value; put the whole value in quotes, and write each " in it twice'],
      [4, { id: '3', displayName: 'c' }],
    ],
    'text after a quote': [
      { bytes: `${GOOD}2,"b"c\n3,c\n` },
      ROW,
      [3, 'has text after the closing " of a value'],
    ],
    'a quote that is never closed': [
      { bytes: `${GOOD}2,"b\n3,c\n` },
      ROW,
      [3, 'begins a row with a " that is never closed; nothing from here on is read'],
    ],
    'a fault after lines in quotes': [
      { bytes: 'id,displayName\r\n1,"a\r\nb\r\nc"\r\n\r\n2\r\n3,"d\ne"\r\n4\r\n' },
      [2, { id: '1', displayName: 'a\r\nb\r\nc' }],
      [6, 'has 1 cells'],
      [7, { id: '3', displayName: 'd\ne' }],
      [9, 'has 1 cells'],
    ],
    'bytes of another encoding': [
      { bytes: Buffer.from(`${GOOD}2,J\xfcrgen\n3,c\n`, 'latin1'), chunk: 1000 },
      ROW,
      [3, 'is not valid UTF-8; name the encoding of the file (--encoding), such as windows-1252'],
    ],
    'UTF-16 without a mark': [{ bytes: utf16(GOOD) }, [1, 'has a NUL byte, as texts in UTF-16']],
    'an odd byte of UTF-16': [
      { bytes: Buffer.concat([utf16(`\ufeff${GOOD}`), Buffer.of(1)]) },
      ROW,
      [3, 'is not valid utf-16le'],
    ],
    'a day that does not exist': [
      { bytes: MAPPED, map: DATE },
      [2, 'Datum: "31.02.2025" is no date of the form dd.MM.yyyy'],
      [3, { id: '2', attributes: { d: '2025-02-28' } }],
    ],
    'several values that do not fit': [
      { bytes: 'id,inactive,accountCount\n1,vielleicht,x\n' },
      [2, 'inactive: "vielleicht" is neither true'],
    ],
    'a column that the map names and the file lacks': [
      { bytes: MAPPED, map: 'columns: {Nr: id, Datums: attributes.d}' },
      [1, 'columns: the file has no column "Datums"; did you mean "Datum"?'],
    ],
    'a member that a map misspells': [
      { bytes: MAPPED, map: 'columns: {Nr: id, Datum: firstNam}' },
      [1, 'columns.Datum: identities have no member "firstNam" (firstName?)'],
    ],
    'two columns of one member': [
      { bytes: MAPPED, map: 'columns: {Nr: [id, name], Datum: name}' },
      [1, 'Nr and Datum are both name; leave out one of the two'],
    ],
    'an array that does not exist': [
      { bytes: MAPPED, map: '{elements: konten, match: {Nr: id}, columns: {Datum: name}}' },
      [1, 'elements: identities have no array "konten"; they have accounts, apps, access'],
    ],
    'elements that nothing tells apart': [
      { bytes: MAPPED, map: '{elements: accounts, match: {Nr: id}, columns: {Datum: name}}' },
      [1, 'elements of accounts need an id'],
    ],
    'gzip that nobody unpacked': [{ bytes: gzipSync(GOOD), chunk: 1000 }, [1, 'has a NUL byte']],
  };
  for (const [name, [given, ...expected]] of Object.entries(CASES)) {
    test(name, async () => {
      const lines = await read(given);
      assert.equal(lines.length, expected.length, JSON.stringify(lines));
      for (const [n, [line, what]] of expected.entries()) {
        const [lineRead, whatRead] = lines[n] ?? [];
        assert.equal(lineRead, line, JSON.stringify(lines));
        if (typeof what !== 'string') assert.deepEqual(whatRead, what);
        else assert.ok(String(whatRead).startsWith(`fault: ${what}`), String(whatRead));
      }
    });
  }
});

test('a row that the source cuts off is not returned, those before it are', async () => {
  async function* cut() {
    yield Buffer.from('id,displayName\n1,a\n2,whole name, not');
    throw new Error('the network went away');
  }
  const rows: unknown[] = [];
  const form = await readCsvForm({});
  await assert.rejects(async () => {
    for await (const { text } of csvSource(cut(), form, IDENTITIES)) rows.push(text);
  }, /the network went away/);
  assert.deepEqual(rows, ['{"id":"1","displayName":"a"}']);
});

test('a row longer than the limit ends the file, and the buffer is counted', async () => {
  const counts: number[] = [];
  async function* endless() {
    yield Buffer.from('id,displayName\n1,a\n2,"');
    for (let n = 0; n < 100; n++) yield Buffer.alloc(64 * 1024, 'x');
  }
  const form = await readCsvForm({});
  const lines: unknown[] = [];
  const onBuffered = (bytes: number) => counts.push(bytes);
  for await (const { line, fault } of csvSource(endless(), form, IDENTITIES, { onBuffered })) {
    lines.push([line, fault]);
  }
  assert.equal(lines.length, 2);
  assert.deepEqual(lines[0], [2, undefined]);
  assert.match(String(lines[1]), /^3,begins a row of more than 2097152 bytes/);
  assert.ok(Math.max(...counts) > 1024 * 1024 && Math.max(...counts) < 4 * 1024 * 1024);
});

test('a reader that stops ends the source', async () => {
  let isEnded = false;
  async function* source() {
    try {
      for (;;) yield Buffer.from('id\n1\n2\n');
    } finally {
      isEnded = true;
    }
  }
  for await (const { line } of csvSource(source(), await readCsvForm({}), IDENTITIES)) {
    if (line > 1) break;
  }
  await eventually(() => assert.ok(isEnded));
});

test('a large file is read only as fast as its rows are taken', async () => {
  const rows = caseCount(20_000, 200_000);
  const row = `${'x'.repeat(90)},name\n`;
  let pulled = 0;
  async function* large() {
    yield Buffer.from('id,displayName\n');
    const chunk = Buffer.from(row.repeat(100));
    for (let n = 0; n < rows; n += 100) {
      pulled += chunk.length;
      yield chunk;
    }
  }
  let taken = 0;
  let ahead = 0;
  for await (const _ of csvSource(large(), await readCsvForm({}), IDENTITIES)) {
    taken++;
    ahead = Math.max(ahead, pulled - taken * row.length);
  }
  assert.equal(taken, rows);
  assert.ok(ahead < 512 * 1024, `${ahead} bytes were read ahead`);
});

test('a reader that stops is not held up by a source that is silent', {
  timeout: 60_000,
}, async () => {
  let wake = () => {};
  async function* silent() {
    yield Buffer.from(`id\n${'1\n'.repeat(20)}`);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  for await (const { line } of csvSource(silent(), await readCsvForm({}), IDENTITIES)) {
    if (line > 1) break;
  }
  wake();
});
