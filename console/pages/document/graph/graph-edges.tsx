// The edges of an access graph as curves. For eyes only: the links and the table say the same.
import type { Columns } from './graph-columns.ts';
import type { GraphLayout, Segment } from './graph-layout.ts';

export interface GraphEdgesProps {
  readonly layout: GraphLayout;
  readonly columns: Columns;
  /** Keys of the nodes that stand out; null: all are equal. */
  readonly lit: ReadonlySet<string> | null;
}

export function GraphEdges({ layout, columns, lit }: GraphEdgesProps) {
  const isLit = ({ edges }: Segment) =>
    lit !== null && edges.some(({ from, to }) => lit.has(from) && lit.has(to));
  // What stands out is drawn last, above the rest.
  const segments = [...layout.segments].sort(
    (one, other) => Number(isLit(one)) - Number(isLit(other)),
  );
  return (
    <svg class="graph-edges" height={layout.height} aria-hidden="true">
      {segments.map((segment) => (
        <path
          key={segment.key}
          d={curve(segment, columns)}
          data-lit={lit === null ? undefined : isLit(segment)}
          data-direct={segment.edges.every(({ from }) => from.startsWith('origin:'))}
        />
      ))}
    </svg>
  );
}

/** From the right edge of one column to the left edge of the next, or to the right edge if it bends. */
function curve({ layer, fromY, toY, bends }: Segment, { width, lefts }: Columns): string {
  const start = (lefts[layer] ?? 0) + width;
  const end = lefts[layer + 1] ?? start;
  const middle = (start + end) / 2;
  const through = bends ? ` H ${end + width}` : '';
  return `M ${start} ${fromY} C ${middle} ${fromY} ${middle} ${toY} ${end} ${toY}${through}`;
}
