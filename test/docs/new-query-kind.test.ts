// suite: slow
// A new kind of query is a line in `src/query/query.ts`: the compiler then names every place that must
// decide what the kind means. The test adds one, and compares the places with this list.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

/** Files that decide something for each kind, and what. */
const PLACES: Readonly<Record<string, string>> = {
  'src/query/query-parts.ts':
    'which clauses are inside it, its size, and whether it expands over the index',
  'src/query/visibility/visible-plan.ts': 'what a view makes of it',
  'src/query/format-query.ts': 'how it is printed',
  'src/engine/matching/create-weight.ts': 'how the engine matches it',
  'src/engine/scoring/scoring.ts': 'whether it ranks',
  'src/engine/matching/explanation.ts': 'how its score is explained',
  'src/backends/opensearch/requests/query-to-body.ts': 'what OpenSearch is sent',
  'src/backends/opensearch/requests/shard-statistics.ts': 'which statistics its score needs',
};

test('the compiler names every place that decides for each kind of query', (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'cardea-query-kind-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync('src', join(copy, 'src'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  const options = { ...compilerOptions, incremental: false, noEmit: true, outDir: undefined };
  delete options.tsBuildInfoFile;
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['src'], exclude: ['src/**/*.test.ts'] }),
  );
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  const file = join(copy, 'src/query/query.ts');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(
    "  | { readonly kind: 'matchNone' }\n",
    (line) =>
      `${line}  | { readonly kind: 'madeUp'; readonly name: string; readonly boost?: number }\n`,
  );
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', copy], {
    cwd: copy,
    encoding: 'utf8',
  });
  assert.notEqual(status, 0, stdout);
  const named = new Set(stdout.match(/^src\/[\w/.-]+\.ts(?=\()/gm));
  assert.deepEqual([...named].sort(), Object.keys(PLACES).sort(), stdout);
});
