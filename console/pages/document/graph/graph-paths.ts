// What is connected in an access graph: all that grants a node, and all that it grants.
import type { AccessGraph, Edge, GraphNode } from './access-graph.ts';

/** The keys on the paths through a node, with the node itself. */
export function keysOnPaths(edges: readonly Edge[], key: string): ReadonlySet<string> {
  return new Set([
    ...reached([key], adjacency(edges, 'from', 'to')),
    ...reached([key], adjacency(edges, 'to', 'from')),
  ]);
}

/** The part of a graph that is on a path through one of the nodes that match. */
export function pathsThrough(
  graph: AccessGraph,
  matches: (node: GraphNode) => boolean,
): AccessGraph {
  const starts = graph.nodes.filter(matches).map(({ key }) => key);
  const kept = new Set([
    ...reached(starts, adjacency(graph.edges, 'from', 'to')),
    ...reached(starts, adjacency(graph.edges, 'to', 'from')),
  ]);
  return {
    ...graph,
    nodes: graph.nodes.filter(({ key }) => kept.has(key)),
    edges: graph.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}

/** The nodes at the other ends of edges, by node. */
export function adjacency(
  edges: readonly Edge[],
  near: 'from' | 'to',
  far: 'from' | 'to',
): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>();
  for (const edge of edges) {
    const list = map.get(edge[near]);
    if (list === undefined) map.set(edge[near], [edge[far]]);
    else list.push(edge[far]);
  }
  return map;
}

function reached(
  starts: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set(starts);
  // A set that grows while it is iterated also visits what was added.
  for (const key of seen) for (const other of next.get(key) ?? []) seen.add(other);
  return seen;
}
