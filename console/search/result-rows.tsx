// The rows of a search, as a virtual list: only the visible rows are rendered, at positions
// computed from the row height. Arrow keys move the active row, Enter opens it, E explains it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Document } from '../api/wire.ts';
import { Icon } from '../ui/icon.tsx';
import { go, href } from '../ui/route.ts';
import { Value } from '../ui/value.tsx';
import { firstText, valuesAt } from './document-value.ts';
import { labelOf } from './kinds.ts';

export interface ResultRowsProps {
  readonly index: string;
  readonly label: string;
  readonly rows: readonly Document[];
  readonly total: number;
  readonly columns: readonly string[];
  readonly sort: string;
  readonly isStale: boolean;
  readonly onSort: (column: string) => void;
  readonly onEnd: () => void;
  readonly onExplain: (row: Document) => void;
}

const ROW_PX = 40;
const CARD_PX = 68;
/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 8;
/** Rows before the end at which the next page is requested. */
const PREFETCH_ROWS = 60;
const NARROW = '(max-width: 640px)';

export function ResultRows(props: ResultRowsProps) {
  const { rows, columns, index } = props;
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia(NARROW);
  const rowPx = isNarrow ? CARD_PX : ROW_PX;
  const [active, setActive] = useState(0);
  const visible = useVisibleRows(frame, rowPx);
  const from = Math.max(0, visible.from - OVERSCAN_ROWS);
  const to = Math.min(rows.length, visible.to + OVERSCAN_ROWS);
  useEffect(() => {
    if (visible.to + PREFETCH_ROWS >= rows.length) props.onEnd();
  }, [visible.to, rows.length, props.onEnd]);
  const move = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    reveal(frame.current, next, rowPx, isNarrow ? 0 : ROW_PX);
  };
  const keys = keysOf(props, active, move, visible.to - visible.from - 1);
  const template = templateOf(columns.length, isNarrow);
  return (
    <div
      class="rows"
      data-stale={props.isStale}
      ref={frame}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={props.total + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={from <= active && active < to ? `row-${active}` : undefined}
      onKeyDown={keys}
    >
      <Head {...props} template={template} />
      <div class="rows-all" role="rowgroup" style={{ height: `${rows.length * rowPx}px` }}>
        {rows.slice(from, to).map((row, nth) => (
          <Row
            key={String(row['id'])}
            at={from + nth}
            row={row}
            index={index}
            columns={columns}
            style={{
              ...template,
              transform: `translateY(${(from + nth) * rowPx}px)`,
              height: `${rowPx}px`,
            }}
            isActive={from + nth === active}
            onChoose={() => setActive(from + nth)}
            onExplain={() => props.onExplain(row)}
          />
        ))}
      </div>
    </div>
  );
}

/** @param pageRows how many rows a page key moves */
function keysOf(
  { rows, index, onExplain }: ResultRowsProps,
  active: number,
  move: (at: number) => void,
  pageRows: number,
) {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: pageRows,
    PageUp: -pageRows,
    Home: -rows.length,
    End: rows.length,
  };
  return (event: KeyboardEvent) => {
    const row = rows[active];
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(active + step);
    } else if (row !== undefined && event.key === 'Enter') {
      go(href('document', index, String(row['id'])));
    } else if (
      row !== undefined &&
      event.key.toLowerCase() === 'e' &&
      !event.ctrlKey &&
      !event.metaKey
    ) {
      event.preventDefault();
      onExplain(row);
    }
  };
}

type Style = Readonly<Record<string, string>>;

/** The first two columns are wider; if the columns do not fit, the rows scroll. */
function templateOf(columns: number, isNarrow: boolean): Style {
  const second = columns > 1 ? 'minmax(120px, 1.4fr)' : '';
  const others = columns > 2 ? `repeat(${columns - 2}, minmax(88px, 1fr))` : '';
  return {
    gridTemplateColumns: `minmax(164px, 1.5fr) ${second} ${others} 44px`,
    minWidth: isNarrow ? '0' : `${164 + 120 + 88 * Math.max(0, columns - 2) + 44}px`,
  };
}

function Head({ columns, sort, onSort, template }: ResultRowsProps & { template: Style }) {
  const field = sort.replace(/^-/, '');
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  return (
    <div class="rows-head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1} style={template}>
        {columns.map((column) => (
          <span
            key={column}
            class="cell"
            role="columnheader"
            aria-sort={column === field ? direction : 'none'}
          >
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
          </span>
        ))}
        <span class="cell cell-tools" role="columnheader">
          <span class="unseen">Explain</span>
        </span>
      </div>
    </div>
  );
}

interface RowProps {
  readonly at: number;
  readonly row: Document;
  readonly index: string;
  readonly columns: readonly string[];
  readonly style: Style;
  readonly isActive: boolean;
  readonly onChoose: () => void;
  readonly onExplain: () => void;
}

function Row({ at, row, index, columns, style, isActive, onChoose, onExplain }: RowProps) {
  const [first = 'name', ...others] = columns;
  const id = String(row['id']);
  const title = firstText(row, first, 'displayName', 'name', 'id');
  return (
    <div
      class="row"
      role="row"
      id={`row-${at}`}
      aria-rowindex={at + 2}
      aria-selected={isActive}
      style={style}
      onPointerDown={onChoose}
    >
      <span class="cell cell-main" role="gridcell">
        <a href={href('document', index, id)} tabIndex={-1}>
          <Value value={valuesAt(row, first).length === 0 ? title : valuesAt(row, first)} />
        </a>
      </span>
      {others.map((column) => (
        <span class="cell" role="gridcell" key={column}>
          <Value value={single(valuesAt(row, column))} />
        </span>
      ))}
      <span class="cell cell-tools" role="gridcell">
        <button
          type="button"
          class="button-icon"
          tabIndex={-1}
          title="Explain (E)"
          aria-label={`Explain ${title}`}
          onClick={onExplain}
        >
          <Icon name="explain" size={17} />
        </button>
      </span>
    </div>
  );
}

function single(values: readonly unknown[]): unknown {
  return values.length === 1 ? values[0] : values;
}

/** The range of visible rows. */
function useVisibleRows(frame: { readonly current: HTMLDivElement | null }, rowPx: number) {
  const [visible, setVisible] = useState({ from: 0, to: 30 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const update = () => {
      const from = Math.floor(element.scrollTop / rowPx);
      const to = from + Math.ceil(element.clientHeight / rowPx) + 1;
      setVisible((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    update();
    const sizeObserver = new ResizeObserver(update);
    sizeObserver.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      sizeObserver.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [rowPx]);
  return visible;
}

function reveal(element: HTMLDivElement | null, at: number, rowPx: number, headPx: number): void {
  if (element === null) return;
  const top = at * rowPx;
  const bottom = top + rowPx + headPx;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom - element.clientHeight;
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const read = () => setMatches(media.matches);
    media.addEventListener('change', read);
    return () => media.removeEventListener('change', read);
  }, [query]);
  return matches;
}
