import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccessGraph, type GraphNode, LAYER_OF, type NodeKind } from './access-graph.ts';
import { type Folding, foldedGraph } from './folded-graph.ts';
import { nodeAfterKey } from './graph-keys.ts';
import { layoutOf, NODE_HEIGHT } from './graph-layout.ts';

const node = (kind: NodeKind, id: string, source: string | null = null): GraphNode => ({
  ...{ key: `${kind}:${id}`, kind, name: `${kind} ${id}`, address: null, privileged: false },
  source: source === null ? null : `source:${source}`,
});
const edge = (from: string, to: string) => ({ from, to });
const AUTO: Folding = { base: 'auto', toggled: new Set(), whole: new Set() };

/** A person with so many entitlements of a role on each of some sources. */
function graphWith(counts: Readonly<Record<string, number>>): AccessGraph {
  const sources = Object.keys(counts);
  const entitlements = sources.flatMap((source) =>
    Array.from({ length: counts[source] ?? 0 }, (_, at) =>
      node('entitlement', `${source}${at}`, source),
    ),
  );
  return {
    nodes: [node('role', 'r'), ...entitlements, ...sources.map((id) => node('source', id))],
    edges: entitlements.flatMap(({ key, source }) => [
      edge('role:r', key),
      edge(key, source ?? ''),
    ]),
    subject: null,
  };
}

const namesOf = (graph: AccessGraph, folding: Folding) =>
  foldedGraph(graph, folding)
    .nodes.map(({ name }) => name)
    .filter((name) => !name.startsWith('source') && !name.startsWith('role'));

test('folds nothing of a small graph, and the large sources of a large one', () => {
  assert.deepEqual([...foldedGraph(graphWith({ a: 3, b: 2 }), AUTO).folds], []);
  assert.equal(namesOf(graphWith({ a: 10, b: 3 }), AUTO).length, 13);
  assert.deepEqual(namesOf(graphWith({ a: 30, b: 2 }), AUTO), [
    'entitlement b0',
    'entitlement b1',
    '30 entitlements',
  ]);
});

test('lists the first of a long list when it is unfolded, and the rest on demand', () => {
  const graph = graphWith({ a: 90 });
  const unfolded = { ...AUTO, toggled: new Set(['source:a']) };
  const names = namesOf(graph, unfolded);
  assert.equal(names.length, 21);
  assert.ok(names.includes('70 more entitlements'));
  assert.equal(namesOf(graph, { ...unfolded, whole: new Set(['source:a']) }).length, 90);
});

test('folds and unfolds all', () => {
  const graph = graphWith({ a: 6, b: 7 });
  assert.deepEqual(namesOf(graph, { ...AUTO, base: 'folded' }), [
    '6 entitlements',
    '7 entitlements',
  ]);
  const reopened = { ...AUTO, base: 'folded' as const, toggled: new Set(['source:a']) };
  assert.equal(namesOf(graph, reopened).length, 7);
});

test('has the edges of a fold lead to it once', () => {
  const { edges } = foldedGraph(graphWith({ a: 30 }), AUTO);
  assert.deepEqual(edges, [edge('role:r', 'fold:2:source:a'), edge('fold:2:source:a', 'source:a')]);
});

const KINDS: readonly NodeKind[] = ['role', 'accessProfile', 'entitlement', 'source'];
const graphs = fc
  .record({
    counts: fc.tuple(...KINDS.map(() => fc.integer({ min: 0, max: 12 }))),
    links: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }),
  })
  .map(({ counts, links }): AccessGraph => {
    const sources = Math.max(1, counts[3] ?? 0);
    const nodes = KINDS.flatMap((kind, layer) =>
      Array.from({ length: counts[layer] ?? 0 }, (_, at) =>
        node(kind, String(at), kind === 'entitlement' ? String(at % sources) : null),
      ),
    );
    const edges = links.flatMap(([one, other]) => {
      const [from, to] = [nodes[one % nodes.length], nodes[other % nodes.length]];
      if (from === undefined || to === undefined) return [];
      return LAYER_OF[from.kind] < LAYER_OF[to.kind] ? [edge(from.key, to.key)] : [];
    });
    return {
      nodes,
      edges: [...new Map(edges.map((e) => [`${e.from} ${e.to}`, e])).values()],
      subject: null,
    };
  });

test('places every node once, in the column of its kind, without overlaps', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { columns, height } = layoutOf(foldedGraph(graph, { ...AUTO, base: 'unfolded' }));
      const placed = columns.flat();
      assert.deepEqual(
        placed.map(({ node: { key } }) => key).sort(),
        graph.nodes.map(({ key }) => key).sort(),
      );
      for (const [layer, column] of columns.entries())
        for (const [at, one] of column.entries()) {
          assert.equal(one.layer, layer);
          assert.ok(one.top >= -1e-6 && one.top + NODE_HEIGHT <= height + 1e-6);
          const next = column[at + 1];
          assert.ok(next === undefined || next.top >= one.top + NODE_HEIGHT);
        }
    }),
  );
});

test('draws each edge as curves from its start to its end', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { columns, segments } = layoutOf(foldedGraph(graph, { ...AUTO, base: 'unfolded' }));
      const places = new Map(columns.flat().map((placed) => [placed.node.key, placed]));
      for (const { from, to } of graph.edges) {
        const parts = segments
          .filter(({ edges }) => edges.some((one) => one.from === from && one.to === to))
          .sort((one, other) => one.layer - other.layer);
        const [start, end] = [places.get(from), places.get(to)];
        assert.equal(parts.length, (end?.layer ?? 0) - (start?.layer ?? 0));
        assert.equal(parts[0]?.fromY, (start?.top ?? 0) + NODE_HEIGHT / 2);
        assert.equal(parts.at(-1)?.toY, (end?.top ?? 0) + NODE_HEIGHT / 2);
        for (const [at, part] of parts.entries()) {
          assert.equal(part.layer, (start?.layer ?? 0) + at);
          assert.equal(part.bends, at < parts.length - 1);
          assert.ok(at === 0 || part.fromY === parts[at - 1]?.toY);
        }
      }
    }),
  );
});

test('keeps the entitlements of a source together', () => {
  const graph = graphWith({ a: 3, b: 3, c: 3 });
  const column = layoutOf(foldedGraph(graph, AUTO)).columns[2] ?? [];
  const sources = column.map((placed) => placed.node.source);
  assert.equal(sources.filter((source, at) => source !== sources[at - 1]).length, 3);
});

test('orders nodes so that edges do not cross where that is possible', () => {
  const crossed: AccessGraph = {
    nodes: ['1', '2', '3'].flatMap((id) => [node('role', id), node('accessProfile', id)]),
    edges: [
      edge('role:1', 'accessProfile:3'),
      edge('role:2', 'accessProfile:1'),
      edge('role:3', 'accessProfile:2'),
    ],
    subject: null,
  };
  const { columns } = layoutOf(foldedGraph(crossed, AUTO));
  assert.deepEqual(
    columns[1]?.map(({ node: { name } }) => name),
    ['accessProfile 3', 'accessProfile 1', 'accessProfile 2'],
  );
});

const MOVES: readonly [from: string, pressed: string, to: string | null][] = [
  ['role:r', 'ArrowRight', 'entitlement:a1'],
  ['entitlement:a1', 'ArrowDown', 'entitlement:a2'],
  ['entitlement:a2', 'ArrowDown', 'entitlement:a2'],
  ['entitlement:a1', 'ArrowUp', 'entitlement:a0'],
  ['entitlement:a2', 'Home', 'entitlement:a0'],
  ['entitlement:a0', 'End', 'entitlement:a2'],
  ['entitlement:a0', 'ArrowRight', 'source:a'],
  ['entitlement:a0', 'ArrowLeft', 'role:r'],
  ['source:a', 'ArrowRight', 'source:a'],
  ['source:a', 'x', null],
];
for (const [from, pressed, to] of MOVES) {
  test(`moves from ${from} with ${pressed} to ${to ?? 'nothing'}`, () => {
    const graph = foldedGraph(graphWith({ a: 3 }), AUTO);
    assert.equal(nodeAfterKey(layoutOf(graph), graph.edges, from, pressed), to);
  });
}
