// The graph of a document with what it needs loaded, and the filter and folding above it.
import { useMemo, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import { firstText } from '../../../model/document-value.ts';
import type { Document } from '../../../model/wire.ts';
import '../../../style/access-graph.css';
import { Empty, FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { useLoad } from '../../../ui/use-load.ts';
import type { AccessGraph } from './access-graph.ts';
import { countIn, type Folding, filteredGraph, foldedGraph } from './folded-graph.ts';
import { GraphDrawing } from './graph-drawing.tsx';
import { loadGraph } from './load-graph.ts';

export interface GraphPanelProps {
  readonly index: IndexName;
  readonly document: Document;
}

export function GraphPanel({ index, document }: GraphPanelProps) {
  const id = firstText(document, 'id');
  const { value, fault, reload } = useLoad(`${index} ${id}`, (signal) =>
    loadGraph(index, document, signal),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} label="Loading the graph" />;
  if (value.graph.nodes.length === 0)
    return (
      <Empty icon="key" title="No access">
        Nothing is granted, so there is nothing to draw.
      </Empty>
    );
  const name = firstText(document, 'displayName', 'name', 'id');
  return (
    <>
      {value.notes.map((note) => (
        <p class="quiet" key={note}>
          {note}
        </p>
      ))}
      <FilteredGraph graph={value.graph} label={`Access graph of ${name}`} />
    </>
  );
}

const NO_FILTER = { words: '', privilegedOnly: false };
const AUTOMATIC: Folding = { base: 'auto', toggled: new Set(), whole: new Set() };

function FilteredGraph({ graph, label }: { graph: AccessGraph; label: string }) {
  const [filter, setFilter] = useState(NO_FILTER);
  const [folding, setFolding] = useState(AUTOMATIC);
  const filtered = useMemo(() => filteredGraph(graph, filter), [graph, filter]);
  const visible = useMemo(() => foldedGraph(filtered, folding), [filtered, folding]);
  const states = [...visible.folds.values()];
  const toggle = (source: string) => {
    const toggled = new Set(folding.toggled);
    if (!toggled.delete(source)) toggled.add(source);
    setFolding({ ...folding, toggled });
  };
  const showRest = (source: string) =>
    setFolding({ ...folding, whole: new Set([...folding.whole, source]) });
  const foldAll = (base: Folding['base']) => setFolding({ ...AUTOMATIC, base });
  return (
    <div class="graph-panel">
      <div class="graph-tools">
        <label class="graph-filter">
          <span class="unseen">Filter the graph by name</span>
          <input
            type="search"
            placeholder="Filter by name"
            value={filter.words}
            onInput={({ currentTarget }) => setFilter({ ...filter, words: currentTarget.value })}
          />
        </label>
        <label class="graph-check">
          <input
            type="checkbox"
            checked={filter.privilegedOnly}
            onChange={({ currentTarget }) =>
              setFilter({ ...filter, privilegedOnly: currentTarget.checked })
            }
          />
          Privileged only
        </label>
        {states.length > 0 && (
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={states.every((isFolded) => isFolded)}
              onClick={() => foldAll('folded')}
            >
              Fold all
            </button>
            <button
              type="button"
              class="button"
              disabled={states.every((isFolded) => !isFolded)}
              onClick={() => foldAll('unfolded')}
            >
              Unfold all
            </button>
          </div>
        )}
        <p class="quiet" role="status">
          {countsText(filtered, graph)}
        </p>
      </div>
      {filtered.nodes.length === 0 ? (
        <Empty icon="filter" title="No access matches">
          <button type="button" class="button" onClick={() => setFilter(NO_FILTER)}>
            Clear the filter
          </button>
        </Empty>
      ) : (
        <GraphDrawing
          graph={visible}
          counts={countsOf(filtered)}
          label={label}
          onToggle={toggle}
          onRest={showRest}
        />
      )}
    </div>
  );
}

function countsOf(graph: AccessGraph): number[] {
  return [0, 1, 2, 3].map((layer) => countIn(graph, layer));
}

/** `5 of 312 entitlements, 2 of them privileged`. */
function countsText(filtered: AccessGraph, all: AccessGraph): string {
  const [shown, total] = [countIn(filtered, 2), countIn(all, 2)];
  const privileged = filtered.nodes.filter((node) => node.privileged).length;
  const noun = total === 1 ? 'entitlement' : 'entitlements';
  const amount = shown === total ? String(total) : `${shown} of ${total}`;
  return `${amount} ${noun}${privileged === 0 ? '' : `, ${privileged} privileged`}`;
}
