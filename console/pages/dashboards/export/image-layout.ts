// Where the tiles of an image are: four columns, as on the page, and tiles of a row equally high.
import type { TileWidth } from '../../../api/dashboard.ts';
import type { LoadedTile, TileData } from '../tile/tile.ts';

export interface PlacedTile {
  readonly loaded: LoadedTile;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ImageLayout {
  readonly width: number;
  readonly height: number;
  readonly tiles: readonly PlacedTile[];
}

/** All lengths are in CSS pixels. */
export const MARGIN = 32;
const GAP = 16;
const COLUMN = 272;
export const COLUMNS = 4;
/** The height of the heading of the image. */
const HEADING = 56;
/** The height of title and query of a tile, and its padding. */
export const TILE_HEAD = 72;
const PADDING = 16;
export const VALUE_HEIGHT = 34;
export const ROW_HEIGHT = 24;

/** The layout of tiles; a single tile has an image of its own width. */
export function layoutOf(tiles: readonly LoadedTile[]): ImageLayout {
  const columns = Math.max(2, ...linesOf(tiles).map((line) => spanOf(line)));
  const width = 2 * MARGIN + widthOf(columns as TileWidth);
  const placed: PlacedTile[] = [];
  let y = MARGIN + HEADING;
  for (const line of linesOf(tiles)) {
    const height = Math.max(...line.map(({ data }) => heightOf(data)));
    let x = MARGIN;
    for (const loaded of line) {
      const tileWidth = widthOf(loaded.tile.width);
      placed.push({ loaded, x, y, width: tileWidth, height });
      x += tileWidth + GAP;
    }
    y += height + GAP;
  }
  return { width, height: y - GAP + MARGIN, tiles: placed };
}

/** Divides tiles into lines of at most four columns, in order. */
function linesOf(tiles: readonly LoadedTile[]): LoadedTile[][] {
  const lines: LoadedTile[][] = [];
  for (const loaded of tiles) {
    const line = lines.at(-1);
    if (line === undefined || spanOf(line) + loaded.tile.width > COLUMNS) lines.push([loaded]);
    else line.push(loaded);
  }
  return lines;
}

function spanOf(line: readonly LoadedTile[]): number {
  return line.reduce((columns, { tile }) => columns + tile.width, 0);
}

function widthOf(columns: number): number {
  return columns * COLUMN + (columns - 1) * GAP;
}

function heightOf(data: TileData): number {
  const body = () => {
    switch (data.kind) {
      case 'number':
        return data.trend !== null ? 110 : data.note !== null ? 78 : 44;
      case 'values':
        return Math.max(1, data.values.length) * VALUE_HEIGHT;
      case 'time':
        return 190;
      case 'rows':
        return (data.rows.length + 2) * ROW_HEIGHT;
    }
  };
  return TILE_HEAD + body() + PADDING;
}
