// Access as a graph of four layers: roles, access profiles, entitlements, and the sources that they
// are on. An edge leads from what grants to what is granted, or from access to its source.
// Invariant: an edge leads to a later layer, so the graph has no circles.

import { firstText, valuesAt } from '../../../model/document-value.ts';
import { documentAddress, referenceAddress } from '../../../model/reference.ts';
import type { AccessPath, Document } from '../../../model/wire.ts';

/** `origin` is how access without a path is held; it is in the layer of the roles. */
export type NodeKind = 'origin' | 'role' | 'accessProfile' | 'entitlement' | 'source';

export const LAYER_OF: Readonly<Record<NodeKind, number>> = {
  origin: 0,
  role: 0,
  accessProfile: 1,
  entitlement: 2,
  source: 3,
};

export interface GraphNode {
  /** Unique in the graph. */
  readonly key: string;
  readonly kind: NodeKind;
  readonly name: string;
  /** Where a click leads; null: nowhere. */
  readonly address: string | null;
  readonly privileged: boolean;
  /** Key of the source of an entitlement or access profile; null if unknown. */
  readonly source: string | null;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface AccessGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly Edge[];
  /** Key of the document whose page shows the graph; null for that of a person. */
  readonly subject: string | null;
}

/** The access of a person. @param paths the paths to each element of the access list, by its id */
export function identityGraph(
  identity: Document,
  paths: ReadonlyMap<string, readonly AccessPath[]>,
): AccessGraph {
  const builder = new GraphBuilder();
  for (const element of valuesAt(identity, 'access')) {
    const key = builder.addElement(element);
    if (key === null) continue;
    const pathsTo = paths.get(firstText(element, 'id')) ?? [];
    for (const path of pathsTo) {
      const steps = path.map((step) => builder.addElement(step));
      for (const [at, step] of steps.entries()) builder.connect(step, steps[at + 1] ?? key);
    }
    const origin = originOf(element, pathsTo.length);
    if (origin !== null) builder.connect(builder.add(origin), key);
  }
  return builder.build(null);
}

const DIRECT = originNode('direct', 'Granted directly');
const UNKNOWN = originNode('unknown', 'Unknown role or profile');

/** How an element is held besides its paths. */
function originOf(element: unknown, pathCount: number): GraphNode | null {
  if (firstText(element, 'type').toUpperCase() === 'ROLE') return null;
  const [standalone] = valuesAt(element, 'standalone');
  if (standalone === true) return DIRECT;
  if (pathCount > 0) return null;
  return standalone === false ? UNKNOWN : DIRECT;
}

function originNode(id: string, name: string): GraphNode {
  const key = `origin:${id}`;
  return { key, kind: 'origin', name, address: null, privileged: false, source: null };
}

const KIND_OF_TYPE: Readonly<Record<string, NodeKind>> = {
  ROLE: 'role',
  ACCESS_PROFILE: 'accessProfile',
  ENTITLEMENT: 'entitlement',
};
const INDEX_OF = {
  role: 'roles',
  accessProfile: 'accessprofiles',
  entitlement: 'entitlements',
} as const;

/** Collects nodes and edges; both may be added repeatedly. */
export class GraphBuilder {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #edges = new Map<string, Edge>();

  add(node: GraphNode): string {
    this.#nodes.set(node.key, node);
    return node.key;
  }

  /**
   * Adds an element of access by its `type`, with its source. What is known already is kept.
   * @returns its key; null without an id or with another type
   */
  addElement(element: unknown): string | null {
    const kind = KIND_OF_TYPE[firstText(element, 'type').toUpperCase()];
    return kind === undefined ? null : this.addReference(kind, element);
  }

  /**
   * Adds an object of a document that has an id and a name.
   * @param source the source of the object, if the object does not name it
   */
  addReference(kind: NodeKind, thing: unknown, source: unknown = null): string | null {
    const id = firstText(thing, 'id');
    if (id === '' || kind === 'origin') return null;
    const key = `${kind}:${id}`;
    const known = this.#nodes.get(key);
    const sourceKey =
      kind === 'source' ? null : this.#addSource(valuesAt(thing, 'source')[0] ?? source);
    if (known !== undefined && (known.source !== null || sourceKey === null)) return key;
    if (kind === 'entitlement') this.connect(key, sourceKey);
    return this.add({
      key,
      kind,
      name: firstText(thing, 'displayName', 'name') || known?.name || id,
      address:
        kind === 'source' ? referenceAddress('source', thing) : documentAddress(INDEX_OF[kind], id),
      privileged: valuesAt(thing, 'privileged')[0] === true || known?.privileged === true,
      source: sourceKey,
    });
  }

  connect(from: string | null, to: string | null): void {
    if (from !== null && to !== null) this.#edges.set(`${from} ${to}`, { from, to });
  }

  /** The graph. An access profile without entitlements leads to its source itself. */
  build(subject: string | null): AccessGraph {
    const leading = new Set([...this.#edges.values()].map(({ from }) => from));
    for (const { key, kind, source } of this.#nodes.values())
      if (kind === 'accessProfile' && !leading.has(key)) this.connect(key, source);
    const nodes = [...this.#nodes.values()].map((node) =>
      node.kind === 'accessProfile' && node.source === null
        ? { ...node, source: this.#sourceBelow(node.key) }
        : node,
    );
    return { nodes, edges: [...this.#edges.values()], subject };
  }

  #addSource(source: unknown): string | null {
    return source === null ? null : this.addReference('source', source);
  }

  /** The source of the first entitlement that a node leads to. */
  #sourceBelow(key: string): string | null {
    for (const { from, to } of this.#edges.values())
      if (from === key) return this.#nodes.get(to)?.source ?? null;
    return null;
  }
}
