// Light or dark: as the system has it, unless somebody chose. The choice is the only thing the console keeps beyond
// the tab.
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'cardea.theme';
const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

/** The theme that was chosen. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** Shows a theme and keeps the choice. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}

/** Shows a theme. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

/** The one after it. */
export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}
