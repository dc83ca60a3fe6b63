// The keys that work on every page, unless they are turned off, and the table of all keys for the help
// sheet.
import { useEffect } from 'preact/hooks';
import { Cell } from '../model/cell.ts';
import { areKeysOn } from './keyboard/single-keys.ts';
import { isTyped } from './keyboard/typed-control.ts';
import { go } from './route.ts';

/** True while the query box is to take the focus; the box sets it back. */
export const queryFocus = new Cell(false);

/** A group of keys, as the help sheet shows it. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, effect: string])[];
}

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Everywhere',
    keys: [
      ['/', 'Focus the search'],
      ['?', 'Show this list'],
      ['Esc', 'Close a dialog, a menu or the suggestions'],
    ],
  },
  {
    title: 'Query',
    keys: [
      ['Tab', 'Take the first suggestion'],
      ['↑ ↓', 'Choose a suggestion'],
      ['Ctrl Space', 'Show suggestions'],
      ['Enter', 'Search, or take the chosen suggestion'],
    ],
  },
  {
    title: 'Results',
    keys: [
      ['↑ ↓', 'Move by one row'],
      ['Page Up, Page Down', 'Move by a page'],
      ['Home, End', 'Move to the first or last loaded row'],
      ['Enter', 'Open'],
      ['Space', 'Expand or collapse in place'],
      ['E', 'Explain why it matches'],
      ['← →, Home, End', 'Move through the tools above the results'],
    ],
  },
  {
    title: 'Filters',
    keys: [
      ['↑ ↓, Home, End', 'Move through the values'],
      ['Space', 'Select a value'],
      ['→', 'Move to the button that excludes it'],
    ],
  },
  {
    title: 'Tables and bars',
    keys: [['↑ ↓, Home, End', 'Move to another row or bar']],
  },
];

/** Handles the keys of every page. @param onHelp shows the help sheet */
export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!areKeysOn.get()) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyped(event.target) || document.querySelector('dialog[open]') !== null) return;
      if (event.key === '/') {
        event.preventDefault();
        queryFocus.set(true);
        if (!/^#\/(?:search|$)/.test(location.hash)) go('/search');
      } else if (event.key === '?') {
        event.preventDefault();
        onHelp();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onHelp]);
}
