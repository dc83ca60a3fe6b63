// The structure of the sources: the table of arrows in ARCHITECTURE.md says which room may import which, folders stay
// small, and the README of a folder leads to its files. Circles of imports are an error of Biome (noImportCycles).
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { suiteOf } from '../../scripts/test-suites.ts';

const ROOMS_MAX = 20;
const SOURCES_MAX = 25;
/** A folder with more sources has a README. */
const SOURCES_WITHOUT_README_MAX = 10;
const README_LINES_MAX = 40;
const ARCHITECTURE_BYTES_MAX = 16_384;
/** What every room may import. */
const FOR_ALL = 'errors.ts';

const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
const sources = ['src', 'console'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => join(root, file)),
);
const isSource = new Set(sources);

test('every import follows an arrow of ARCHITECTURE.md', () => {
  const [, section = ''] = architecture.split('\n## Arrows\n');
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm);
  const arrows = new Map(
    [...rows].map(([, room = '', cell = '']) => [
      room,
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    ]),
  );
  const against = sources.flatMap((path) => {
    const room = roomOf(path);
    const allowed = [room, FOR_ALL, ...(arrows.get(room) ?? [])];
    assert.ok(arrows.has(room) || room === FOR_ALL, `${room} has no row in the table of arrows`);
    return importsOf(path)
      .filter((file) => !allowed.some((name) => isWithin(file, name)))
      .map((file) => `${path} -> ${file}`);
  });
  assert.deepEqual(against, []);
  const unused = [...arrows].flatMap(([room, allowed]) => {
    const imported = sources.filter((path) => roomOf(path) === room).flatMap(importsOf);
    return allowed
      .filter((name) => !imported.some((file) => isWithin(file, name)))
      .map((name) => `${room} -> ${name}`);
  });
  assert.deepEqual(unused, [], 'arrows that no import follows');
});

/** The sources that a source imports, for their values or their types. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(path), specifier)))
    .filter((file) => isSource.has(file));
}

/** A folder or file of `src`, or the console, such as `engine` for `src/engine/sections/codec.ts`. */
function roomOf(path: string): string {
  const [root = '', room = ''] = path.split('/');
  return root === 'console' ? root : room;
}

function isWithin(path: string, name: string): boolean {
  const place = name === 'console' ? name : `src/${name}`;
  return path === place || path.startsWith(`${place}/`);
}

test(`src has at most ${ROOMS_MAX} entries, and no folder more than ${SOURCES_MAX} sources`, () => {
  const rooms = readdirSync('src');
  assert.ok(rooms.length <= ROOMS_MAX, rooms.join(' '));
  assert.deepEqual(
    [...sourcesByFolder()].filter(([, count]) => count > SOURCES_MAX),
    [],
  );
});

test('no folders of a room import each other in circles', () => {
  const arrows = new Map<string, Set<string>>();
  for (const path of sources) {
    const folder = dirname(path);
    const others = importsOf(path).filter((file) => roomOf(file) === roomOf(path));
    const reached = arrows.get(folder) ?? new Set();
    for (const other of others) if (dirname(other) !== folder) reached.add(dirname(other));
    arrows.set(folder, reached);
  }
  const reachable = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const open = [...(arrows.get(from) ?? [])];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      open.push(...(arrows.get(folder) ?? []));
    }
    return seen;
  };
  const inCircles = [...arrows.keys()].filter((folder) => reachable(folder).has(folder));
  assert.deepEqual(inCircles, []);
});

test('each room and each folder with many sources has a short README', () => {
  const rooms = readdirSync('src').map((name) => join('src', name));
  const ofRoom = (room: string) => sources.filter((path) => path.startsWith(`${room}/`)).length;
  const folders = [
    ...rooms.filter((room) => ofRoom(room) > 1),
    ...[...sourcesByFolder()]
      .filter(([, count]) => count > SOURCES_WITHOUT_README_MAX)
      .map(([folder]) => folder),
  ];
  assert.deepEqual(
    folders.filter((folder) => !existsSync(join(folder, 'README.md'))),
    [],
  );
  for (const path of readmes()) {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length;
    assert.ok(lines <= README_LINES_MAX, `${path} has ${lines} lines`);
  }
  assert.ok(Buffer.byteLength(architecture) <= ARCHITECTURE_BYTES_MAX);
});

test('every path in ARCHITECTURE.md and in the READMEs of folders exists', () => {
  const missing = ['ARCHITECTURE.md', ...readmes()].flatMap((path) => {
    const from = ['.', 'src', dirname(path)];
    return pathsIn(readFileSync(path, 'utf8'))
      .filter((named) => !from.some((folder) => existsSync(join(folder, named))))
      .map((named) => `${path}: ${named}`);
  });
  assert.deepEqual(missing, []);
});

test('a test file says in its first line how it runs, in words that the runner knows', () => {
  const tests = ['bench', 'console', 'examples', 'scripts', 'src', 'test'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => join(root, file)),
  );
  const marked = tests.filter((file) => /^\/\/ suite: /m.test(readFileSync(file, 'utf8')));
  assert.ok(marked.length > 50);
  for (const file of marked) {
    const { isSlow, isAlone, shared } = suiteOf(file);
    assert.ok(isSlow || isAlone || shared !== null, `${file} is marked below its first line`);
  }
});

/** What is in backticks and is a path: with a slash after a name, or a source. */
function pathsIn(text: string): string[] {
  const paths = text.matchAll(/`((?:\.\.\/)*[a-z][a-z0-9-]*(?:\/[a-z0-9.-]*)+|[a-z0-9-]+\.tsx?)`/g);
  return [...paths].map(([, path = '']) => path);
}

function readmes(): string[] {
  return ['src', 'console'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('README.md'))
      .map((file) => join(root, file)),
  );
}

function sourcesByFolder(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}
