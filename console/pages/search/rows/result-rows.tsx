// The rows of a search, as a virtual list: only the visible rows are rendered, at positions
// computed from the row height. One row may be expanded, which moves those below it. Arrow keys
// move the active row, Enter opens it, Space expands it, E explains it. After the button Back, the row
// that was opened is active again.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import type { QueryTerm } from '../../../model/query-terms.ts';
import type { Document } from '../../../model/wire.ts';
import { forgetPlace, leaveRow, rowLeft } from '../../../ui/keyboard/left-place.ts';
import { go, href } from '../../../ui/route.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { useFields } from '../query/use-fields.ts';
import { columnKind, columnTracks, textLengths } from './column-tracks.ts';
import { ResultRow } from './result-row.tsx';
import { RowDetail } from './row-detail.tsx';
import { RowsHead } from './rows-head.tsx';

export interface ResultRowsProps {
  readonly index: IndexName;
  readonly label: string;
  readonly rows: readonly Document[];
  readonly total: number;
  readonly columns: readonly string[];
  /** Widths that the user set, in pixels. */
  readonly widths: Readonly<Record<string, number>>;
  readonly sort: string;
  readonly isStale: boolean;
  /** The words of the query, which are marked. */
  readonly terms: readonly QueryTerm[];
  readonly labelOf: (column: string) => string;
  readonly isSortable: (column: string) => boolean;
  readonly onSort: (column: string) => void;
  readonly onWidth: (column: string, px: number) => void;
  readonly onEnd: () => void;
  readonly onExplain: (row: Document) => void;
}

const ROW_PX = 40;
const CARD_PX = 76;
const DETAIL_PX = 288;
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
  const [expanded, setExpanded] = useState<number | null>(null);
  const visible = useVisibleRows(frame, rowPx);
  // An expanded row takes the place of some others.
  const extra = expanded === null ? 0 : Math.ceil(DETAIL_PX / rowPx);
  const from = Math.max(0, visible.from - OVERSCAN_ROWS - extra);
  const to = Math.min(rows.length, visible.to + OVERSCAN_ROWS);
  const topOf = (at: number) => at * rowPx + (expanded !== null && at > expanded ? DETAIL_PX : 0);
  useEffect(() => {
    if (visible.to + PREFETCH_ROWS >= rows.length) props.onEnd();
  }, [visible.to, rows.length, props.onEnd]);
  const move = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    reveal(frame.current, topOf(next), rowPx, isNarrow ? 0 : ROW_PX);
  };
  const expand = (at: number) => {
    setActive(at);
    setExpanded(expanded === at ? null : at);
  };
  useReturn(frame, rows.length, props.total, move);
  const keys = keysOf(props, active, { move, expand }, visible.to - visible.from - 1);
  const fields = useFields(index);
  const kinds = useMemo(
    () => columns.map((column, at) => columnKind(column, at, fields)),
    [columns, fields],
  );
  const lengths = useMemo(() => textLengths(columns, rows), [columns, rows]);
  const tracks = isNarrow ? { minWidth: '0' } : columnTracks(columns, kinds, lengths, props.widths);
  const detail = expanded === null ? undefined : rows[expanded];
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
      onClick={({ target }) => {
        if ((target as Element).closest('.rows-all a') !== null) leaveRow(active);
      }}
    >
      <RowsHead {...props} kinds={kinds} tracks={tracks} />
      <div
        class="rows-all"
        role="rowgroup"
        style={{ height: `${topOf(rows.length)}px`, minWidth: tracks.minWidth }}
      >
        {rows.slice(from, to).map((row, nth) => (
          <ResultRow
            key={`${from + nth} ${row['id']}`}
            at={from + nth}
            row={row}
            index={index}
            columns={columns}
            kinds={kinds}
            terms={props.terms}
            style={{
              ...tracks,
              transform: `translateY(${topOf(from + nth)}px)`,
              height: `${rowPx}px`,
            }}
            isActive={from + nth === active}
            isExpanded={from + nth === expanded}
            onChoose={() => setActive(from + nth)}
            onExpand={() => expand(from + nth)}
            onExplain={() => props.onExplain(row)}
          />
        ))}
        {expanded !== null && detail !== undefined && (
          <RowDetail
            key={`detail ${detail['id']}`}
            index={index}
            id={String(detail['id'])}
            terms={props.terms}
            style={{
              transform: `translateY(${(expanded + 1) * rowPx}px)`,
              height: `${DETAIL_PX}px`,
            }}
            onExplain={() => props.onExplain(detail)}
          />
        )}
      </div>
    </div>
  );
}

interface RowActions {
  readonly move: (at: number) => void;
  readonly expand: (at: number) => void;
}

/** @param pageRows how many rows a page key moves */
function keysOf(
  { rows, index, onExplain }: ResultRowsProps,
  active: number,
  { move, expand }: RowActions,
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
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[active];
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(active + step);
    } else if (row === undefined || event.target !== event.currentTarget) {
      // A key of a button or a link in a row.
    } else if (event.key === 'Enter') {
      leaveRow(active);
      go(href('document', index, String(row['id'])));
    } else if (event.key === ' ') {
      event.preventDefault();
      expand(active);
    } else if (event.key.toLowerCase() === 'e') {
      event.preventDefault();
      onExplain(row);
    }
  };
}

/**
 * Moves to the row at which the results were left, as soon as it is loaded, with the focus. What the
 * user does meanwhile ends this: `useKeptFocus` then forgets the row.
 */
function useReturn(
  frame: { readonly current: HTMLDivElement | null },
  loaded: number,
  total: number,
  move: (at: number) => void,
): void {
  const [row] = useState(rowLeft);
  useLayoutEffect(() => {
    if (row === null || rowLeft() !== row) return;
    move(row);
    frame.current?.focus({ preventScroll: true });
    if (row < loaded || loaded >= total) forgetPlace();
  }, [loaded]);
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

function reveal(element: HTMLDivElement | null, top: number, rowPx: number, headPx: number): void {
  if (element === null) return;
  const bottom = top + rowPx + headPx;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom - element.clientHeight;
}
