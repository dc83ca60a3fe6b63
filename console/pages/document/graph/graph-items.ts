// The items of a layout: the nodes of a graph, and the bends of edges that skip a layer. An edge bends
// in a gap of each layer that it skips, so that it passes behind no node.
import type { Edge } from './access-graph.ts';
import { layerOf, type VisibleGraph, type VisibleNode } from './folded-graph.ts';
import { adjacency } from './graph-paths.ts';

/** A node, or a bend without one. */
export interface Item {
  readonly key: string;
  readonly node: VisibleNode | null;
  readonly layer: number;
  /** Items of a cluster stay together. */
  readonly cluster: string;
  /** Decides the order of equals. */
  readonly name: string;
  /** True for what belongs below the rest of its cluster. */
  readonly isLast: boolean;
  center: number;
}

/** The items that an item is connected to on one side. */
export type Neighbours = (item: Item) => readonly Item[];

/** A part of one or several edges, between items of neighbouring layers. */
export interface EdgePart extends Edge {
  readonly edges: readonly Edge[];
}

export interface Items {
  readonly items: readonly Item[];
  readonly byKey: ReadonlyMap<string, Item>;
  readonly parts: readonly EdgePart[];
  readonly before: Neighbours;
  readonly after: Neighbours;
}

/** The items of a graph, with the parts of its edges. */
export function itemsOf(graph: VisibleGraph): Items {
  const byKey = new Map(graph.nodes.map((node) => [node.key, itemOf(node)]));
  const parts = splitEdges(graph, byKey);
  return {
    items: [...byKey.values()],
    byKey,
    parts,
    before: neighbours(adjacency(parts, 'to', 'from'), byKey),
    after: neighbours(adjacency(parts, 'from', 'to'), byKey),
  };
}

function itemOf(node: VisibleNode): Item {
  const layer = layerOf(node);
  const cluster = layer === 2 ? (node.source ?? '') : node.key;
  // What is granted without a role is below the roles, the rest of a list below the list.
  const isLast = node.kind === 'origin' || (node.kind === 'fold' && node.extent === 'rest');
  const name = `${isLast ? 1 : 0} ${node.privileged ? 0 : 1} ${node.name}`;
  return { key: node.key, node, layer, cluster, name, isLast, center: 0 };
}

/** Splits edges that skip layers at bends; edges from one node to one source share them. */
function splitEdges(graph: VisibleGraph, items: Map<string, Item>): EdgePart[] {
  const parts = new Map<string, EdgePart & { readonly edges: Edge[] }>();
  const addPart = (from: string, to: string, edge: Edge) => {
    const key = `${from} ${to}`;
    const part = parts.get(key);
    if (part === undefined) parts.set(key, { from, to, edges: [edge] });
    else part.edges.push(edge);
  };
  for (const edge of graph.edges) {
    const [start, end] = [items.get(edge.from), items.get(edge.to)];
    if (start === undefined || end === undefined) continue;
    const bundle = end.layer === 2 ? end.cluster : end.key;
    let from = edge.from;
    for (let layer = start.layer + 1; layer < end.layer; layer += 1) {
      const key = `bend:${layer}:${edge.from} ${bundle}`;
      const cluster = layer === 2 ? bundle : key;
      if (!items.has(key))
        items.set(key, {
          key,
          node: null,
          layer,
          cluster,
          name: start.name,
          isLast: false,
          center: 0,
        });
      addPart(from, key, edge);
      from = key;
    }
    addPart(from, edge.to, edge);
  }
  return [...parts.values()];
}

function neighbours(
  keys: ReadonlyMap<string, readonly string[]>,
  items: ReadonlyMap<string, Item>,
): Neighbours {
  const lists = new Map<string, readonly Item[]>();
  for (const [key, others] of keys)
    lists.set(
      key,
      others.flatMap((other) => items.get(other) ?? []),
    );
  return ({ key }) => lists.get(key) ?? [];
}

/** Compares items that are equal otherwise. */
export function byName(one: Item, other: Item): number {
  return compareTexts(one.name, other.name) || compareTexts(one.key, other.key);
}

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
