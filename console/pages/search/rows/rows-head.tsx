// The head of the result table: a click sorts, dragging the edge of a column changes its width. By
// keyboard both are in the menus above the table.
import { useRef } from 'preact/hooks';
import { Icon } from '../../../ui/icon.tsx';
import type { ColumnKind } from './column-tracks.ts';

export interface RowsHeadProps {
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  readonly tracks: Readonly<Record<string, string>>;
  /** '': by relevance. */
  readonly sort: string;
  readonly labelOf: (column: string) => string;
  /** Whether a column can be sorted by. */
  readonly isSortable: (column: string) => boolean;
  readonly onSort: (column: string) => void;
  readonly onWidth: (column: string, px: number) => void;
}

export function RowsHead(props: RowsHeadProps) {
  const { columns, kinds, tracks, sort, labelOf, isSortable, onSort, onWidth } = props;
  const [field = ''] = sort.replace(/^-/, '').split(',');
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  return (
    <div class="rows-head" role="rowgroup" style={{ minWidth: tracks['minWidth'] ?? '0' }}>
      <div class="row" role="row" aria-rowindex={1} style={tracks}>
        {columns.map((column, at) => (
          <span
            key={column}
            class={kinds[at] === 'number' ? 'cell cell-head cell-number' : 'cell cell-head'}
            role="columnheader"
            aria-sort={column === field ? direction : 'none'}
          >
            {isSortable(column) ? (
              <button
                type="button"
                class="head-button"
                tabIndex={-1}
                title={column}
                onClick={() => onSort(column)}
              >
                {labelOf(column)}
                {column === field && (
                  <Icon name={direction === 'ascending' ? 'up' : 'down'} size={13} />
                )}
              </button>
            ) : (
              <span class="head-plain" title={column}>
                {labelOf(column)}
              </span>
            )}
            <Edge onWidth={(px) => onWidth(column, px)} />
          </span>
        ))}
        <span class="cell cell-tools" role="columnheader">
          <span class="unseen">Explain and expand</span>
        </span>
      </div>
    </div>
  );
}

/** The edge of a column. Dragging starts from the width that the column has on the screen. */
function Edge({ onWidth }: { onWidth: (px: number) => void }) {
  const start = useRef<{ readonly x: number; readonly px: number } | null>(null);
  return (
    <span
      class="column-edge"
      aria-hidden="true"
      onPointerDown={(event) => {
        const cell = event.currentTarget.parentElement;
        if (cell === null || event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, px: cell.getBoundingClientRect().width };
      }}
      onPointerMove={(event) => {
        if (start.current !== null) onWidth(start.current.px + event.clientX - start.current.x);
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onPointerCancel={() => {
        start.current = null;
      }}
    />
  );
}
