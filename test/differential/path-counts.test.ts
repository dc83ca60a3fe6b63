import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missedPaths, offsetOf, PathCounts } from './path-counts.ts';
import { PATHS } from './paths.ts';

test('each path has a statement that occurs once in its compiled file', () => {
  for (const { file, statement, less } of PATHS) {
    for (const text of less === undefined ? [statement] : [statement, less]) {
      const url = new URL(`../../src/${file}.js`, import.meta.url).href;
      assert.ok(offsetOf(url, text) > 0, `${file}: ${text}`);
    }
  }
});

test('no two paths of a part have the same name', () => {
  const names = PATHS.map(({ part, file, path }) => `${part}, ${file}: ${path}`);
  assert.deepEqual(names, [...new Set(names)]);
});

test('reports the paths that were not taken, unless the run was short', () => {
  const counts = new PathCounts();
  counts.start();
  const paths = counts.stop();
  const missed = missedPaths(paths, 3_000);
  assert.equal(missed.length, PATHS.length);
  assert.match(missed[0]!, /^candidates of one clause: .*: taken 0 times, at least \d+ needed$/);
  assert.deepEqual(missedPaths(paths, 100), []);
});
