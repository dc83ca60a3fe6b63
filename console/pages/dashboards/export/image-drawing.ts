// Draws tiles into a PNG on a canvas: on a light background whatever the theme, with the title, the
// date, and the query of each tile, so that the image explains itself where it is pasted.

import { textAt } from '../../../model/document-value.ts';
import { type Bars, barScale, drawnBars, stepOf, timeText } from '../../../ui/charts/bars.ts';
import { alarmOf, type LoadedTile, type TileData } from '../tile/tile.ts';
import {
  layoutOf,
  MARGIN,
  type PlacedTile,
  ROW_HEIGHT,
  TILE_HEAD,
  VALUE_HEIGHT,
} from './image-layout.ts';

/** The light colours of style/base.css. */
const COLOURS = {
  ground: '#f6f7f8',
  panel: '#ffffff',
  line: '#dfe3e6',
  tint: '#eef1f2',
  text: '#16191c',
  quiet: '#5a646b',
  bad: '#b3261e',
  warn: '#8a4b00',
  bar: '#3f9ea0',
  failed: '#c9372c',
} as const;
const FAMILY = '"Geist Variable", system-ui, sans-serif';
/** Pixels of the image for each CSS pixel. */
const SCALE = 2;
const PADDING = 16;

type Context = CanvasRenderingContext2D;

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws an image.
 * @param title of the dashboard or the tile
 * @param date the time of the data, ISO 8601
 * @returns a PNG
 */
export async function drawImage(
  title: string,
  date: string,
  tiles: readonly LoadedTile[],
): Promise<Blob> {
  const layout = layoutOf(tiles);
  const canvas = document.createElement('canvas');
  canvas.width = layout.width * SCALE;
  canvas.height = layout.height * SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser offers no canvas');
  await document.fonts.ready;
  context.scale(SCALE, SCALE);
  context.textBaseline = 'top';
  context.fillStyle = COLOURS.ground;
  context.fillRect(0, 0, layout.width, layout.height);
  const { width } = layout;
  write(context, title, { x: MARGIN, y: MARGIN - 4, width: width - 2 * MARGIN - 210 }, 'title');
  const when = `${date.slice(0, 10)} ${date.slice(11, 16)} UTC`;
  write(context, when, { x: MARGIN, y: MARGIN + 2, width: width - 2 * MARGIN }, 'quiet', 'right');
  for (const tile of layout.tiles) drawTile(context, tile);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The image is too large for this browser'));
      else resolve(blob);
    }, 'image/png');
  });
}

function drawTile(context: Context, { loaded, x, y, width, height }: PlacedTile): void {
  const { tile, data } = loaded;
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 8);
  context.fillStyle = COLOURS.panel;
  context.fill();
  context.strokeStyle = COLOURS.line;
  context.stroke();
  const inside = { x: x + PADDING, width: width - 2 * PADDING };
  write(context, tile.title, { ...inside, y: y + 14 }, 'heading');
  writeLines(context, tile.query, { ...inside, y: y + 36 }, 'query');
  const body = { ...inside, y: y + TILE_HEAD, height: height - TILE_HEAD - PADDING };
  drawData(context, loaded, data, body);
}

function drawData(context: Context, { tile }: LoadedTile, data: TileData, area: Area): void {
  switch (data.kind) {
    case 'number':
      drawNumber(context, data, area, alarmOf(tile, data.value) ?? 'text');
      return;
    case 'values':
      drawValues(context, data.values, area, tile.isFailure ? COLOURS.failed : COLOURS.bar);
      return;
    case 'time':
      drawBars(context, data.bars, area, tile.isFailure ? COLOURS.failed : COLOURS.bar);
      return;
    case 'rows':
      drawRows(context, data, area);
  }
}

type DataOf<Kind extends TileData['kind']> = Extract<TileData, { readonly kind: Kind }>;

function drawNumber(
  context: Context,
  { value, note, trend }: DataOf<'number'>,
  area: Area,
  colour: 'text' | 'bad' | 'warn',
): void {
  write(context, value.toLocaleString('en'), area, 'figure', 'left', colour);
  if (note !== null) writeLines(context, note, { ...area, y: area.y + 42 }, 'quiet');
  if (trend !== null) drawLine(context, trend.values, { ...area, y: area.y + 82, height: 26 });
}

function drawValues(
  context: Context,
  values: DataOf<'values'>['values'],
  area: Area,
  colour: string,
): void {
  const most = Math.max(1, ...values.map(({ count }) => count));
  if (values.length === 0) write(context, 'No results', area, 'quiet');
  for (const [at, { name, count }] of values.entries()) {
    const line = { ...area, y: area.y + at * VALUE_HEIGHT };
    write(context, name, { ...line, width: area.width - 80 }, 'plain');
    write(context, count.toLocaleString('en'), line, 'quiet', 'right');
    const bar = { ...line, y: line.y + 19, height: 6 };
    fill(context, COLOURS.tint, bar);
    fill(context, colour, { ...bar, width: (area.width * count) / most });
  }
}

function drawRows(context: Context, { columns, rows, total }: DataOf<'rows'>, area: Area): void {
  const width = area.width / Math.max(1, columns.length);
  const cell = (at: number, line: number) => ({
    x: area.x + at * width,
    y: area.y + line * ROW_HEIGHT,
    width: width - 12,
  });
  for (const [at, { label }] of columns.entries()) write(context, label, cell(at, 0), 'quiet');
  for (const [row, document] of rows.entries()) {
    fill(context, COLOURS.line, { ...area, y: cell(0, row + 1).y - 5, height: 1 });
    for (const [at, { field }] of columns.entries()) {
      write(context, textAt(document, field), cell(at, row + 1), 'plain');
    }
  }
  const shown = `${rows.length} of ${total.toLocaleString('en')}`;
  write(context, shown, { ...area, y: cell(0, rows.length + 1).y }, 'quiet');
}

function drawBars(context: Context, bars: Bars, area: Area, colour: string): void {
  const { times, counts: exact } = bars;
  if (times.length === 0) {
    write(context, 'No data', area, 'quiet');
    return;
  }
  const scale = barScale(exact);
  const { counts, failed } = drawnBars(bars, scale);
  const most = Math.max(1, ...counts);
  const [first = 0] = times;
  const step = stepOf(times);
  const seconds = (times.at(-1) ?? 0) + step - first;
  const plot = {
    ...area,
    x: area.x + 44,
    width: area.width - 44,
    y: area.y + 14,
    height: area.height - 36,
  };
  const heightOf = (count: number) => (plot.height * count) / most;
  const base = plot.y + plot.height;
  for (const share of [0, 0.5, 1]) {
    const y = base - plot.height * share;
    fill(context, COLOURS.line, { ...plot, y, height: 1 });
    const text = Math.round(most * share).toLocaleString('en');
    write(context, text, { x: area.x, y: y - 6, width: 36 }, 'query', 'right');
  }
  for (const [at, time] of times.entries()) {
    const x = plot.x + (plot.width * (time - first)) / seconds;
    const width = Math.max(
      1,
      (0.86 * plot.width * ((times[at + 1] ?? time + step) - time)) / seconds,
    );
    const [count, bad] = [heightOf(counts[at] ?? 0), heightOf(failed[at] ?? 0)];
    fill(context, colour, { x, y: base - count, width, height: count });
    // An edge between two colours with too little contrast.
    if (bad > 0) fill(context, COLOURS.panel, { x, y: base - bad - 1, width, height: 1 });
    fill(context, COLOURS.failed, { x, y: base - bad, width, height: bad });
    if (!scale.cut.includes(at)) continue;
    fill(context, COLOURS.panel, { x, y: plot.y + 5, width, height: 3 });
    const text = (exact[at] ?? 0).toLocaleString('en');
    const isLeft = x - plot.x > 60;
    const label = { x: isLeft ? x - 64 : x + width + 4, y: plot.y - 2, width: 60 };
    write(context, text, label, 'query', isLeft ? 'right' : 'left', 'text');
  }
  const ends = { ...plot, y: base + 6 };
  write(context, timeText(first), ends, 'query');
  write(context, timeText(times.at(-1) ?? 0), ends, 'query', 'right');
}

function drawLine(context: Context, values: readonly number[], area: Area): void {
  const most = Math.max(1, ...values);
  context.beginPath();
  for (const [at, value] of values.entries()) {
    const x = area.x + (area.width * at) / Math.max(1, values.length - 1);
    context.lineTo(x, area.y + area.height - (area.height * value) / most);
  }
  context.strokeStyle = COLOURS.bar;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 1;
}

function fill(context: Context, colour: string, { x, y, width, height }: Area): void {
  context.fillStyle = colour;
  context.fillRect(x, y, width, height);
}

const STYLES = {
  title: { font: `650 22px ${FAMILY}`, colour: 'text' },
  heading: { font: `650 15px ${FAMILY}`, colour: 'text' },
  figure: { font: `650 32px ${FAMILY}`, colour: 'text' },
  plain: { font: `400 13px ${FAMILY}`, colour: 'text' },
  quiet: { font: `400 13px ${FAMILY}`, colour: 'quiet' },
  query: { font: `400 11px ${FAMILY}`, colour: 'quiet' },
} as const;

/** Writes a text in one line, with an ellipsis where it is too long. */
function write(
  context: Context,
  text: string,
  { x, y, width }: Omit<Area, 'height'>,
  style: keyof typeof STYLES,
  align: 'left' | 'right' = 'left',
  colour: keyof typeof COLOURS = STYLES[style].colour,
): void {
  context.font = STYLES[style].font;
  context.fillStyle = COLOURS[colour];
  context.textAlign = align;
  context.fillText(fitted(context, text, width), align === 'left' ? x : x + width, y);
}

const LINES_MAX = 2;
const LINE_HEIGHT = { quiet: 17, query: 14 } as const;

/** Writes a text in up to two lines, divided between words. */
function writeLines(
  context: Context,
  text: string,
  area: Omit<Area, 'height'>,
  style: keyof typeof LINE_HEIGHT,
): void {
  context.font = STYLES[style].font;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    const isFull = line !== '' && context.measureText(longer).width > area.width;
    if (isFull && lines.length < LINES_MAX) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  for (const [at, line] of lines.entries()) {
    write(context, line, { ...area, y: area.y + at * LINE_HEIGHT[style] }, style);
  }
}

function fitted(context: Context, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text];
  let [short, long] = [0, letters.length];
  while (long - short > 1) {
    const half = Math.floor((short + long) / 2);
    const isFitting = context.measureText(`${letters.slice(0, half).join('')}…`).width <= width;
    [short, long] = isFitting ? [half, long] : [short, half];
  }
  return `${letters.slice(0, short).join('')}…`;
}
