// The queries of this tab, the latest first. Queries may hold names of people, so they stay in the
// memory of the tab, as the token does, and are removed when the session ends.

import { session } from '../../../api/session.ts';
import { Cell } from '../../../model/cell.ts';

const KEY = 'cardea.queries';
const KEPT_MAX = 12;

/** The recent queries, without repetition. */
export const recentQueries = new Cell<readonly string[]>(readQueries());

session.watch(() => {
  if (session.get() === null) forgetQueries();
});

/** Puts a query first. */
export function rememberQuery(query: string): void {
  if (query === '' || recentQueries.get()[0] === query) return;
  const others = recentQueries.get().filter((one) => one !== query);
  store([query, ...others].slice(0, KEPT_MAX));
}

/** Removes all of them. */
export function forgetQueries(): void {
  recentQueries.set([]);
  sessionStorage.removeItem(KEY);
}

function store(queries: readonly string[]): void {
  recentQueries.set(queries);
  sessionStorage.setItem(KEY, JSON.stringify(queries));
}

function readQueries(): readonly string[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    // Not JSON: written by something else.
    return [];
  }
}
