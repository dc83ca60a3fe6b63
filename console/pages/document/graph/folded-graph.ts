// What of an access graph is visible: the paths that a filter matches, with the access of a source
// folded into one node for each layer where there is too much of it.
import { type AccessGraph, type GraphNode, LAYER_OF } from './access-graph.ts';
import { pathsThrough } from './graph-paths.ts';

/** A node for the access of a source that is folded: all of a layer, or the rest of a long list. */
export interface FoldNode extends Omit<GraphNode, 'kind'> {
  readonly kind: 'fold';
  readonly extent: 'all' | 'rest';
  readonly layer: number;
  readonly count: number;
  readonly privilegedCount: number;
  readonly sourceName: string;
}
export type VisibleNode = GraphNode | FoldNode;

export interface VisibleGraph {
  readonly nodes: readonly VisibleNode[];
  readonly edges: AccessGraph['edges'];
  readonly subject: string | null;
  /** Keys of sources that can be folded or unfolded, with whether they are folded now. */
  readonly folds: ReadonlyMap<string, boolean>;
}

export interface GraphFilter {
  /** Each word must be in the name of a node. */
  readonly words: string;
  readonly privilegedOnly: boolean;
}

/** `auto` folds large sources of a large graph; the sources in `toggled` are the other way round. */
export interface Folding {
  readonly base: 'auto' | 'folded' | 'unfolded';
  readonly toggled: ReadonlySet<string>;
  /** Sources of which also the rest of a long list is shown. */
  readonly whole: ReadonlySet<string>;
}

/** Nodes in the layers of profiles and entitlements up to which nothing is folded. */
const UNFOLDED_MAX = 24;
/** Nodes of a source in a layer up to which they are not folded. */
const SMALL_SOURCE = 4;
/** Nodes of an unfolded source in a layer that are shown at first, privileged ones before others. */
const LISTED_MAX = 20;

/** The paths through the nodes that match a filter; all without one. */
export function filteredGraph(graph: AccessGraph, filter: GraphFilter): AccessGraph {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const privileged = filter.privilegedOnly
    ? pathsThrough(graph, (node) => node.kind === 'entitlement' && node.privileged)
    : graph;
  if (words.length === 0) return privileged;
  return pathsThrough(privileged, ({ name }) => {
    const text = name.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Replaces the access of folded sources by one node for each layer. */
export function foldedGraph(graph: AccessGraph, folding: Folding): VisibleGraph {
  const groups = groupsOf(graph);
  const total = Math.max(...[1, 2].map((layer) => countIn(graph, layer)));
  const folds = new Map<string, boolean>();
  for (const { source, members } of groups.values()) {
    if (members.length <= SMALL_SOURCE) continue;
    const base = folding.base === 'folded' || (folding.base === 'auto' && total > UNFOLDED_MAX);
    folds.set(source, base !== folding.toggled.has(source));
  }
  const names = new Map(graph.nodes.map(({ key, name }) => [key, name]));
  const replacements = new Map<string, string>();
  const foldNodes: FoldNode[] = [];
  for (const [key, group] of groups) {
    const isFolded = folds.get(group.source) === true;
    const members = isFolded ? group.members : restOf(group, folding);
    if (members.length < 2) continue;
    const extent = isFolded ? 'all' : 'rest';
    for (const member of members) replacements.set(member.key, key);
    foldNodes.push(foldNode(key, { ...group, members }, names.get(group.source) ?? '', extent));
  }
  const edges = new Map<string, AccessGraph['edges'][number]>();
  for (const { from, to } of graph.edges) {
    const edge = { from: replacements.get(from) ?? from, to: replacements.get(to) ?? to };
    edges.set(`${edge.from} ${edge.to}`, edge);
  }
  const kept = graph.nodes.filter(({ key }) => !replacements.has(key));
  return {
    nodes: [...kept, ...foldNodes],
    edges: [...edges.values()],
    subject: graph.subject,
    folds,
  };
}

/** The layer of a visible node. */
export function layerOf(node: VisibleNode): number {
  return node.kind === 'fold' ? node.layer : LAYER_OF[node.kind];
}

/** The number of nodes of a graph in a layer, without those that say how access is held. */
export function countIn(graph: AccessGraph, layer: number): number {
  return graph.nodes.filter(({ kind }) => LAYER_OF[kind] === layer && kind !== 'origin').length;
}

interface Group {
  readonly source: string;
  readonly layer: number;
  readonly members: readonly GraphNode[];
}

/** Access profiles and entitlements by layer and source, the subject of the page left out. */
function groupsOf(graph: AccessGraph): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group & { members: GraphNode[] }>();
  for (const node of graph.nodes) {
    if (node.source === null || node.key === graph.subject) continue;
    const layer = LAYER_OF[node.kind];
    const key = `fold:${layer}:${node.source}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { source: node.source, layer, members: [node] });
    else group.members.push(node);
  }
  return groups;
}

/** What is left out of a long list. */
function restOf({ source, members }: Group, { whole }: Folding): readonly GraphNode[] {
  if (whole.has(source)) return [];
  return [...members]
    .sort(
      (one, other) =>
        Number(other.privileged) - Number(one.privileged) ||
        one.name.localeCompare(other.name, 'en'),
    )
    .slice(LISTED_MAX);
}

function foldNode(
  key: string,
  { source, layer, members }: Group,
  sourceName: string,
  extent: FoldNode['extent'],
): FoldNode {
  const count = members.length;
  const privilegedCount = members.filter(({ privileged }) => privileged).length;
  const what = layer === 1 ? 'access profiles' : 'entitlements';
  return {
    ...{ key, kind: 'fold', extent, layer, count, privilegedCount, source, sourceName },
    address: null,
    name: extent === 'all' ? `${count} ${what}` : `${count} more ${what}`,
    privileged: privilegedCount > 0,
  };
}
