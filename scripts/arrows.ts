// Generates Biome rules from arrows.json, the table of allowed imports. A row names a folder or
// file of `src`, or the console, and what it may import besides itself. A row for a subfolder
// narrows the row of its parent. Run directly, it writes biome.arrows.json, which biome.json
// extends. test/docs/arrows.test.ts checks all of it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Allowed imports by folder or file below `src`; `console` is a folder next to `src`. */
export type Arrows = Readonly<Record<string, readonly string[]>>;

/** What every folder may import. */
export const FOR_ALL = 'errors.ts';
/** Folders that do no I/O and read no clock, environment or random source. */
const PURE = ['analysis', 'query', 'engine'];
const IMPURE = 'process Buffer fetch setTimeout setImmediate queueMicrotask performance'.split(' ');
const IMPURE_MESSAGE = 'no I/O, clock, environment or random source here: pass it in';

export function readArrows(): Arrows {
  return JSON.parse(readFileSync('arrows.json', 'utf8'));
}

/**
 * The row for a source file: the most specific one.
 * @param path such as `src/engine/index/codec.ts`
 */
export function rowOf(arrows: Arrows, path: string): string | null {
  const rows = Object.keys(arrows).filter((row) => isWithin(path, row));
  return rows.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** True if a source file belongs to a folder or file of the table. */
export function isWithin(path: string, name: string): boolean {
  const place = name === 'console' ? name : `src/${name}`;
  return path === place || path.startsWith(`${place}/`);
}

/** The text of biome.arrows.json. */
export function arrowRules(arrows: Arrows): string {
  const rows = Object.keys(arrows).filter((row) => row !== FOR_ALL);
  return `${JSON.stringify({ overrides: rows.map((row) => override(arrows, row)) }, null, 2)}\n`;
}

function override(arrows: Arrows, row: string): object {
  const allowed = [...(arrows[row] ?? []), FOR_ALL];
  const place = row === 'console' ? row : `src/${row}`;
  const isPure = PURE.includes(row.split('/')[0] ?? '');
  const denied = [...Object.keys(arrows), ...siblings(row)].filter(
    (name) =>
      name !== 'console' &&
      ![row, ...allowed].some((other) => name === other || isInside(name, other)) &&
      !isInside(row, name),
  );
  const group = [...new Set(denied)].map((name) => pattern(name, row));
  // An allowed folder may have a subfolder with the name of a sibling.
  if (row.includes('/')) group.push(...allowed.map((name) => `!${pattern(name, row)}`));
  if (isPure) group.push('node:*');
  const options = {
    patterns: [{ group, message: `${row} may import only: ${allowed.join(', ')} (arrows.json)` }],
  };
  const style: Record<string, object> = { noRestrictedImports: { level: 'error', options } };
  if (isPure) {
    const deniedGlobals = Object.fromEntries(IMPURE.map((name) => [name, IMPURE_MESSAGE]));
    style['noRestrictedGlobals'] = { level: 'error', options: { deniedGlobals } };
  }
  const files = row.endsWith('.ts') ? [place] : [`${place}/**`, '!**/*.test.ts'];
  return { includes: files, linter: { rules: { style } } };
}

/** True if a folder is inside another one. */
function isInside(name: string, other: string): boolean {
  return name.startsWith(`${other}/`);
}

/** The sibling folders of a subfolder's row. */
function siblings(row: string): string[] {
  const parent = row.split('/').slice(0, -1).join('/');
  if (parent === '') return [];
  const entries = readdirSync(`src/${parent}`, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`);
}

/** The pattern of import paths to a folder or file, as the sources of `row` write them. */
function pattern(name: string, row: string): string {
  const from = row === 'console' ? 'src/' : '';
  // Siblings import each other as `../name/…`.
  const path = row.includes('/') ? (name.split('/').at(-1) ?? name) : name;
  return path.endsWith('.ts') ? `**/${from}${path}` : `**/${from}${path}/**`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync('biome.arrows.json', arrowRules(readArrows()));
}
