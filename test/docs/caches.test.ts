// The table of caches in ARCHITECTURE.md has a row for every cache of `src`, with its bound.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** What makes a cache; what a DerivedPart has of no object is no cache but a pool. */
const MAKES_CACHE = /new (?:BoundedMap|KeyedPart|ByteCache)\b|new DerivedPart\(\s*\(_/;
/** Empties a map that is full, or drops its first entry. */
const EVICTS = /if \([^;{]*\.size\b[^;{]*\) [^;{]*\.clear\(\)|\.keys\(\)\.next\(\)/;
/** Sources that evict on their own, and why. */
const EVICTING: Readonly<Record<string, string>> = {
  'engine/hits/visible-segments.ts': 'bound in bytes, all entries of an index have as many',
  'scheduling/cooperative.ts': 'tenants at rest, of which nothing is lost',
};
/** Rows of caches that are no objects in memory. */
const FILES_ON_DISK = ['cli/common/load-service.ts'];

const [, section = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## Caches\n');
const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`.+) \| (.+) \|$/gm)].map(
  ([, rest = '', bound = '']) => ({
    paths: [...(rest.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    bound,
  }),
);
const sources = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => [path, readFileSync(join('src', path), 'utf8')]),
);

/** Whether a path of a row, a source or a folder, has a source. */
const has = (path: string, source: string) =>
  path === source || (path.endsWith('/') && source.startsWith(path));

test('every cache has a row, and every row a cache', () => {
  const makers = [...sources].filter(([, text]) => MAKES_CACHE.test(text)).map(([path]) => path);
  const cacheless = (path: string) => !makers.some((maker) => has(path, maker));
  const paths = rows.flatMap((row) => row.paths);
  const unlisted = makers.filter((maker) => !paths.some((path) => has(path, maker)));
  // Holds the entries of the others.
  assert.deepEqual(unlisted, ['engine/index/query-cache.ts']);
  assert.deepEqual(paths.filter(cacheless), FILES_ON_DISK);
});

test('a row has the numbers of entries that its bounded maps keep', () => {
  for (const { paths, bound } of rows) {
    const texts = [...sources].filter(([source]) => paths.some((path) => has(path, source)));
    const numbers = texts.flatMap(([, text]) => [...text.matchAll(/\{ kept: ([\d_]+)/g)]);
    const kept = numbers.map(([, number = '']) => number.replaceAll('_', ','));
    if (kept.length === 0) continue;
    const named = [...bound.matchAll(/\b\d[\d,]*\b(?! (?:ms|bytes|MiB|%))/g)].map(([text]) => text);
    assert.deepEqual([...new Set(named)].sort(), [...new Set(kept)].sort(), paths.join(', '));
  }
});

test('no source but the bounded map evicts entries of a map', () => {
  const evicting = [...sources].filter(([, text]) => EVICTS.test(text)).map(([path]) => path);
  assert.deepEqual(evicting.sort(), Object.keys(EVICTING).sort());
});
