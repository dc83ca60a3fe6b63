// Looks for faults in the text of the sources, for rules that no linter has.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The faults of all sources but tests and `except`, each with its path. */
export function sourceFaults(except: RegExp, faultsIn: (text: string) => string[]): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => join('src', file))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !except.test(path))
    .flatMap((path) => faultsIn(readFileSync(path, 'utf8')).map((fault) => `${path}: ${fault}`));
}
