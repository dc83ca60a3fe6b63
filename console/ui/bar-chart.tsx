// A bar chart over time, on which a time range can be selected by dragging.
import { useCallback, useRef } from 'preact/hooks';
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
  const isSelectable = onSpan !== null;
  const make = useCallback<ChartContainerProps<Bars>['make']>(
    ({ barChart }, container) =>
      barChart(container, heightPx, isSelectable ? (from, to) => latest.current?.(from, to) : null),
    [heightPx, isSelectable],
  );
  return <ChartContainer data={bars} label={label} heightPx={heightPx} make={make} />;
}
