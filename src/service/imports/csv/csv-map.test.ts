import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../../errors.ts';
import { csvIndex, readCsvForm } from './csv-import.ts';
import { parseCsvMap } from './csv-map.ts';

describe('a map is refused', () => {
  const CASES: readonly (readonly [map: string, ...causes: readonly string[]])[] = [
    ['', 'the map must be an object'],
    ['- a', 'the map must be an object'],
    ['columns: {', 'Flow map in block collection'],
    ['{}', 'columns is missing: an object with a member for each column of the file'],
    ['{column: {}}', 'the map has no member "column"; did you mean columns?'],
    [
      '{columns: {A: {too: id}}}',
      'columns.A has no member "too"; it has to, type',
      'columns.A.to must be a text',
    ],
    ['{columns: {A: 5}}', 'columns.A must be the name of a member, or an object'],
    [
      '{columns: {A: {to: x, type: int}}}',
      'columns.A.type must be one of text number boolean date list',
    ],
    ['{columns: {A: {to: x, format: dd.MM.yyyy}}}', 'columns.A.format needs type: date'],
    ['{columns: {A: {to: x, separator: ","}}}', 'columns.A.separator needs type: list'],
    ['{columns: {A: {to: x, true: ja}}}', 'columns.A.true needs type: boolean'],
    [
      '{columns: {A: {to: x, type: date, format: TT.MM.JJJJ}}}',
      'columns.A.format: "TT.MM.JJJJ" has "J"; use yyyy',
    ],
    [
      '{columns: {A: {to: x, type: date, format: MM.yyyy}}}',
      'columns.A.format: "MM.yyyy" must have a year, a month and a day',
    ],
    [
      '{columns: {A: {to: x, type: date, format: dd.MM.yyyy HH}}}',
      'columns.A.format: "dd.MM.yyyy HH" must have',
    ],
    ['{columns: {A: {to: x, blank: null}}}', 'columns.A.blank must be one of remove keep empty'],
    ['{columns: {A: id}, index: people}', 'index must be one of accessprofiles'],
    ['{columns: {A: id}, separator: ab}', 'separator "ab" must be one character'],
    ['{columns: {A: id}, encoding: ansi-x}', 'encoding "ansi-x" is not known; use utf-8, utf-16le'],
    [
      '{columns: {A: name}, elements: accounts}',
      'elements needs match: the column that names the record',
    ],
    [
      '{columns: {A: name}, match: id}',
      'match must be an object',
      'match must have one column and its member',
    ],
    ['{columns: {A: name}, match: {A: id, B: id}}', 'match must have one column and its member'],
    ['{columns: {A: name}, key: [name]}', 'key needs elements'],
    ['{columns: {A: id}, set: {a: [1]}}', 'set.a must be a text, a number, true or false'],
  ];
  for (const [map, ...causes] of CASES) {
    test(`${map === '' ? 'that is empty' : map}`, async () => {
      await assert.rejects(parseCsvMap(map), (error) => {
        assert.ok(error instanceof ServiceError && error.code === 'request_invalid');
        const given = error.details.causes ?? [];
        assert.equal(given.length, causes.length, given.join('\n'));
        for (const [n, cause] of causes.entries()) {
          assert.ok(given[n]?.startsWith(cause), given[n]);
        }
        return true;
      });
    });
  }
});

test('YAML words are words of a map', async () => {
  const map = await parseCsvMap('columns: {A: {to: x, type: boolean, true: [yes, 1], false: no}}');
  assert.deepEqual(map.columns.get('A'), [
    { to: 'x', type: 'boolean', true: ['yes', '1'], false: ['no'] },
  ]);
});

test('the index is that of the import or of the map, and not two', async () => {
  const [none, roles] = await Promise.all(
    ['{columns: {A: id}}', '{index: roles, columns: {A: id}}'].map((map) => readCsvForm({ map })),
  );
  assert.ok(none !== undefined && roles !== undefined);
  assert.equal(csvIndex('roles', none), 'roles');
  assert.equal(csvIndex(undefined, roles), 'roles');
  assert.throws(() => csvIndex(undefined, none), { message: 'Rows of CSV need an index.' });
  assert.throws(() => csvIndex('events', roles), { message: 'The map is not valid.' });
});
