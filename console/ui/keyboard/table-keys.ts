// The keys of a table: arrow keys move to the same control of the next or previous row, Home and End
// to the first and last row. Tab goes from control to control, as everywhere.
import { isTyped } from './typed-control.ts';

const CONTROLS = 'a[href], button:enabled, input:enabled';

/** Handles a key that is pressed on a control in a row. */
export function moveInTable(event: KeyboardEvent): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || isTyped(target)) return;
  const row = target.closest('tbody > tr');
  if (row === null) return;
  const next = rowAfterKey(row, event.key);
  if (next === null) return;
  event.preventDefault();
  const nth = [...row.querySelectorAll(CONTROLS)].indexOf(target);
  const controls = next.querySelectorAll<HTMLElement>(CONTROLS);
  controls[Math.min(nth, controls.length - 1)]?.focus();
}

/** The row with controls that a key leads to, which may be the same; null if the key means nothing. */
function rowAfterKey(row: Element, key: string): Element | null {
  const rows = [...(row.parentElement?.children ?? [])].filter(
    (one) => one.querySelector(CONTROLS) !== null,
  );
  const at = rows.indexOf(row);
  switch (key) {
    case 'ArrowDown':
      return rows[at + 1] ?? row;
    case 'ArrowUp':
      return rows[at - 1] ?? row;
    case 'Home':
      return rows[0] ?? row;
    case 'End':
      return rows.at(-1) ?? row;
    default:
      return null;
  }
}
