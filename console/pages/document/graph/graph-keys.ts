// Moves through an access graph with the arrow keys: up and down in a column, left and right along
// the edges.
import type { Edge } from './access-graph.ts';
import type { GraphLayout, PlacedNode } from './graph-layout.ts';

/** The key of the node that a key press leads to; null if the press means nothing here. */
export function nodeAfterKey(
  layout: GraphLayout,
  edges: readonly Edge[],
  current: string,
  pressed: string,
): string | null {
  const column = layout.columns.find((nodes) => nodes.some(({ node }) => node.key === current));
  const at = column?.findIndex(({ node }) => node.key === current) ?? -1;
  const placed = column?.[at];
  if (column === undefined || placed === undefined) return null;
  switch (pressed) {
    case 'ArrowUp':
      return column[at - 1]?.node.key ?? current;
    case 'ArrowDown':
      return column[at + 1]?.node.key ?? current;
    case 'Home':
      return column[0]?.node.key ?? current;
    case 'End':
      return column.at(-1)?.node.key ?? current;
    case 'ArrowLeft':
      return sideways(layout, edges, placed, -1);
    case 'ArrowRight':
      return sideways(layout, edges, placed, 1);
    default:
      return null;
  }
}

/** The nearest node on one side that is connected, else the nearest in the next column. */
function sideways(
  layout: GraphLayout,
  edges: readonly Edge[],
  { node, layer, top }: PlacedNode,
  direction: -1 | 1,
): string {
  const [near, far] = direction === 1 ? (['from', 'to'] as const) : (['to', 'from'] as const);
  const connected = new Set(
    edges.filter((edge) => edge[near] === node.key).map((edge) => edge[far]),
  );
  const columns = layout.columns
    .slice(direction === 1 ? layer + 1 : 0, direction === 1 ? undefined : layer)
    .filter((column) => column.length > 0);
  if (direction === -1) columns.reverse();
  const candidates = columns.flat().filter((placed) => connected.has(placed.node.key));
  const inReach = candidates.length > 0 ? candidates : (columns[0] ?? []);
  const [nearest] = [...inReach].sort(
    (one, other) => Math.abs(one.top - top) - Math.abs(other.top - top),
  );
  return nearest?.node.key ?? node.key;
}
