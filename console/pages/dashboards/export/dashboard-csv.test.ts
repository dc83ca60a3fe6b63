// What the CSV of tiles and dashboards has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadedTile, TileData } from '../tile/tile.ts';
import { MONTH } from '../tile/trend.ts';
import { dashboardCsv, tileCsv } from './dashboard-csv.ts';

const tile = (title: string, data: TileData): LoadedTile => ({
  tile: {
    ...{ id: title, title, hint: null, kind: data.kind, width: 1, address: null, query: 'a:b' },
    ...{ isFailure: false, alarm: null, key: title, load: async () => data },
  },
  data,
});
const NUMBER = tile('=Open', { kind: 'number', value: 12_345, note: null, trend: null });
const VALUES = tile('By source', {
  ...{ kind: 'values', field: 'source.name' },
  values: [
    { name: 'HR, Core', count: 7, address: null },
    { name: '+47', count: 0, address: null },
  ],
});
const TIME = tile('Over time', {
  ...{ kind: 'time', interval: 'day' },
  bars: { times: [0, 86_400], counts: [3, 4], failed: [0, 1] },
});
const ROWS = tile('People', {
  ...{ kind: 'rows', index: 'identities', total: 9 },
  columns: [
    { field: 'displayName', label: 'Name' },
    { field: 'accounts.name', label: 'Accounts' },
  ],
  rows: [{ displayName: 'Ada', accounts: [{ name: 'a' }, { name: 'b' }] }, { displayName: 'Bo' }],
});

const TABLES: readonly (readonly [tile: LoadedTile, csv: string])[] = [
  [NUMBER, "Figure,Documents\r\n'=Open,12345\r\n"],
  [VALUES, 'source.name,Documents\r\n"HR, Core",7\r\n\'+47,0\r\n'],
  [
    TIME,
    'Start (UTC),Documents,Failed\r\n1970-01-01T00:00:00.000Z,3,0\r\n1970-01-02T00:00:00.000Z,4,1\r\n',
  ],
  [ROWS, 'Name,Accounts\r\nAda,"a; b"\r\nBo,\r\n'],
];
for (const [loaded, csv] of TABLES) {
  test(`a tile of kind ${loaded.data.kind} is a table`, () =>
    assert.equal(tileCsv(loaded), `\uFEFF${csv}`));
}

test('a number has the counts of its trend', () => {
  const trend = { values: [1, 2], current: 3, previous: 5, period: MONTH, change: '' };
  const loaded = tile('Failed', { kind: 'number', value: 9, note: null, trend });
  assert.equal(
    tileCsv(loaded),
    '\uFEFFFigure,Documents\r\nFailed,9\r\nFailed: last 30 days,3\r\nFailed: as long before,5\r\n',
  );
});

test('a dashboard is one table of all values', () => {
  assert.equal(
    dashboardCsv([NUMBER, TIME, ROWS]),
    [
      '\uFEFFTile,Query,Row,Column,Value',
      "'=Open,a:b,'=Open,Documents,12345",
      'Over time,a:b,1970-01-01T00:00:00.000Z,Documents,3',
      'Over time,a:b,1970-01-01T00:00:00.000Z,Failed,0',
      'Over time,a:b,1970-01-02T00:00:00.000Z,Documents,4',
      'Over time,a:b,1970-01-02T00:00:00.000Z,Failed,1',
      'People,a:b,1,Name,Ada',
      'People,a:b,1,Accounts,"a; b"',
      'People,a:b,2,Name,Bo',
      'People,a:b,2,Accounts,',
      '',
    ].join('\r\n'),
  );
});
