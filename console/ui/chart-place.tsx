// A chart's place in a page: drawn again when its figures, its room or the theme change. What it shows is told in words,
// too.
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from './chart.ts';

export interface ChartPlaceProps<Data> {
  readonly data: Data;
  /** What is to be seen, in words. */
  readonly label: string;
  readonly heightPx: number;
  /** Makes the chart once the code for it has come; another function makes another chart. */
  readonly make: (charts: typeof import('./chart.ts'), place: HTMLElement) => Chart<Data>;
}

export function ChartPlace<Data>({ data, label, heightPx, make }: ChartPlaceProps<Data>) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(data);
  latest.current = data;
  const redraw = useRef<(() => void) | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let chart: Chart<Data> | null = null;
    let isGone = false;
    const draw = () => chart?.draw(latest.current);
    const sized = new ResizeObserver(draw);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const themed = new MutationObserver(draw);
    import('./chart.ts').then(
      (charts) => {
        if (isGone) return;
        chart = make(charts, element);
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
  }, [make]);
  useEffect(() => redraw.current?.(), [data]);
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
