// Places the nodes of an access graph: a column for each layer, each node near what it is connected
// to.
// Invariant: nodes of one column never overlap.

import type { Edge } from './access-graph.ts';
import type { VisibleGraph, VisibleNode } from './folded-graph.ts';
import { byName, type EdgePart, type Item, itemsOf, type Neighbours } from './graph-items.ts';
import { order } from './graph-order.ts';
import { isotonic, mean } from './sequences.ts';

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
/** How often the columns move towards one another; after that they move by less than a pixel. */
const PASSES = 12;

/** Places all nodes of a graph. */
export function layoutOf(graph: VisibleGraph): GraphLayout {
  const { items, byKey, parts, before, after } = itemsOf(graph);
  const columns = Array.from({ length: LAYERS }, (_, layer) =>
    items.filter((item) => item.layer === layer).sort(byName),
  );
  order(columns, before, after);
  place(columns, before, after);
  const top = Math.min(...items.map(topOf));
  for (const item of items) item.center -= top;
  return {
    columns: columns.map((column) =>
      column.flatMap((item) =>
        item.node === null ? [] : [{ node: item.node, layer: item.layer, top: topOf(item) }],
      ),
    ),
    segments: parts.map((part) => segmentOf(part, byKey)),
    height: Math.max(0, ...items.map((item) => topOf(item) + heightOf(item))),
  };
}

/** Gives each item a centre near those of its neighbours, the longest column first. */
function place(columns: readonly Item[][], before: Neighbours, after: Neighbours): void {
  for (const column of columns)
    settle(
      column,
      column.map(() => 0),
    );
  const [longest = [], ...others] = [...columns].sort(
    (one, other) => lengthOf(other) - lengthOf(one),
  );
  const isLong = lengthOf(longest) > SCREEN;
  for (let pass = 0; pass < PASSES; pass += 1) {
    for (const column of others) {
      const near = (item: Item) => [...before(item), ...after(item)].map(({ center }) => center);
      // In a graph that is longer than a screen, nodes are beside the first that they lead to, so
      // that a path can be followed without scrolling.
      if (isLong)
        stackDown(
          column,
          column.map((item) => least(near(item), item.center)),
        );
      else
        settle(
          column,
          column.map((item) => mean(near(item), item.center)),
        );
    }
  }
}

/** Places each item where it wants to be, or below the one before. */
function stackDown(column: readonly Item[], desired: readonly number[]): void {
  for (const [at, item] of column.entries()) {
    const previous = column[at - 1];
    const lowest =
      previous === undefined
        ? Number.NEGATIVE_INFINITY
        : previous.center + distance(previous, item);
    item.center = Math.max(desired[at] ?? 0, lowest);
  }
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

function segmentOf({ from, to, edges }: EdgePart, byKey: ReadonlyMap<string, Item>): Segment {
  const [start, end] = [byKey.get(from), byKey.get(to)];
  return {
    key: `${from} ${to}`,
    layer: start?.layer ?? 0,
    fromY: start?.center ?? 0,
    toY: end?.center ?? 0,
    bends: end?.node === null,
    edges,
  };
}

function heightOf({ node }: Item): number {
  return node === null ? 2 : NODE_HEIGHT;
}

function topOf(item: Item): number {
  return item.center - heightOf(item) / 2;
}

function least(values: readonly number[], none: number): number {
  return values.length === 0 ? none : Math.min(...values);
}
