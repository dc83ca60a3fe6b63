// A checkout of three sources and one test in a temporary folder, for the tests of the mutation
// run.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './built-copy.ts';
import { runNode } from './command.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }\n',
  'tsconfig.json': `${JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      rootDir: '.',
      outDir: 'dist',
      types: ['node'],
      sourceMap: true,
      incremental: true,
      tsBuildInfoFile: 'dist/.tsbuildinfo',
      rewriteRelativeImportExtensions: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
    },
    include: ['src'],
  })}\n`,
  'src/range.ts': `export type Range = { readonly low: number; readonly high: number };

/** Whether a value lies in a range, both ends included. */
export function contains(range: Range, value: number): boolean {
  return value >= range.low && value <= range.high;
}

export function width(range: Range): number {
  return range.high - range.low;
}
`,
  'src/sum.ts': `export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
`,
  'src/name.ts': `export function nameOf(value: number, names: readonly string[]): string {
  return names[value] ?? 'other';
}
`,
  'src/range.test.ts': `import assert from 'node:assert/strict';
import test from 'node:test';
import { contains } from './range.ts';

test('a range contains its lower end', () => {
  assert.equal(contains({ low: 1, high: 3 }, 1), true);
  assert.equal(contains({ low: 1, high: 3 }, 0), false);
});
`,
};

/** Writes and compiles the small checkout. */
export async function smallCheckout(): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'checkout-')));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'));
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const place = { root, temporary: tmpdir() };
  const result = await runNode(place, [compiler, '-p', 'tsconfig.json'], { timeoutMs: 120_000 });
  if (result.outcome !== 'passed') throw new Error(result.output);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
