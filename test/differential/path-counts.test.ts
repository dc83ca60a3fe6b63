import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { markedOffsets, missedPaths, PathCounts } from './path-counts.ts';
import { PATHS, type Path } from './paths.ts';

const keyOf = (file: string, name: string): string => `${file}: ${name}`;
const ROWS = PATHS.map(({ file, name }) => keyOf(file, name)).sort();

/** Paths that are marked in a file below `root`. */
function marked(root: string, file: string, extension: string): string[] {
  const code = readFileSync(`${root}/${file}${extension}`, 'utf8');
  return [...markedOffsets(code).keys()].map((name) => keyOf(file, name));
}

test('each marker in the sources has a row, and each row its marker', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => name.slice(0, -'.ts'.length));
  assert.deepEqual(files.flatMap((file) => marked('src', file, '.ts')).sort(), ROWS);
});

test('the compiler keeps the markers', () => {
  const files = [...new Set(PATHS.map(({ file }) => file))];
  assert.deepEqual(files.flatMap((file) => marked('dist/src', file, '.js')).sort(), ROWS);
});

test('each path that is counted beside another names one of its file', () => {
  const others = PATHS.flatMap(({ file, least }) =>
    typeof least === 'number' ? [] : [keyOf(file, least.than)],
  );
  assert.ok(others.length > 0);
  assert.deepEqual(
    others.filter((other) => !ROWS.includes(other)),
    [],
  );
});

test('refuses two markers of the same name in a file', () => {
  const code = 'a();\n// path: in windows\nb();\nif (c) /* path: row by row */ d();\n';
  assert.deepEqual(
    [...markedOffsets(code)],
    [
      ['in windows', code.indexOf('b()')],
      ['row by row', code.indexOf('d()')],
    ],
  );
  assert.throws(() => markedOffsets(`${code}${code}`), /Two markers "path: in windows"/);
});

test('reports the paths that were not taken, unless the run was short', () => {
  const counts = new PathCounts();
  counts.start();
  const paths = counts.stop();
  const missed = missedPaths(paths, 3_000);
  assert.equal(missed.length, PATHS.length);
  assert.match(missed[0]!, /^engine\/scoring\/.*: .*: taken 0 times, at least \d+ needed$/);
  assert.deepEqual(missedPaths(paths, 100), []);
});

test('demands that a later window is taken beside the first ones', () => {
  const first: Path = { file: 'file', name: 'search', least: 1 };
  const later: Path = { file: 'file', name: 'window', least: { more: 2, than: 'search' } };
  const counts = (times: number) =>
    new Map([
      [first, 10],
      [later, times],
    ]);
  assert.deepEqual(missedPaths(counts(16), 3_000), []);
  assert.deepEqual(missedPaths(counts(15), 3_000), [
    'file: window: taken 15 times, at least 16 needed',
  ]);
});
