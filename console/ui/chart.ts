// Bars over time, drawn by uPlot. It is fetched when the first chart is shown, since most pages have none.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Bars {
  /** Epoch seconds, ascending: where bars begin. */
  readonly times: readonly number[];
  readonly counts: readonly number[];
}

/** Counts are whole. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 8 }, (_, power) => step * 10 ** power))
  .sort((one, other) => one - other);

/** Where something was dragged over, in epoch seconds; null: the chart cannot be chosen from. */
export type OnSpan = ((from: number, to: number) => void) | null;

export interface Chart {
  /** Draws it anew, at the size its place has now, in the colours of now. */
  draw(bars: Bars): void;
  destroy(): void;
}

/** A chart in an element, as wide as that is. */
export function barChart(place: HTMLElement, heightPx: number, onSpan: OnSpan): Chart {
  let chart: uPlot | null = null;
  return {
    draw({ times, counts }) {
      chart?.destroy();
      const data: uPlot.AlignedData = [[...times], [...counts]];
      chart = new uPlot(optionsFor(place, heightPx, stepOf(times), onSpan), data, place);
    },
    destroy() {
      chart?.destroy();
      chart = null;
    },
  };
}

function optionsFor(
  place: HTMLElement,
  height: number,
  step: number,
  onSpan: OnSpan,
): uPlot.Options {
  // A canvas knows no variables: they are resolved by giving them to the place as its colour.
  const colour = (name: string) => {
    place.style.color = `var(${name})`;
    return getComputedStyle(place).color;
  };
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
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    legend: { show: false },
    scales: {
      x: { range: (_chart, first, last) => [first, last + step] },
      y: { range: (_chart, _least, most) => [0, Math.max(1, most * 1.08)] },
    },
    cursor: {
      points: { show: false },
      y: false,
      drag: { x: onSpan !== null, y: false, setScale: false },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70 },
      { ...axis, size: 46, space: 24, incrs: WHOLE_STEPS },
    ],
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
