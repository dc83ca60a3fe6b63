import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type ImportMap,
  memberColumns,
  membersOf,
  memberText,
  withElements,
  withFormat,
  withKey,
  withMatch,
  withMember,
  withSet,
  withType,
} from './import-map.ts';

const MAP: ImportMap = {
  index: 'identities',
  columns: { ID: 'id', Since: { to: 'attributes.since', type: 'date', format: 'dd.MM.yyyy' } },
  set: { displayName: '{ID}' },
};
const { columns } = MAP;

describe('a change of a map', () => {
  const CASES: readonly (readonly [what: string, map: ImportMap, changed: object])[] = [
    ['another member', withMember(MAP, 'ID', 'name'), { columns: { ...columns, ID: 'name' } }],
    ['leaves a column out', withMember(MAP, 'ID', ''), { columns: { ...columns, ID: null } }],
    [
      'another member keeps the type',
      withMember(MAP, 'Since', 'created'),
      { columns: { ...columns, Since: { to: 'created', type: 'date', format: 'dd.MM.yyyy' } } },
    ],
    [
      'another type drops the format of the former',
      withType(MAP, 'Since', 'list'),
      { columns: { ...columns, Since: { to: 'attributes.since', type: 'list' } } },
    ],
    [
      'the type of the member',
      withType(MAP, 'Since', ''),
      { columns: { ...columns, Since: 'attributes.since' } },
    ],
    [
      'words',
      withFormat(withType(MAP, 'ID', 'boolean'), 'ID', 'true', 'ja, x'),
      { columns: { ...columns, ID: { to: 'id', type: 'boolean', true: ['ja', 'x'] } } },
    ],
    ['no text of a member', withSet(MAP, 'displayName', ''), { set: undefined }],
    [
      'elements',
      withKey(withElements(MAP, 'accounts'), 'source.name, name'),
      {
        ...{ elements: 'accounts', match: { ID: 'id' }, key: ['source.name', 'name'] },
        columns: { Since: columns['Since'] },
      },
    ],
    ['elements and back', withElements(withElements(MAP, 'accounts'), ''), {}],
    [
      'another column of the record',
      withMatch(withElements(MAP, 'accounts'), { column: 'Mail', member: 'email' }),
      { elements: 'accounts', match: { Mail: 'email' }, columns: { Since: columns['Since'] } },
    ],
  ];
  for (const [what, map, changed] of CASES) {
    test(what, () => {
      const expected = JSON.parse(JSON.stringify({ ...MAP, ...changed }));
      assert.deepEqual(JSON.parse(JSON.stringify(map)), expected);
    });
  }
});

test('the members of records are columns, and what is removed is not what stays', () => {
  const records = [
    { id: '1', attributes: { city: null }, accounts: [{ name: 'a' }, { name: 'b' }] },
    { id: '2', attributes: { level: 3 }, tags: ['x', 'y'] },
  ];
  const names = ['id', 'attributes.city', 'accounts.name', 'attributes.level', 'tags'];
  assert.deepEqual(memberColumns(records), names);
  assert.deepEqual(
    records.map((record) => names.map((name) => memberText(record, name))),
    [
      ['1', '–', 'a; b', '', ''],
      ['2', '', '', '3', 'x; y'],
    ],
  );
});

test('names the members of a column for several, and the words that set them', () => {
  const status = ['attributes.status', { to: 'inactive', type: 'boolean', true: ['left', 'gone'] }];
  const map: ImportMap = { columns: { ID: 'id', Status: status } };
  assert.deepEqual(
    membersOf(map, 'Status').map(({ text }) => text),
    ['attributes.status', 'inactive (left, gone)'],
  );
  assert.deepEqual(membersOf(map, 'ID'), []);
  const { Status } = withMember(map, 'Status', 'attributes.status').columns;
  assert.equal(Status, 'attributes.status');
});
