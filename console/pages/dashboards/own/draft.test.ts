// Editing a dashboard: tiles move, change and go, and keep their keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TileDefinition } from '../../../api/dashboard.ts';
import { copyOf, definitionOf, draftOf, moveTile, putTile, removeTile } from './draft.ts';

const tile = (title: string, changed: Partial<TileDefinition> = {}): TileDefinition => ({
  ...{ title, kind: 'number', width: 1, savedSearchId: null, field: null, size: null },
  ...{ alarmAbove: null, search: search(title), ...changed },
});
const search = (query: string) => ({
  ...{ indices: ['identities'], query, columns: {}, fields: null, sort: null, orderBy: null },
  filters: null,
});
const DRAFT = draftOf({ name: ' d ', shared: true, tiles: ['a', 'b', 'c'].map((t) => tile(t)) });
const titles = ({ tiles }: typeof DRAFT) =>
  tiles.map(({ key, definition }) => [key, definition.title]);

const MOVES: readonly (readonly [key: number, position: number, order: string])[] = [
  [0, 1, 'bac'],
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, -1, 'bac'],
  [1, 9, 'acb'],
  [7, 0, 'abc'],
];
for (const [key, position, order] of MOVES) {
  test(`moves tile ${key} to ${position}`, () => {
    const moved = moveTile(DRAFT, key, position);
    assert.equal(
      titles(moved)
        .map(([, title]) => title)
        .join(''),
      order,
    );
  });
}

test('adds, changes and removes tiles under keys of their own', () => {
  const added = putTile(removeTile(DRAFT, 2), null, tile('d'));
  assert.deepEqual(titles(added), [
    [0, 'a'],
    [1, 'b'],
    [3, 'd'],
  ]);
  assert.deepEqual(titles(putTile(added, 1, tile('B')))[1], [1, 'B']);
});

test('sends the name without spaces around it, and the tiles in their order', () => {
  const { name, shared, tiles } = definitionOf(moveTile(DRAFT, 0, 2));
  assert.deepEqual([name, shared, tiles.map(({ title }) => title)], ['d', true, ['b', 'c', 'a']]);
});

test('a copy has the searches of saved searches, and leaves out those that are gone', () => {
  const saved = tile('x', { title: null, savedSearchId: 's', savedSearchName: 'Leavers' });
  const gone = tile('y', { savedSearchId: 't', search: null });
  const copy = copyOf({
    ...{ id: 'i', owner: { id: 'o', name: null }, name: 'n'.repeat(119), shared: true },
    ...{ tileCount: 3, mayChange: false, tiles: [saved, gone, tile('z')] },
  });
  assert.deepEqual(
    copy.tiles.map(({ title, savedSearchId, search: own }) => [title, savedSearchId, own?.query]),
    [
      ['Leavers', null, 'x'],
      ['z', null, 'z'],
    ],
  );
  assert.equal(copy.shared, false);
  assert.equal(copy.name.length, 120);
});
