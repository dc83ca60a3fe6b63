// Where tiles are in an image.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TileWidth } from '../../../api/dashboard.ts';
import type { LoadedTile, TileData } from '../tile/tile.ts';
import { layoutOf, MARGIN } from './image-layout.ts';

const tile = (width: TileWidth, values = 0): LoadedTile => {
  const data: TileData =
    values === 0
      ? { kind: 'number', value: 1, note: null, trend: null }
      : {
          ...{ kind: 'values', field: 'f' },
          values: Array.from({ length: values }, () => ({ name: 'n', count: 1, address: null })),
        };
  return {
    tile: {
      ...{ id: '', title: '', hint: null, kind: data.kind, width, address: null, query: '' },
      ...{ isFailure: false, alarm: null, key: '', load: async () => data },
    },
    data,
  };
};

test('fills lines of four columns in order, and makes the tiles of a line equally high', () => {
  const { tiles, width, height } = layoutOf([tile(1), tile(2, 6), tile(2), tile(4)]);
  const [first, second, third, fourth] = tiles;
  assert.equal(first?.y, second?.y);
  assert.equal(first?.height, second?.height);
  assert.ok((second?.x ?? 0) > (first?.x ?? 0) + (first?.width ?? 0));
  assert.equal(third?.x, MARGIN);
  assert.ok((third?.y ?? 0) >= (first?.y ?? 0) + (first?.height ?? 0));
  assert.equal(fourth?.width, width - 2 * MARGIN);
  assert.equal(height, (fourth?.y ?? 0) + (fourth?.height ?? 0) + MARGIN);
});

test('the image of one tile is as wide as the tile, but two columns at least', () => {
  const wide = layoutOf([tile(4)]).width;
  const half = layoutOf([tile(2)]).width;
  assert.ok(half < wide);
  assert.equal(layoutOf([tile(1)]).width, half);
});
