// Draws an access graph: nodes as links in four lists, edges as curves behind them. The paths of the
// node under the pointer or with the focus stand out. The whole graph is one tab stop, inside which
// the arrow keys move.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useWidth } from '../../../ui/use-width.ts';
import type { VisibleGraph, VisibleNode } from './folded-graph.ts';
import { columnsIn } from './graph-columns.ts';
import { GraphEdges } from './graph-edges.tsx';
import { nodeAfterKey } from './graph-keys.ts';
import { layoutOf } from './graph-layout.ts';
import { GraphNodeItem } from './graph-node.tsx';
import { adjacency, keysOnPaths } from './graph-paths.ts';

export interface GraphDrawingProps {
  readonly graph: VisibleGraph;
  /** Nodes by layer, those in folds included. */
  readonly counts: readonly number[];
  readonly label: string;
  /** Folds or unfolds a source. */
  readonly onToggle: (source: string) => void;
  /** Shows also the rest of the long lists of a source. */
  readonly onRest: (source: string) => void;
}

const TITLES = ['Roles', 'Access profiles', 'Entitlements', 'Sources'];

export function GraphDrawing({ graph, counts, label, onToggle, onRest }: GraphDrawingProps) {
  const ruler = useRef<HTMLDivElement>(null);
  const links = useRef(new Map<string, HTMLElement>());
  const focusNext = useRef<string | null>(null);
  const [active, setActive] = useState<string | null>(null);
  const [stop, setStop] = useState<string | null>(null);
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const columns = columnsIn(useWidth(ruler));
  const keys = useMemo(() => new Set(graph.nodes.map(({ key }) => key)), [graph]);
  const tabStop = stop !== null && keys.has(stop) ? stop : firstKey(layout.columns);
  const grantedBy = useMemo(() => granters(graph), [graph]);
  const lit = useMemo(
    () => (active !== null && keys.has(active) ? keysOnPaths(graph.edges, active) : null),
    [graph, keys, active],
  );
  useEffect(() => {
    // A fold that was opened is gone: its source takes the focus.
    links.current.get(focusNext.current ?? '')?.focus();
    focusNext.current = null;
  }, [graph]);
  const unfold = (node: VisibleNode) => {
    const source = node.kind === 'fold' ? node.source : node.key;
    if (source === null) return;
    focusNext.current = source;
    if (node.kind === 'fold' && node.extent === 'rest') onRest(source);
    else onToggle(source);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (tabStop === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const node = graph.nodes.find(({ key }) => key === tabStop);
    const isFoldable = node?.kind === 'fold' || graph.folds.has(tabStop);
    if (event.key === ' ' && node !== undefined && isFoldable) unfold(node);
    else {
      const next = nodeAfterKey(layout, graph.edges, tabStop, event.key);
      if (next === null) return;
      links.current.get(next)?.focus();
    }
    event.preventDefault();
  };
  return (
    <section class="graph-frame" aria-label={label}>
      <div ref={ruler} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links inside have the focus */}
      <div class="graph" style={{ width: `${columns.total}px` }} onKeyDown={onKeyDown}>
        <div class="graph-plane" style={{ height: `${layout.height}px` }}>
          <GraphEdges layout={layout} columns={columns} lit={lit} />
          {layout.columns.map((column, layer) => (
            <div class="graph-column" key={TITLES[layer]}>
              <h3
                class="graph-title"
                style={{ left: `${columns.lefts[layer]}px`, width: `${columns.width}px` }}
              >
                {TITLES[layer]} <span class="quiet">{counts[layer]}</span>
              </h3>
              <ul aria-label={TITLES[layer]}>
                {column.map(({ node, top }) => (
                  <GraphNodeItem
                    key={node.key}
                    node={node}
                    top={top}
                    left={columns.lefts[layer] ?? 0}
                    width={columns.width}
                    isSubject={node.key === graph.subject}
                    grantedBy={grantedBy.get(node.key) ?? []}
                    isDim={lit !== null && !lit.has(node.key)}
                    isActive={node.key === active}
                    isTabStop={node.key === tabStop}
                    isFolded={graph.folds.get(node.key)}
                    onUnfold={unfold}
                    onActive={setActive}
                    onFocus={setStop}
                    link={links.current}
                  />
                ))}
              </ul>
            </div>
          ))}
        </div>
      </div>
      <p class="graph-legend quiet">
        {graph.nodes.some(({ kind }) => kind === 'origin') && (
          <>
            <span class="graph-sample" /> granted directly
          </>
        )}
        <span class="graph-keys">
          <kbd class="key">↑</kbd> <kbd class="key">↓</kbd> <kbd class="key">←</kbd>{' '}
          <kbd class="key">→</kbd> move, <kbd class="key">Enter</kbd> opens
          {graph.folds.size > 0 && (
            <>
              , <kbd class="key">Space</kbd> folds or unfolds a source
            </>
          )}
        </span>
      </p>
    </section>
  );
}

function firstKey(columns: ReturnType<typeof layoutOf>['columns']): string | null {
  return columns.flat()[0]?.node.key ?? null;
}

/** The names of what leads to each node. */
function granters(graph: VisibleGraph): ReadonlyMap<string, readonly string[]> {
  const names = new Map(graph.nodes.map(({ key, name }) => [key, name]));
  const keys = adjacency(graph.edges, 'to', 'from');
  return new Map([...keys].map(([key, from]) => [key, from.map((one) => names.get(one) ?? '')]));
}
