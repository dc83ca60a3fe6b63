// Loads the rows of a search whose rows are elements. The service answers such rows as a whole, not
// in pages, so each step requests more of them from the beginning; the export has all.
import { useCallback, useState } from 'preact/hooks';
import { count, requestRows, type SearchResults, warningsOf } from '../../../api/search-api.ts';
import { elementRowsBody, searchBody } from '../../../model/search-body.ts';
import { columnsOf, type SearchState } from '../../../model/search-state.ts';
import type { Document } from '../../../model/wire.ts';
import { useLoad } from '../../../ui/use-load.ts';
import type { Rows } from './use-rows.ts';

/** The numbers of rows that are requested one after the other. */
const STEPS: readonly number[] = [100, 500, 2_500, 10_000];
export const ROWS_MAX = 10_000;
/** Members that a row needs to open its document. */
const OPENING = ['id', 'displayName'];

interface Loaded extends SearchResults {
  /** The search that they belong to. */
  readonly of: string;
}

/** @param state null: nothing is loaded */
export function useElementRows(state: SearchState | null): Rows {
  const of = state === null ? null : JSON.stringify(elementRowsBody(state));
  const [reached, setReached] = useState({ of, step: 0 });
  const step = reached.of === of ? reached.step : 0;
  const limit = STEPS[step] ?? ROWS_MAX;
  const load = useLoad<Loaded>(of === null ? null : `${limit} ${of}`, async (signal) => ({
    ...(await readRows(state as SearchState, limit, signal)),
    of: of as string,
  }));
  const { value, fault } = load;
  const isStale = value?.of !== of;
  const rows = value?.hits ?? [];
  const more = useCallback(() => {
    if (isStale || load.loading || fault !== null || rows.length < limit) return;
    if (step < STEPS.length - 1) setReached({ of, step: step + 1 });
  }, [isStale, load.loading, fault, rows.length, limit, step, of]);
  return {
    first: { ...load, key: value?.of ?? null, fault: isStale ? fault : null },
    rows,
    fault: isStale ? null : fault,
    isStale,
    isCut: rows.length >= ROWS_MAX && (value?.total ?? 0) > rows.length,
    more,
    reload: load.reload,
  };
}

async function readRows(state: SearchState, limit: number, signal: AbortSignal) {
  const known = columnsOf(state);
  const opening = OPENING.filter((name) => name === 'id' || state.index === 'identities');
  const columns = [...new Set([...known, ...opening])].map((field) => ({ field, header: field }));
  const body = elementRowsBody(state, columns);
  const [answer, documents] = await Promise.all([
    requestRows(body, { format: 'json', limit, count: true }, signal),
    count(searchBody(state), signal),
  ]);
  return {
    hits: (await answer.json()) as Document[],
    total: Number(answer.headers.get('x-total-count') ?? 0),
    documents,
    warnings: warningsOf(answer.headers.get('warning')),
  };
}
