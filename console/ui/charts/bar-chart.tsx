// A bar chart over time, on which a time range can be selected by dragging. The bar under the
// pointer is described in words above the chart.
import { useCallback, useRef, useState } from 'preact/hooks';
import type { Bars, OnSpan } from './chart.ts';
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
  const isSelectable = onSpan !== null;
  const make = useCallback<ChartContainerProps<Bars>['make']>(
    ({ barChart }, container) =>
      barChart(
        container,
        heightPx,
        isSelectable ? (from, to) => latest.current?.(from, to) : null,
        setHovered,
      ),
    [heightPx, isSelectable],
  );
  return (
    <div class="bar-frame">
      <ChartContainer data={bars} label={label} heightPx={heightPx} make={make} />
      {hovered !== null && <p class="bar-hovered">{barText(bars, hovered)}</p>}
    </div>
  );
}

/** `2026-11-20 00:00: 120, 3 failed`. */
function barText({ times, counts, failed }: Bars, at: number): string {
  const start = new Date((times[at] ?? 0) * 1000).toISOString();
  const day = start.slice(11, 16) === '00:00' ? start.slice(0, 10) : start.slice(0, 16);
  const failures = failed?.[at] ?? 0;
  const count = (counts[at] ?? 0).toLocaleString('en');
  return `${day.replace('T', ' ')}: ${count}${failures > 0 ? `, ${failures} failed` : ''}`;
}
