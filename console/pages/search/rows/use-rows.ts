// Loads the rows of a search, page by page while the user scrolls.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { reconnections } from '../../../api/connection.ts';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import { type SearchResults, search } from '../../../api/search-api.ts';
import { cursorOf, pageSize, WINDOW } from '../../../model/paging.ts';
import { rowsBody, sortKeysOf } from '../../../model/search-body.ts';
import { type SearchState, sortOf } from '../../../model/search-state.ts';
import type { Document } from '../../../model/wire.ts';
import { useCell } from '../../../ui/use-cell.ts';
import { type Load, useLoad } from '../../../ui/use-load.ts';

export interface Rows {
  /** The first page, with the total. */
  readonly first: Load<SearchResults>;
  readonly rows: readonly Document[];
  /** Why the last page failed. */
  readonly fault: ApiFault | null;
  /** True while the rows belong to an earlier search. */
  readonly isStale: boolean;
  /** True if there are more matches than can be shown. */
  readonly isCut: boolean;
  /** Requests the next page, unless one is loading, none is left or the last one failed. */
  more(): void;
  /** Clears the fault of a page, so that it can be requested again. */
  reload(): void;
}

interface Rest {
  readonly of: SearchResults | undefined;
  readonly rows: readonly Document[];
  readonly fault: ApiFault | null;
  /** True after a page without rows, although the total promises more: documents were deleted. */
  readonly isEnd: boolean;
}

const NO_REST = { rows: [], fault: null, isEnd: false };

/** @param state null: nothing is loaded */
export function useRows(state: SearchState | null): Rows {
  const body = state === null ? null : rowsBody(state);
  const key = body === null ? null : JSON.stringify(body);
  const first = useLoad(key, (signal) =>
    search(body ?? {}, { limit: pageSize(0), count: 'exact' }, signal),
  );
  const [loaded, setRest] = useState<Rest>({ of: undefined, ...NO_REST });
  const rest = loaded.of === first.value ? loaded : { of: first.value, ...NO_REST };
  const rows = useMemo(
    () => [...(first.value?.hits ?? []), ...rest.rows],
    [first.value, rest.rows],
  );
  const busy = useRef<SearchResults | null>(null);
  const reload = useCallback(() => setRest((before) => ({ ...before, fault: null })), []);
  const connection = useCell(reconnections);
  // After a reconnection, a page that failed is requested again.
  useEffect(reload, [connection]);
  const total = first.value?.total ?? 0;
  const isCut =
    state !== null && sortOf(state) === '' && rows.length >= WINDOW && rows.length < total;
  const more = useCallback(() => {
    const of = first.value;
    if (state === null || of === undefined || first.key !== key || busy.current === of) return;
    if (rows.length >= of.total || rest.isEnd || isCut || rest.fault !== null) return;
    busy.current = of;
    nextPage(state, rows).then(
      (hits) => {
        // The response belongs to an earlier search.
        if (busy.current !== of) return;
        busy.current = null;
        setRest({ of, rows: [...rest.rows, ...hits], fault: null, isEnd: hits.length === 0 });
      },
      (error: unknown) => {
        if (busy.current !== of) return;
        busy.current = null;
        setRest({ ...rest, fault: asFault(error) });
      },
    );
  }, [first.value, first.key, key, rows, rest, state, isCut]);
  return { first, rows, fault: rest.fault, isStale: first.key !== key, isCut, more, reload };
}

async function nextPage(
  state: SearchState,
  rows: readonly Document[],
): Promise<readonly Document[]> {
  const limit = pageSize(rows.length);
  const sort = sortKeysOf(state);
  const last = rows.at(-1);
  if (sort.length === 0) {
    const reachable = Math.min(limit, WINDOW - rows.length);
    return (await search(rowsBody(state), { limit: reachable, offset: rows.length })).hits;
  }
  const searchAfter = last === undefined ? {} : { searchAfter: cursorOf(last, sort) };
  return (await search({ ...rowsBody(state), ...searchAfter }, { limit })).hits;
}
