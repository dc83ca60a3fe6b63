// Bars and lines over time, drawn by uPlot. It is fetched when the first chart is shown, since most pages have none.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Bars {
  /** Epoch seconds, ascending: where bars begin. */
  readonly times: readonly number[];
  readonly counts: readonly number[];
}

/** Lines over the same times. */
export interface Lines {
  /** Epoch seconds, ascending. */
  readonly times: readonly number[];
  /** Epoch seconds: what is shown, whether or not there is a value everywhere. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly values: readonly number[];
  /** A variable of style/base.css. */
  readonly colour: string;
  /** Lengths of strokes and gaps, so that lines differ in more than colour; left out: one stroke. */
  readonly dash?: readonly number[];
}

/** Counts are whole. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 8 }, (_, power) => step * 10 ** power))
  .sort((one, other) => one - other);

/** Where something was dragged over, in epoch seconds; null: the chart cannot be chosen from. */
export type OnSpan = ((from: number, to: number) => void) | null;

export interface Chart<Data> {
  /** Draws it anew, at the size its place has now, in the colours of now. */
  draw(data: Data): void;
  destroy(): void;
}

/** Bars in an element, as wide as that is. */
export function barChart(place: HTMLElement, heightPx: number, onSpan: OnSpan): Chart<Bars> {
  return chartOf(place, ({ times, counts }) => ({
    options: barOptions(place, heightPx, stepOf(times), onSpan),
    data: [[...times], [...counts]],
  }));
}

/** Lines in an element, as wide as that is. */
export function lineChart(place: HTMLElement, heightPx: number): Chart<Lines> {
  return chartOf(place, (drawn) => ({
    options: lineOptions(place, heightPx, drawn),
    data: [[...drawn.times], ...drawn.lines.map(({ values }) => [...values])],
  }));
}

function chartOf<Data>(
  place: HTMLElement,
  plan: (data: Data) => { options: uPlot.Options; data: uPlot.AlignedData },
): Chart<Data> {
  let chart: uPlot | null = null;
  return {
    draw(drawn) {
      chart?.destroy();
      const { options, data } = plan(drawn);
      chart = new uPlot(options, data, place);
    },
    destroy() {
      chart?.destroy();
      chart = null;
    },
  };
}

/** A canvas knows no variables: they are resolved by giving them to the place as its colour. */
function colourAt(place: HTMLElement): (name: string) => string {
  return (name) => {
    place.style.color = `var(${name})`;
    return getComputedStyle(place).color;
  };
}

/** What all charts are like. */
function frameOf(place: HTMLElement, height: number) {
  const colour = colourAt(place);
  const lines = { stroke: colour('--chart-line'), width: 1 };
  const axis = {
    stroke: colour('--chart-text'),
    font: '11px system-ui, sans-serif',
    grid: { ...lines, show: true },
    ticks: { ...lines, show: false },
  };
  return {
    width: Math.max(place.clientWidth, 200),
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
  place: HTMLElement,
  height: number,
  { lines, from, to }: Lines,
): uPlot.Options {
  const colour = colourAt(place);
  const { axes, ...frame } = frameOf(place, height);
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
  place: HTMLElement,
  height: number,
  step: number,
  onSpan: OnSpan,
): uPlot.Options {
  const colour = colourAt(place);
  const { axes, ...frame } = frameOf(place, height);
  const [times, counts] = axes;
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
    series: [
      {},
      {
        fill: colour('--chart-bar'),
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.86, 60], align: 1, radius: 0.12 }) ?? null,
        points: { show: false },
      },
    ].map((series) => series as uPlot.Series),
    hooks: {
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

/** How long the last bar lasts, in seconds: as long as the one before it. */
function stepOf(times: readonly number[]): number {
  const [before, last] = times.slice(-2);
  return before === undefined || last === undefined ? 3600 : last - before;
}
