// Bar and line charts over time, drawn by uPlot. Loaded with the first chart, since most pages have
// none.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Bars {
  /** Start times of the bars: epoch seconds, ascending. */
  readonly times: readonly number[];
  readonly counts: readonly number[];
  /** The part of each count that failed, drawn in red. */
  readonly failed?: readonly number[];
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
  destroy(): void;
}

/** Creates a bar chart that fills the width of an element. */
export function barChart(
  container: HTMLElement,
  heightPx: number,
  onSpan: OnSpan,
  onBar: OnBar,
): Chart<Bars> {
  return chartOf(container, ({ times, counts, failed = [] }) => ({
    options: barOptions(container, heightPx, stepOf(times), { onSpan, onBar }),
    data: [[...times], [...counts], times.map((_, at) => failed[at] ?? 0)],
  }));
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

function barOptions(
  container: HTMLElement,
  height: number,
  step: number,
  { onSpan, onBar }: { readonly onSpan: OnSpan; readonly onBar: OnBar },
): uPlot.Options {
  const colour = colourAt(container);
  const { axes, ...frame } = frameOf(container, height);
  const [times, counts] = axes;
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
    axes: [times, { ...counts, incrs: WHOLE_STEPS }],
    series: [{}, bars('--chart-bar'), bars('--chart-bad')].map((series) => series as uPlot.Series),
    hooks: {
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

/** The bar that covers a time. */
function barAt(times: ArrayLike<number>, time: number): number | null {
  let at = -1;
  while (at + 1 < times.length && (times[at + 1] ?? 0) <= time) at += 1;
  return at < 0 ? null : at;
}

/** The width of the last bar in seconds: that of the bar before it. */
function stepOf(times: readonly number[]): number {
  const [before, last] = times.slice(-2);
  return before === undefined || last === undefined ? 3600 : last - before;
}
