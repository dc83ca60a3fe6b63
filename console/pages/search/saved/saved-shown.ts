// Whether the sidebar of saved searches is open. It stays in the browser, since it is about the
// screen.
import { Cell } from '../../../model/cell.ts';

const KEY = 'cardea.saved-searches';
const OPEN = 'open';

/** True while the sidebar is open. */
export const savedShown = new Cell(localStorage.getItem(KEY) === OPEN);

/** Opens or closes the sidebar. */
export function showSaved(isShown: boolean): void {
  savedShown.set(isShown);
  if (isShown) localStorage.setItem(KEY, OPEN);
  else localStorage.removeItem(KEY);
}
