// Bar and line charts over time, drawn by uPlot. Loaded with the first chart, since most pages have
// none.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisTexts, type BarScale, type Bars, barAt, drawnBars, endOf, stepOf } from './bars.ts';

/** The bars of a chart, and how high it is. */
export interface ScaledBars {
  readonly bars: Bars;
  readonly scale: BarScale;
}

/** Lines with the same times. */
export interface Lines {
  /** Epoch seconds, ascending. */
  readonly times: readonly number[];
  /** The visible range in epoch seconds, whether or not the values cover it. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly values: readonly number[];
  /** A CSS variable of style/base.css. */
  readonly colour: string;
  /** Lengths of dashes and gaps, so that lines differ in more than colour; solid by default. */
  readonly dash?: readonly number[];
}

/** Axis steps for counts, which are integers. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 8 }, (_, power) => step * 10 ** power))
  .sort((one, other) => one - other);

/** Receives the bar under the pointer; null: none. */
export type OnBar = (at: number | null) => void;

/** Receives a selected range in epoch seconds; null: the chart has no selection. */
export type OnSpan = ((from: number, to: number) => void) | null;

export interface Chart<Data> {
  /** Redraws the chart with the current size of its element and the current colours. */
  draw(data: Data): void;
  /** Marks a bar, as the pointer does; null: none. */
  mark(at: number | null): void;
  destroy(): void;
}

/** Creates a bar chart that fills the width of an element. */
export function barChart(
  container: HTMLElement,
  heightPx: number,
  onSpan: OnSpan,
  onBar: OnBar,
): Chart<ScaledBars> {
  return chartOf(container, ({ bars, scale }) => {
    const { counts, failed } = drawnBars(bars, scale);
    return {
      options: barOptions(container, heightPx, { bars, scale }, { onSpan, onBar }),
      data: [[...bars.times], counts, failed],
    };
  });
}

/** Creates a line chart that fills the width of an element. */
export function lineChart(container: HTMLElement, heightPx: number): Chart<Lines> {
  return chartOf(container, (drawn) => ({
    options: lineOptions(container, heightPx, drawn),
    data: [[...drawn.times], ...drawn.lines.map(({ values }) => [...values])],
  }));
}

function chartOf<Data>(
  container: HTMLElement,
  optionsFor: (data: Data) => { options: uPlot.Options; data: uPlot.AlignedData },
): Chart<Data> {
  let chart: uPlot | null = null;
  return {
    draw(drawn) {
      chart?.destroy();
      const { options, data } = optionsFor(drawn);
      chart = new uPlot(options, data, container);
    },
    mark(at) {
      const time = at === null ? undefined : chart?.data[0][at];
      const left = time === undefined ? -10 : (chart?.valToPos(time, 'x') ?? 0) + 1;
      chart?.setCursor({ left, top: left < 0 ? -10 : 1 }, false);
    },
    destroy() {
      chart?.destroy();
      chart = null;
    },
  };
}

/** Resolves CSS variables, which a canvas cannot use, through the colour of the element. */
function colourAt(container: HTMLElement): (name: string) => string {
  return (name) => {
    container.style.color = `var(${name})`;
    return getComputedStyle(container).color;
  };
}

/** The options that all charts share. */
function frameOf(container: HTMLElement, height: number) {
  const colour = colourAt(container);
  const lines = { stroke: colour('--chart-line'), width: 1 };
  const axis = {
    stroke: colour('--chart-text'),
    font: '11px "Geist Variable", system-ui, sans-serif',
    grid: { ...lines, show: true },
    ticks: { ...lines, show: false },
  };
  return {
    width: Math.max(container.clientWidth, 200),
    height,
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    legend: { show: false },
    axes: [
      { ...axis, grid: { show: false }, space: 70 },
      { ...axis, size: 46, space: 24 },
    ] as const,
  };
}

const FROM_ZERO: uPlot.Scale = {
  range: (_chart, _least, most) => [0, Math.max(1, most * 1.08)],
};

function lineOptions(
  container: HTMLElement,
  height: number,
  { lines, from, to }: Lines,
): uPlot.Options {
  const colour = colourAt(container);
  const { axes, ...frame } = frameOf(container, height);
  const [times, values] = axes;
  return {
    ...frame,
    scales: { x: { range: [from, to] }, y: FROM_ZERO },
    cursor: { show: false },
    axes: [{ ...times, space: 50, size: 26, values: (_chart, at) => at.map(clockText) }, values],
    series: [
      {},
      ...lines.map((line) => ({
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
      })),
    ],
  };
}

/** `13:05`, in UTC. */
function clockText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16);
}

/** Draws a line between the failures and the rest of a bar, whose colours have too little contrast. */
function drawEdges(drawn: uPlot, times: readonly number[]): void {
  const failed = drawn.data[2] ?? [];
  const edge = Math.ceil(devicePixelRatio);
  for (const at of times.keys()) {
    const count = failed[at];
    if (!count) continue;
    const { left, width } = columnOf(drawn, times, at);
    drawn.ctx.clearRect(left, Math.round(drawn.valToPos(count, 'y', true)) - edge, width, edge);
  }
}

/** The column of a bar on the canvas. */
function columnOf(drawn: uPlot, times: readonly number[], at: number) {
  const left = drawn.valToPos(times[at] ?? 0, 'x', true);
  return { left, width: drawn.valToPos(endOf(times, at), 'x', true) - left };
}

/** The height of the gap that shows that a bar goes on, in CSS pixels. */
const GAP_PX = 3;

/** Draws a gap near the top of each bar that is cut off, and its count above it. */
function drawCuts(
  drawn: uPlot,
  {
    times,
    counts,
    scale,
    colour,
  }: {
    readonly times: readonly number[];
    readonly counts: readonly number[];
    readonly scale: BarScale;
    readonly colour: string;
  },
): void {
  const { ctx, bbox } = drawn;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.font = `${11 * ratio}px "Geist Variable", system-ui, sans-serif`;
  ctx.textBaseline = 'bottom';
  let free = 0;
  for (const at of scale.cut) {
    const { left, width } = columnOf(drawn, times, at);
    const top = drawn.valToPos(scale.ceiling, 'y', true);
    ctx.clearRect(left, top + 5 * ratio, width, GAP_PX * ratio);
    const text = (counts[at] ?? 0).toLocaleString('en');
    const wide = ctx.measureText(text).width;
    // Above its bar, or after the count of the bar before it.
    const start = Math.min(left + (width - wide) / 2, bbox.left + bbox.width - wide);
    const from = Math.max(start, free);
    ctx.fillText(text, from, top - 2 * ratio);
    free = from + wide + 6 * ratio;
  }
  ctx.restore();
}

function barOptions(
  container: HTMLElement,
  height: number,
  { bars: { times, counts }, scale }: ScaledBars,
  { onSpan, onBar }: { readonly onSpan: OnSpan; readonly onBar: OnBar },
): uPlot.Options {
  const colour = colourAt(container);
  const { axes, ...frame } = frameOf(container, height);
  const [timeAxis, countAxis] = axes;
  const step = stepOf(times);
  const bars = (fill: string) => ({
    fill: colour(fill),
    width: 0,
    paths: uPlot.paths.bars?.({ size: [0.86, 60], align: 1, radius: 0.12 }) ?? null,
    points: { show: false },
  });
  return {
    ...frame,
    scales: {
      x: { range: (_chart, first, last) => [first, last + step] },
      y: FROM_ZERO,
    },
    cursor: {
      points: { show: false },
      y: false,
      drag: { x: onSpan !== null, y: false, setScale: false },
    },
    // Room for the counts above bars that are cut off.
    padding: [scale.cut.length > 0 ? 18 : 10, null, null, null],
    axes: [
      { ...timeAxis, size: 38, values: (_chart, at, _axis, _space, by) => axisTexts(at, by) },
      { ...countAxis, incrs: WHOLE_STEPS },
    ],
    series: [{}, bars('--chart-bar'), bars('--chart-bad')].map((series) => series as uPlot.Series),
    hooks: {
      draw: [
        (drawn) => drawEdges(drawn, times),
        (drawn) => drawCuts(drawn, { times, counts, scale, colour: colour('--text') }),
      ],
      setCursor: [
        (drawn) => {
          const { left = -1 } = drawn.cursor;
          onBar(left < 0 ? null : barAt(drawn.data[0], drawn.posToVal(left, 'x')));
        },
      ],
      setSelect: [
        (drawn) => {
          const { left, width } = drawn.select;
          if (onSpan === null || width < 3) return;
          onSpan(drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}
