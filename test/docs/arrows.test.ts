// The structure of the sources: arrows.json says which folder may import which; Biome's rules are generated from it, and
// ARCHITECTURE.md shows the same table. Imports of types count here, too, which Biome's check for circles leaves out.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { arrowRules, FOR_ALL, isWithin, readArrows, rowOf } from '../../scripts/arrows.ts';

const FILES_MAX = 25;
const arrows = readArrows();
const sources = ['src', 'console'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => join(root, file)),
);
const isSource = new Set(sources);
/** By source: the sources it imports, for their values or their types. */
const imports = new Map(sources.map((path) => [path, importsOf(path)]));

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(path), specifier)))
    .filter((file) => isSource.has(file));
}

test('the rules of Biome are generated from arrows.json', () => {
  const written = readFileSync('biome.arrows.json', 'utf8');
  assert.equal(written, arrowRules(arrows), 'run: npm run build && node dist/scripts/arrows.js');
});

test('ARCHITECTURE.md shows the arrows of arrows.json', () => {
  const [, section = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## Arrows\n');
  const [table = ''] = section.split('\n## ');
  const shown = [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(
    ([, row = '', cell = '']) => {
      return [row, [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)];
    },
  );
  assert.deepEqual(Object.fromEntries(shown), arrows);
});

test('every import follows an arrow', () => {
  const against = [...imports].flatMap(([path, imported]) => {
    const row = rowOf(arrows, path);
    assert.ok(row !== null, `${path} belongs to no row of arrows.json`);
    const allowed = [row, FOR_ALL, ...(arrows[row] ?? [])];
    return imported
      .filter((file) => !allowed.some((name) => isWithin(file, name)))
      .map((file) => `${path} -> ${file}`);
  });
  assert.deepEqual(against, []);
});

test('no sources import each other in a circle, not even for types', () => {
  assert.deepEqual(circles(), []);
});

test(`no folder has more than ${FILES_MAX} sources`, () => {
  const counts = new Map<string, number>();
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > FILES_MAX),
    [],
  );
});

/** The strongly connected components of more than one source (Tarjan, 1972). */
function circles(): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const allCircles: string[][] = [];
  const visit = (path: string): number => {
    const at = order.size;
    order.set(path, at);
    stack.push(path);
    let low = at;
    for (const file of imports.get(path) ?? []) {
      if (!order.has(file)) low = Math.min(low, visit(file));
      else if (stack.includes(file)) low = Math.min(low, order.get(file) ?? low);
    }
    if (low === at) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) allCircles.push(circle.sort());
    }
    return low;
  };
  for (const path of sources) if (!order.has(path)) visit(path);
  return allCircles;
}

test('every path in ARCHITECTURE.md exists', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const paths = [...text.matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9.-]*)+|[a-z-]+\.tsx?)`/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(paths.length > 100);
  const missing = paths.filter((path) => !existsSync(join('src', path)) && !existsSync(path));
  assert.deepEqual([...new Set(missing)], []);
});
