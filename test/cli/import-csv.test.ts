// suite: slow
// cardea import of CSV: which files are CSV, what is wrong with flags, maps and files, and CSV that
// cardea search and cardea user wrote.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandLine } from '../support/command-line.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-import-csv-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

async function run(args: readonly string[], stdin: Iterable<Uint8Array> = []) {
  const line = commandLine([...args, '--data-dir', dataDir], { stdin });
  const code = await line.ended;
  const err = line.err().replace(/^(?:Importing|Indexing): .*\n/gm, '');
  return { code, out: line.out(), err: err.replaceAll(`${directory}/`, '') };
}

before(async () => {
  assert.equal((await run(['tenant', 'create', 'acme', '--admin', 'ada'])).code, 0);
});

const TEXT = 'id;displayName\n1;Jürgen\n2;Ömer\n';
const IDENTITIES = ['--index', 'identities'];

describe('the same file is imported once', () => {
  const latin = Buffer.from(TEXT, 'latin1');
  const CASES: Readonly<
    Record<string, readonly [args: () => readonly string[], stdin?: Uint8Array]>
  > = {
    'by its name': [() => [file('a.csv', TEXT)]],
    'by the name of gzip': [() => [file('a.csv.gz', gzipSync(TEXT))]],
    'by a name in capitals': [() => [file('A.CSV', TEXT)]],
    'by another name with --csv': [() => ['--csv', file('a.txt', TEXT)]],
    'by another name with --map': [
      () => [
        file('a.dat', TEXT),
        '--map',
        file('m.yaml', 'columns: {id: id, displayName: displayName}'),
      ],
    ],
    'from standard input': [() => ['-', '--csv'], Buffer.from(TEXT)],
    'from packed standard input': [() => ['-', '--csv'], gzipSync(TEXT)],
    'in another encoding': [() => [file('l.csv', latin), '--encoding', 'windows-1252']],
    'with another separator': [
      () => [file('t.tsv', TEXT.replaceAll(';', '\t')), '--separator', 'tab'],
    ],
    'beside a file of JSON': [
      () => [file('a.ndjson', '{"id":"1","displayName":"Jürgen"}'), file('a.csv', TEXT)],
    ],
  };
  before(async () => {
    const first = await run(['import', ...IDENTITIES, file('first.csv', TEXT)]);
    assert.match(first.out, /^2 created, 0 updated, 0 unchanged, 0 failed\.\n$/, first.err);
  });
  for (const [name, [args, stdin]] of Object.entries(CASES)) {
    test(name, async () => {
      const chunks = stdin === undefined ? [] : [stdin];
      const { code, out, err } = await run(['import', ...IDENTITIES, ...args()], chunks);
      assert.equal(code, 0, err);
      assert.match(out, /^0 created, 0 updated, [23] unchanged, 0 failed\.\n$/);
    });
  }
});

describe('a wrong command line is refused with code 2', () => {
  const map = (text: string) => file('wrong.yaml', text);
  const CASES: Readonly<Record<string, readonly [args: () => readonly string[], reason: RegExp]>> =
    {
      'without an index': [
        () => [file('a.csv', TEXT)],
        /name the index of the rows: .*--index identities/,
      ],
      'with an unknown index': [() => [file('a.csv', TEXT), '--index', 'people'], /--index/],
      'with a map that is not there': [
        () => [file('a.csv', TEXT), '--map', join(directory, 'no.yaml')],
        /no\.yaml cannot be read: it does not exist/,
      ],
      'with several faults of a map': [
        () => [file('a.csv', TEXT), '--map', map('{index: people, colums: {}}')],
        /no member "colums"; did you mean columns\?\n(?:.*\n)*.*index must be one of accessprofiles/,
      ],
      'with an unknown encoding': [
        () => [file('a.csv', TEXT), ...IDENTITIES, '--encoding', 'ebcdic'],
        /encoding "ebcdic" is not known; use utf-8/,
      ],
      'with a separator for JSON': [
        () => [file('a.ndjson', '{}'), '--separator', ';'],
        /--separator is for CSV; add --csv\./,
      ],
      'with a map for JSON': [
        () => [file('a.ndjson', '{}'), '--map', map('columns: {id: id}')],
        /--map is for CSV; add --csv\./,
      ],
      'with profiles': [
        () => [file('a.csv', TEXT), '--profiles'],
        /Profiles cannot be read from CSV/,
      ],
      'with two files to suggest for': [
        () => [file('a.csv', TEXT), file('b.csv', TEXT), '--suggest-map'],
        /--suggest-map reads one file\./,
      ],
      'with a map of documents for auth users': [
        () => [
          file('a.csv', TEXT),
          '--auth-users',
          '--map',
          map('{index: roles, columns: {id: id}}'),
        ],
        /index is roles, but the import is of auth users/,
      ],
    };
  for (const [name, [args, reason]] of Object.entries(CASES)) {
    test(name, async () => {
      const { code, out, err } = await run(['import', ...args()]);
      assert.match(err, reason);
      assert.deepEqual([code, out], [2, '']);
    });
  }
});

describe('a faulty file is reported by line with code 1', () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `c${n};${Math.random()}\n`).join('');
  const whole = gzipSync(`id;displayName\n${rows}`);
  const CASES: Readonly<Record<string, readonly [content: string | Uint8Array, reason: RegExp]>> = {
    'that is empty': ['', /^f\.csv:1: the file is empty/],
    'with unknown heads': ['id;Ort\n', /^f\.csv:1: identities have no member "Ort"; a map says/],
    'with a short row': ['id;name\nx1;a\nx2\nx3;c\n', /^f\.csv:3: has 1 cells under 2 heads/],
    'in another encoding': [
      Buffer.from(TEXT, 'latin1'),
      /^f\.csv:2: is not valid UTF-8; name the encoding of the file \(--encoding\), such as windows-1252/,
    ],
    'that is cut off': [
      whole.subarray(0, whole.length / 2),
      /^f\.csv: reading failed: unexpected end of file: the gzip data are damaged; the lines before are kept/,
    ],
  };
  for (const [name, [content, reason]] of Object.entries(CASES)) {
    test(name, async () => {
      const { code, out, err } = await run(['import', ...IDENTITIES, file('f.csv', content)]);
      assert.match(err, reason);
      assert.equal(code, 1);
      assert.match(out, /, 1 failed\.\n$/);
    });
  }
  test('of which nothing can be suggested', async () => {
    const { code, err } = await run(['import', '--suggest-map', file('f.csv', '')]);
    assert.match(err, /f\.csv:1: the file is empty/);
    assert.equal(code, 1);
  });
});

test('what cardea search writes is imported again, and changes nothing', async () => {
  const people =
    '{"_type":"identity","id":"r1","name":"a","tags":["x","y"],"inactive":true,"attributes":{"n":5,"t":"007"},"accounts":[{"id":"a1","name":"=x"},{"id":"a2","disabled":false}]}\n';
  assert.equal((await run(['import', file('r.ndjson', people)])).code, 0);
  const columns =
    'id,name,tags,inactive,attributes.n,attributes.t,accounts.id,accounts.name,accounts.disabled';
  for (const rows of [[], ['--rows', 'accounts']]) {
    const found = await run(['search', 'id:r1', '--csv', '--columns', columns, ...rows]);
    assert.equal(found.code, 0, found.err);
    const { out, err } = await run(['import', ...IDENTITIES, file('r.csv', found.out)]);
    assert.match(out, /^0 created, 0 updated, [12] unchanged, 0 failed\.\n$/, err);
  }
});

test('auth users come from CSV, and members without a column stay', async () => {
  const users = file('u.csv', 'id,uid,email,capabilities\nu1,uma,uma@x.test,HELPDESK\n');
  assert.match((await run(['import', '--auth-users', users])).out, /^1 created/);
  const change = file('v.csv', 'id,firstname\nu1,Uma\n');
  assert.match((await run(['import', '--auth-users', change])).out, /^0 created, 1 updated/);
  const { out } = await run(['user', 'show', 'uma', '--json']);
  const { firstname, email, capabilities } = JSON.parse(out);
  assert.deepEqual([firstname, email, capabilities], ['Uma', 'uma@x.test', ['HELPDESK']]);
});
