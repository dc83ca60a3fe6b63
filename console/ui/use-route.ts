// The page that is shown. It follows the address of the browser, whether a link, the program or the
// button Back changed it. Before a form with changes is left, the console asks: until the answer the
// address is the new one, and the page still the old one.
// Invariant: each entry of the history has its position as its state, from which the way back is
// known.
import { Cell } from '../model/cell.ts';
import { type Route, routeOf } from './route.ts';
import { useCell } from './use-cell.ts';
import { hasUnsaved, unsaved } from './use-unsaved.ts';

/** An entry of the browser's history. */
interface Entry {
  readonly hash: string;
  readonly position: number;
}

let current = currentEntry(0);
/** The entry whose page is shown. */
const shown = new Cell(current);
/** True while the user is asked whether to leave a form with changes. */
export const isLeaving = new Cell(false);

// A link fires both; `replace` fires popstate.
addEventListener('popstate', follow);
addEventListener('hashchange', follow);
// Once the answer to a save has come, nothing is left to ask about.
unsaved.watch(() => {
  if (isLeaving.get() && !hasUnsaved()) leave();
});

/** The route of the page that is shown; renders again when it changes. */
export function useRoute(): Route {
  return routeOf(useCell(shown).hash);
}

/** Leaves the form: shows the page of the address. */
export function leave(): void {
  isLeaving.set(false);
  shown.set(current);
}

/** Stays at the form: restores its address, unless the form was left. */
export function stay(): void {
  if (!isLeaving.get()) return;
  isLeaving.set(false);
  const { hash, position } = shown.get();
  if (position === current.position) history.replaceState(history.state, '', hash);
  else history.go(position - current.position);
}

function follow(): void {
  current = currentEntry(current.position + 1);
  const isElsewhere = current.hash !== shown.get().hash;
  if (isElsewhere && hasUnsaved()) isLeaving.set(true);
  else leave();
}

/** @param next the position of a new entry */
function currentEntry(next: number): Entry {
  const state = history.state as { readonly position?: number } | null;
  const position = state?.position ?? next;
  if (state?.position === undefined) history.replaceState({ position }, '');
  return { hash: location.hash, position };
}
