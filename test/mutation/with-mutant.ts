// Applies a change to a built copy, runs a function, and reverts the change. A change is a text to
// find with its replacement, or a range of a file. Changes of TypeScript sources are compiled.
//
//   const copy = await copyBuild();
//   try {
//     const result = await withMutant(copy, mutation, () =>
//       runNode(copy, ['dist/scripts/differential.js', '--cases', '20000'], { timeoutMs: 600_000 }));
//     // result.outcome is 'failed' if the run detected the mutation
//   } finally { await copy.remove(); }
import { copyFile, rm, writeFile } from 'node:fs/promises';
import type { BuiltCopy } from './built-copy.ts';
import { runNode } from './command.ts';

const COMPILE_MS_MAX = 120_000;
const BUILD_STATE = 'dist/.tsbuildinfo';

/** A change of one file, written by hand. */
export type Mutation = {
  /**
   * Path from the root of the checkout: a source (`src/a.ts`) or a compiled file (`dist/src/a.js`).
   */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The defect that this simulates. */
  readonly why?: string;
};

/** A mutated source that the TypeScript compiler refuses. */
export class CompileError extends Error {}

/**
 * Replaces the text of one mutation.
 * @throws Error if the text does not occur exactly once, or the replacement changes nothing
 */
export function applyMutation(text: string, mutation: Mutation): string {
  const { file, find, replace } = mutation;
  const first = text.indexOf(find);
  if (find === '' || first < 0) {
    throw new Error(`${file} has no ${JSON.stringify(find)}: adapt the mutation to the code`);
  }
  if (text.indexOf(find, first + 1) >= 0) {
    throw new Error(`${file} has ${JSON.stringify(find)} more than once: give more context`);
  }
  if (find === replace) throw new Error(`The mutation of ${file} changes nothing`);
  return text.slice(0, first) + replace + text.slice(first + find.length);
}

/**
 * Applies a mutation, awaits `run` and restores the files, also if `run` throws. One mutation at a
 * time per copy.
 * @returns what `run` resolved with
 * @throws Error if the mutation does not apply; CompileError if the mutated source does not compile
 */
export async function withMutant<T>(
  copy: BuiltCopy,
  mutation: Mutation,
  run: () => Promise<T>,
): Promise<T> {
  const text = applyMutation(await copy.read(mutation.file), mutation);
  return withChangedFile(copy, mutation.file, text, run);
}

/** Same as `withMutant`, with the whole new text of the file. */
export async function withChangedFile<T>(
  copy: BuiltCopy,
  file: string,
  text: string,
  run: () => Promise<T>,
): Promise<T> {
  const compiled = file.endsWith('.ts') ? `dist/${file.slice(0, -'.ts'.length)}.js` : null;
  const changed = compiled === null ? [file] : [file, compiled, `${compiled}.map`, BUILD_STATE];
  // The build state of the checkout is not valid for the copy, so compile once before the change.
  if (compiled !== null) await compile(copy, file);
  for (const each of changed) await copyFile(copy.path(each), copy.path(`${each}.original`));
  try {
    await writeFile(copy.path(file), text);
    if (compiled !== null) await compile(copy, file);
    return await run();
  } finally {
    for (const each of changed) {
      await copyFile(copy.path(`${each}.original`), copy.path(each));
      await rm(copy.path(`${each}.original`));
    }
  }
}

/** Compiles the files that differ from the compiler's build state. */
async function compile(copy: BuiltCopy, file: string): Promise<void> {
  const compiler = 'node_modules/typescript/bin/tsc';
  const result = await runNode(copy, [compiler, '-p', 'tsconfig.json'], {
    timeoutMs: COMPILE_MS_MAX,
  });
  if (result.outcome !== 'passed') {
    throw new CompileError(`${file} does not compile:\n${result.output}`);
  }
}
