// Bars over time in a page, which may be dragged over.
import { useCallback, useRef } from 'preact/hooks';
import type { Bars, OnSpan } from './chart.ts';
import { ChartPlace, type ChartPlaceProps } from './chart-place.tsx';

export interface BarChartProps {
  readonly bars: Bars;
  /** What is to be seen, in words. */
  readonly label: string;
  readonly heightPx?: number;
  readonly onSpan?: OnSpan;
}

export function BarChart({ bars, label, heightPx = 120, onSpan = null }: BarChartProps) {
  const latest = useRef(onSpan);
  latest.current = onSpan;
  const canChoose = onSpan !== null;
  const make = useCallback<ChartPlaceProps<Bars>['make']>(
    ({ barChart }, place) =>
      barChart(place, heightPx, canChoose ? (from, to) => latest.current?.(from, to) : null),
    [heightPx, canChoose],
  );
  return <ChartPlace data={bars} label={label} heightPx={heightPx} make={make} />;
}
