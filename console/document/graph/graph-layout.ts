// Places the nodes of an access graph: a column for each layer, ordered so that few edges cross
// (the barycentre heuristic of Sugiyama, 1981), each node near what it is connected to.
// An edge that skips a layer bends in a gap of that layer, so that it passes behind no node.
// Invariant: nodes of one column never overlap.

import type { Edge } from './access-graph.ts';
import { layerOf, type VisibleGraph, type VisibleNode } from './folded-graph.ts';
import { adjacency } from './graph-paths.ts';
import { inversionsOf, isotonic } from './sequences.ts';

/** A node with its place. Lengths are in px. */
export interface PlacedNode {
  readonly node: VisibleNode;
  readonly layer: number;
  readonly top: number;
}

/** A curve between two neighbouring layers. */
export interface Segment {
  readonly key: string;
  readonly layer: number;
  readonly fromY: number;
  readonly toY: number;
  /** True if it ends in a bend, and so at the far end of the column. */
  readonly bends: boolean;
  /** The edges that it is a part of. */
  readonly edges: readonly Edge[];
}

export interface GraphLayout {
  /** By column, from top to bottom. */
  readonly columns: readonly (readonly PlacedNode[])[];
  readonly segments: readonly Segment[];
  readonly height: number;
}

export const NODE_HEIGHT = 42;
const GAP = 9;
/** Between the entitlements of two sources. */
const SOURCE_GAP = 20;
/** Length of a column up to which a graph is centred. */
const SCREEN = 900;
const LAYERS = 4;
const SWEEPS = 6;

/** A node or a bend, before it is placed. */
interface Item {
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

/** Places all nodes of a graph. */
export function layoutOf(graph: VisibleGraph): GraphLayout {
  const items = new Map<string, Item>();
  for (const node of graph.nodes) items.set(node.key, itemOf(node));
  const { parts, edgesOf } = splitEdges(graph, items);
  const before = neighbours(adjacency(parts, 'to', 'from'), items);
  const after = neighbours(adjacency(parts, 'from', 'to'), items);
  const columns = Array.from({ length: LAYERS }, (_, layer) =>
    [...items.values()].filter((item) => item.layer === layer).sort(byName),
  );
  order(columns, before, after);
  place(columns, before, after);
  const top = Math.min(0, ...columns.flat().map((item) => topOf(item)));
  for (const item of items.values()) item.center -= top;
  return {
    columns: columns.map((column) =>
      column.flatMap((item) =>
        item.node === null ? [] : [{ node: item.node, layer: item.layer, top: topOf(item) }],
      ),
    ),
    segments: parts.map(({ from, to }) => segmentOf(items, from, to, edgesOf)),
    height: Math.max(0, ...columns.flat().map((item) => topOf(item) + heightOf(item))),
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
function splitEdges(graph: VisibleGraph, items: Map<string, Item>) {
  const edgesOf = new Map<string, Edge[]>();
  const parts: Edge[] = [];
  const addPart = (from: string, to: string, edge: Edge) => {
    const key = `${from} ${to}`;
    const list = edgesOf.get(key);
    if (list !== undefined) {
      list.push(edge);
      return;
    }
    edgesOf.set(key, [edge]);
    parts.push({ from, to });
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
  return { parts, edgesOf };
}

type Neighbours = (item: Item) => readonly Item[];

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

/**
 * Orders columns by the mean position of the neighbours, alternately from both sides, and keeps the
 * order with the fewest crossings.
 */
function order(columns: Item[][], before: Neighbours, after: Neighbours): void {
  const position = new Map<string, number>();
  const number = (column: readonly Item[]) => {
    for (const [at, { key }] of column.entries()) position.set(key, at / column.length);
  };
  const sort = (layer: number, near: Neighbours) => {
    const column = columns[layer] ?? [];
    const ranks = new Map(
      column.map((item) => {
        const places = near(item).map(({ key }) => position.get(key) ?? 0);
        return [item.key, places.length === 0 ? (position.get(item.key) ?? 0) : mean(places)];
      }),
    );
    sortByRank(column, ranks);
    number(column);
  };
  for (const column of columns) number(column);
  let best = columns.map((column) => [...column]);
  let fewest = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    if (sweep % 2 === 0) for (const layer of [1, 2, 3]) sort(layer, before);
    else for (const layer of [2, 1, 0]) sort(layer, after);
    const crossings = crossingsOf(columns, after);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = columns.map((column) => [...column]);
  }
  for (const [layer, column] of best.entries()) columns[layer] = column;
}

/** The number of pairs of edges between neighbouring columns that cross. */
function crossingsOf(columns: readonly (readonly Item[])[], after: Neighbours): number {
  return columns.reduce((sum, column, layer) => {
    const places = new Map((columns[layer + 1] ?? []).map(({ key }, at) => [key, at]));
    const ends = column.flatMap((item) =>
      after(item)
        .map(({ key }) => places.get(key) ?? 0)
        .sort((one, other) => one - other),
    );
    return sum + inversionsOf(ends);
  }, 0);
}

/** Sorts clusters by their mean rank, and inside by rank and name. */
function sortByRank(column: Item[], ranks: ReadonlyMap<string, number>): void {
  const rankOf = (item: Item) => ranks.get(item.key) ?? 0;
  const byCluster = new Map<string, number[]>();
  for (const item of column) {
    const list = byCluster.get(item.cluster);
    if (list === undefined) byCluster.set(item.cluster, [rankOf(item)]);
    else list.push(rankOf(item));
  }
  const clusterRank = new Map([...byCluster].map(([cluster, list]) => [cluster, mean(list)]));
  const rankOfCluster = (item: Item) => clusterRank.get(item.cluster) ?? 0;
  column.sort(
    (one, other) =>
      rankOfCluster(one) - rankOfCluster(other) ||
      compareTexts(one.cluster, other.cluster) ||
      Number(one.isLast) - Number(other.isLast) ||
      rankOf(one) - rankOf(other) ||
      byName(one, other),
  );
}

/** Gives each item a centre near those of its neighbours, the longest column first. */
function place(columns: readonly Item[][], before: Neighbours, after: Neighbours): void {
  for (const column of columns) stack(column);
  const bySize = [...columns].sort((one, other) => lengthOf(other) - lengthOf(one));
  const [longest = [], ...others] = bySize;
  // In a graph that is longer than a screen, nodes are next to the first that they lead to.
  const between = lengthOf(longest) > SCREEN ? least : mean;
  for (let pass = 0; pass < 3; pass += 1) {
    for (const column of others) {
      const desired = column.map((item) => {
        const near = [...before(item), ...after(item)];
        return near.length === 0 ? item.center : between(near.map(({ center }) => center));
      });
      settle(column, desired);
    }
  }
}

/** Stacks a column around 0. */
function stack(column: readonly Item[]): void {
  settle(
    column,
    column.map(() => 0),
  );
}

/** Moves the items as little as possible from where they want to be, without overlaps. */
function settle(column: readonly Item[], desired: readonly number[]): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const [at, item] of column.entries()) {
    const previous = column[at - 1];
    if (previous !== undefined) offset += distance(previous, item);
    offsets.push(offset);
  }
  const free = isotonic(desired.map((value, at) => value - (offsets[at] ?? 0)));
  for (const [at, item] of column.entries()) item.center = (free[at] ?? 0) + (offsets[at] ?? 0);
}

/** The least distance of the centres of two items that follow each other. */
function distance(one: Item, other: Item): number {
  const isBorder = one.layer === 2 && one.cluster !== other.cluster;
  return (heightOf(one) + heightOf(other)) / 2 + (isBorder ? SOURCE_GAP : GAP);
}

function lengthOf(column: readonly Item[]): number {
  const [first, last] = [column[0], column.at(-1)];
  return first === undefined || last === undefined ? 0 : last.center - first.center;
}

function segmentOf(
  items: ReadonlyMap<string, Item>,
  from: string,
  to: string,
  edgesOf: ReadonlyMap<string, readonly Edge[]>,
): Segment {
  const key = `${from} ${to}`;
  const [start, end] = [items.get(from), items.get(to)];
  return {
    key,
    layer: start?.layer ?? 0,
    fromY: start?.center ?? 0,
    toY: end?.center ?? 0,
    bends: end?.node === null,
    edges: edgesOf.get(key) ?? [],
  };
}

function heightOf({ node }: Item): number {
  return node === null ? 2 : NODE_HEIGHT;
}

function topOf(item: Item): number {
  return item.center - heightOf(item) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function least(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
}

function byName(one: Item, other: Item): number {
  return compareTexts(one.name, other.name) || compareTexts(one.key, other.key);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
