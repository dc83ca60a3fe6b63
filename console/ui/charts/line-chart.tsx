// A line chart over time, with a legend of the current values.
import type { Lines } from './chart.ts';
import { ChartContainer, type ChartContainerProps } from './chart-container.tsx';

export interface LineChartProps {
  readonly title: string;
  readonly drawn: Lines;
  /** One entry for each line. */
  readonly legend: readonly { readonly name: string; readonly now: string }[];
}

const HEIGHT_PX = 110;
const make: ChartContainerProps<Lines>['make'] = ({ lineChart }, container) =>
  lineChart(container, HEIGHT_PX);

export function LineChart({ title, drawn, legend }: LineChartProps) {
  const words = legend.map(({ name, now }) => `${name} ${now}`).join(', ');
  return (
    <figure class="line-chart tile">
      <figcaption>
        <span class="line-chart-title">{title}</span>
        {legend.map(({ name, now }, at) => (
          <span class="legend" key={name}>
            <Stroke line={drawn.lines[at]} /> {name} <strong>{now}</strong>
          </span>
        ))}
      </figcaption>
      <ChartContainer
        data={drawn}
        label={`${title}, now: ${words}`}
        heightPx={HEIGHT_PX}
        make={make}
      />
    </figure>
  );
}

function Stroke({ line }: { line: Lines['lines'][number] | undefined }) {
  if (line === undefined) return null;
  return (
    <svg width="22" height="8" aria-hidden="true">
      <line
        x1="0"
        y1="4"
        x2="22"
        y2="4"
        stroke={`var(${line.colour})`}
        stroke-width="2"
        stroke-dasharray={line.dash?.join(' ') ?? 'none'}
      />
    </svg>
  );
}
