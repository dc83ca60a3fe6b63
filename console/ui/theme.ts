// The colour theme: that of the system unless the user chose one. The choice is the only thing that
// the console stores beyond the tab.
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'cardea.theme';
const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

/** The stored choice. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'auto';
}

/** Applies a theme and stores the choice. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}

/** Applies a theme. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** The next theme in the cycle. */
export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}
