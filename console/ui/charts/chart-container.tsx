// The element around a chart. Redraws the chart when its data, its size or the theme changes, and
// carries its text alternative.
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from './chart.ts';

export interface ChartContainerProps<Data> {
  readonly data: Data;
  /** Text alternative. */
  readonly label: string;
  readonly heightPx: number;
  /** The bar to mark; null: none. */
  readonly marked?: number | null;
  /** Creates the chart once its code is loaded; a new function creates a new chart. */
  readonly make: (charts: typeof import('./chart.ts'), container: HTMLElement) => Chart<Data>;
}

export function ChartContainer<Data>({
  data,
  label,
  heightPx,
  marked,
  make,
}: ChartContainerProps<Data>) {
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef(data);
  latest.current = data;
  const redraw = useRef<(() => void) | null>(null);
  const current = useRef<Chart<Data> | null>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let chart: Chart<Data> | null = null;
    let isUnmounted = false;
    const draw = () => chart?.draw(latest.current);
    const sizeObserver = new ResizeObserver(draw);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const themeObserver = new MutationObserver(draw);
    import('./chart.ts').then(
      (charts) => {
        if (isUnmounted) return;
        chart = make(charts, element);
        current.current = chart;
        sizeObserver.observe(element);
        draw();
      },
      () => element.replaceChildren('The chart could not be loaded.'),
    );
    dark.addEventListener('change', draw);
    themeObserver.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    redraw.current = draw;
    return () => {
      isUnmounted = true;
      sizeObserver.disconnect();
      themeObserver.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
      current.current = null;
    };
  }, [make]);
  useEffect(() => redraw.current?.(), [data]);
  useEffect(() => {
    if (marked !== undefined) current.current?.mark(marked);
  }, [marked]);
  return (
    <div
      class="bar-chart"
      ref={container}
      role="img"
      aria-label={label}
      style={{ minHeight: `${heightPx}px` }}
    />
  );
}
