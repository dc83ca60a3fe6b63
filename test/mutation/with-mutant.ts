// Applies a change to a built copy, runs something, and takes the change back. A change is either written by hand as
// "find this text, replace it with that" or given as a range of a file. Changes of TypeScript sources are compiled;
// changes of compiled files are not.
//
//   const copy = await copyBuild();
//   try {
//     const result = await withMutant(copy, mutation, () =>
//       runNode(copy, ['dist/scripts/differential.js', '--cases', '20000'], { timeoutMs: 600_000 }));
//     // result.outcome is 'failed' where the run noticed the mutation
//   } finally { await copy.remove(); }
import { copyFile, rm, writeFile } from 'node:fs/promises';
import type { BuiltCopy } from './built-copy.ts';
import { runNode } from './command.ts';

const COMPILE_MS_MAX = 120_000;
const BUILD_STATE = 'dist/.tsbuildinfo';

/** A change of one file, written by hand. */
export type Mutation = {
  /** Path from the root of the checkout: a source (`src/a.ts`) or a compiled file (`dist/src/a.js`). */
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Which defect this stands for. */
  readonly why?: string;
};

/** A mutated source that the TypeScript compiler refuses. */
export class CompileError extends Error {}

/**
 * Replaces the text of one mutation.
 * @throws Error where the text to find is not there exactly once, or the replacement changes nothing
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
 * Applies a mutation, awaits `run` and restores the files, also where `run` throws. One mutation at a time for each copy.
 * @returns what `run` resolved with
 * @throws Error where the mutation does not apply; CompileError where the mutated source does not compile
 */
export async function withMutant<T>(
  copy: BuiltCopy,
  mutation: Mutation,
  run: () => Promise<T>,
): Promise<T> {
  const text = applyMutation(await copy.read(mutation.file), mutation);
  return withChangedFile(copy, mutation.file, text, run);
}

/** As `withMutant`, with the whole new text of the file. */
export async function withChangedFile<T>(
  copy: BuiltCopy,
  file: string,
  text: string,
  run: () => Promise<T>,
): Promise<T> {
  const compiled = file.endsWith('.ts') ? `dist/${file.slice(0, -'.ts'.length)}.js` : null;
  const changed = compiled === null ? [file] : [file, compiled, `${compiled}.map`, BUILD_STATE];
  // The build state of the checkout does not hold for the copy: only after this does the compiler see one change.
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
