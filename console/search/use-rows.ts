// The rows of a search, page behind page as somebody scrolls.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { returns } from '../api/connection.ts';
import { type ApiFault, asFault } from '../api/fault.ts';
import { type Found, search } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { useCell } from '../ui/use-cell.ts';
import { type Load, useLoad } from '../ui/use-load.ts';
import { cursorOf, pageSize, WINDOW } from './paging.ts';
import { rowsBody, sortOf } from './search-body.ts';
import type { SearchState } from './search-state.ts';

export interface Rows {
  /** The first page, with the total. */
  readonly first: Load<Found>;
  readonly rows: readonly Document[];
  /** Why the last page did not come. */
  readonly fault: ApiFault | null;
  /** Whether what is shown belongs to an earlier search. */
  readonly isStale: boolean;
  /** Whether the rows end here though more are found: pages by number reach only so far. */
  readonly isCut: boolean;
  /** Asks for the next page, unless one is on its way, none is left or the last one failed. */
  more(): void;
  /** Lets a page that failed be asked for again. */
  again(): void;
}

interface Rest {
  readonly of: Found | undefined;
  readonly rows: readonly Document[];
  readonly fault: ApiFault | null;
}

export function useRows(state: SearchState): Rows {
  const body = rowsBody(state);
  const key = JSON.stringify(body);
  const first = useLoad(key, (signal) =>
    search(body, { limit: pageSize(0), count: 'exact' }, signal),
  );
  const [kept, setRest] = useState<Rest>({ of: undefined, rows: [], fault: null });
  const rest = kept.of === first.value ? kept : { of: first.value, rows: [], fault: null };
  const rows = useMemo(
    () => [...(first.value?.hits ?? []), ...rest.rows],
    [first.value, rest.rows],
  );
  const busy = useRef<Found | null>(null);
  const again = useCallback(() => setRest((before) => ({ ...before, fault: null })), []);
  const returned = useCell(returns);
  // When the service is back, what failed is asked for again.
  useEffect(again, [returned]);
  const total = first.value?.total ?? 0;
  const isCut = state.sort === '' && rows.length >= WINDOW && rows.length < total;
  const more = useCallback(() => {
    const of = first.value;
    if (of === undefined || first.key !== key || busy.current === of) return;
    if (rows.length >= of.total || isCut || rest.fault !== null) return;
    busy.current = of;
    nextPage(state, rows).then(
      (hits) => {
        // Of a search that is not shown any more.
        if (busy.current !== of) return;
        busy.current = null;
        setRest({ of, rows: [...rest.rows, ...hits], fault: null });
      },
      (error: unknown) => {
        if (busy.current !== of) return;
        busy.current = null;
        setRest({ of, rows: rest.rows, fault: asFault(error) });
      },
    );
  }, [first.value, first.key, key, rows, rest, state, isCut]);
  return { first, rows, fault: rest.fault, isStale: first.key !== key, isCut, more, again };
}

async function nextPage(
  state: SearchState,
  rows: readonly Document[],
): Promise<readonly Document[]> {
  const limit = pageSize(rows.length);
  const sort = sortOf(state);
  const last = rows.at(-1);
  if (sort.length === 0) {
    const reachable = Math.min(limit, WINDOW - rows.length);
    return (await search(rowsBody(state), { limit: reachable, offset: rows.length })).hits;
  }
  const searchAfter = last === undefined ? {} : { searchAfter: cursorOf(last, sort) };
  return (await search({ ...rowsBody(state), ...searchAfter }, { limit })).hits;
}
