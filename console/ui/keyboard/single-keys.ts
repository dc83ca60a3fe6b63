// Whether the keys that work on every page without Ctrl or Alt are on. Speech input and shaky hands press
// them by accident, so users can turn them off (WCAG 2.1.4). The browser keeps the choice.
import { Cell } from '../../model/cell.ts';

const KEY = 'cardea.keys';
const OFF = 'off';

/** True unless the user turned the keys off. */
export const areKeysOn = new Cell(localStorage.getItem(KEY) !== OFF);

/** Turns the keys on or off, and stores the choice. */
export function chooseKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, OFF);
  areKeysOn.set(isOn);
}
