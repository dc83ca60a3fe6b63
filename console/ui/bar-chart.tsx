// A chart in a page: drawn again when its figures, its room or the theme change. What it shows is told in words, too.
import { useEffect, useRef } from 'preact/hooks';
import type { Bars, Chart, OnSpan } from './chart.ts';

export interface BarChartProps {
  readonly bars: Bars;
  /** What is to be seen, in words. */
  readonly label: string;
  readonly heightPx?: number;
  readonly onSpan?: OnSpan;
}

export function BarChart({ bars, label, heightPx = 120, onSpan = null }: BarChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ bars, onSpan });
  latest.current = { bars, onSpan };
  const redraw = useRef<(() => void) | null>(null);
  const canChoose = onSpan !== null;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let chart: Chart | null = null;
    let isGone = false;
    const draw = () => chart?.draw(latest.current.bars);
    const sized = new ResizeObserver(draw);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const themed = new MutationObserver(draw);
    import('./chart.ts').then(
      ({ barChart }) => {
        if (isGone) return;
        chart = barChart(
          element,
          heightPx,
          canChoose ? (from, to) => latest.current.onSpan?.(from, to) : null,
        );
        sized.observe(element);
        draw();
      },
      () => element.replaceChildren('The chart could not be fetched.'),
    );
    dark.addEventListener('change', draw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    redraw.current = draw;
    return () => {
      isGone = true;
      sized.disconnect();
      themed.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [heightPx, canChoose]);
  useEffect(() => redraw.current?.(), [bars]);
  return (
    <div
      class="bar-chart"
      ref={place}
      role="img"
      aria-label={label}
      style={{ minHeight: `${heightPx}px` }}
    />
  );
}
