// The place of a page at which it was left: the link that was followed, or a row of the results. It
// is kept in the entry of the history, so the button Back finds it.
// Invariant: a place is an address of the console or the number of a row, never a value.

interface Entry {
  readonly place?: string;
}

/** Remembers the place in the entry of the page that is shown. */
export function leavePlace(place: string): void {
  history.replaceState({ ...history.state, place }, '');
}

/** The place at which the page was left; null: it was not left. */
export function placeLeft(): string | null {
  return (history.state as Entry | null)?.place ?? null;
}

/** Forgets the place. */
export function forgetPlace(): void {
  if (placeLeft() === null) return;
  const { place: _, ...rest } = history.state as Entry;
  history.replaceState(rest, '');
}

const ROW = 'row ';

/** Remembers the row that was opened. */
export function leaveRow(at: number): void {
  leavePlace(`${ROW}${at}`);
}

/** The position of the row that was opened; null: none was. */
export function rowLeft(): number | null {
  const place = placeLeft();
  return place?.startsWith(ROW) ? Number(place.slice(ROW.length)) : null;
}
