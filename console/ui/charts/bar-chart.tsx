// A bar chart over time, on which a time range can be selected: by dragging, or bar by bar with the
// keyboard. The bar under the pointer or of the keyboard is described in words above the chart.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import '../../style/charts.css';
import { type Bars, barScale, barText, endOf } from './bars.ts';
import type { OnSpan, ScaledBars } from './chart.ts';
import { ChartContainer, type ChartContainerProps } from './chart-container.tsx';

export interface BarChartProps {
  readonly bars: Bars;
  /** Text alternative. */
  readonly label: string;
  readonly heightPx?: number;
  readonly onSpan?: OnSpan;
}

export function BarChart({ bars, label, heightPx = 120, onSpan = null }: BarChartProps) {
  const latest = useRef(onSpan);
  latest.current = onSpan;
  const [hovered, setHovered] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const [isFull, setFull] = useState(false);
  const scale = useMemo(() => barScale(bars.counts), [bars]);
  const drawn = useMemo(
    (): ScaledBars => ({
      bars,
      scale: isFull ? { ceiling: Number.POSITIVE_INFINITY, cut: [] } : scale,
    }),
    [bars, scale, isFull],
  );
  const isSelectable = onSpan !== null;
  const make = useCallback<ChartContainerProps<ScaledBars>['make']>(
    ({ barChart }, container) =>
      barChart(
        container,
        heightPx,
        isSelectable ? (from, to) => latest.current?.(from, to) : null,
        setHovered,
      ),
    [heightPx, isSelectable],
  );
  const now = Date.now() / 1000;
  // The bars may be fewer than those that one was chosen from.
  const shown = [chosen, hovered].find((at) => at !== null && at < bars.times.length) ?? null;
  return (
    <div class="bar-frame">
      <ChartContainer data={drawn} label={label} heightPx={heightPx} marked={chosen} make={make} />
      {bars.times.length > 0 && (
        <BarChooser
          bars={bars}
          now={now}
          chosen={chosen}
          onChoose={setChosen}
          onSelect={
            isSelectable ? (at) => onSpan?.(bars.times[at] ?? 0, endOf(bars.times, at)) : null
          }
        />
      )}
      {shown !== null && <p class="bar-hovered">{barText(bars, shown, now)}</p>}
      {scale.cut.length > 0 && (
        <button
          type="button"
          class="link-button bar-scale"
          aria-pressed={isFull}
          onClick={() => setFull(!isFull)}
        >
          {isFull ? 'Cut off high bars' : cutText(scale.cut.length)}
        </button>
      )}
    </div>
  );
}

/** A slider over the bars, for the keyboard; it is shown as the outline of the chart. */
function BarChooser({
  bars,
  now,
  chosen,
  onChoose,
  onSelect,
}: {
  bars: Bars;
  now: number;
  chosen: number | null;
  onChoose: (at: number | null) => void;
  onSelect: ((at: number) => void) | null;
}) {
  const last = bars.times.length - 1;
  const at = Math.min(chosen ?? last, last);
  return (
    <input
      type="range"
      class="bar-chooser"
      aria-label={
        onSelect === null ? 'Bars by arrow keys' : 'Bars by arrow keys, Enter selects one'
      }
      aria-valuetext={barText(bars, at, now)}
      min={0}
      max={last}
      value={at}
      onFocus={() => onChoose(at)}
      onBlur={() => onChoose(null)}
      onInput={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSelect?.(at);
      }}
    />
  );
}

function cutText(count: number): string {
  return `${count === 1 ? '1 bar is' : `${count} bars are`} cut off. Show in full`;
}
