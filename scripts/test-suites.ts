// Which tests `npm test` runs, which it leaves to `npm run test:all`, and which of them share a process. A test
// file says so in its first line, such as `// suite: slow, alone`.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the suites that need OpenSearch, Redis, Chromium, Python and other programs. */
export const NEEDS_PROGRAMS = join('test', 'backends');
const MARK = /^\/\/ suite: (.*)\n/;
const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** How a test file runs. */
export interface Suite {
  /**
   * Left to `npm run test:all`: it starts several nodes or PostgreSQL, kills processes or threads, copies whole
   * tenants, repeats other suites with another store or token policy, waits for real time, fills a limit, or repeats
   * over HTTP or with a command what unit tests show.
   */
  readonly isSlow: boolean;
  /** It takes long, measures or changes its whole process, or runs the files of others in another world. */
  readonly isAlone: boolean;
  /** Files with the same name share a process, and with it an OpenSearch; null: it shares with any. */
  readonly shared: string | null;
}

/** @param file such as `test/api/rows.test.js` @throws Error for a word that no suite has */
export function suiteOf(file: string): Suite {
  const source = readFileSync(join(checkout, file.replace(/\.js$/, '.ts')), 'utf8');
  const words = MARK.exec(source)?.[1]?.split(', ') ?? [];
  const [shared = null] = words.flatMap((word) => /^shared ([A-Z])$/.exec(word)?.[1] ?? []);
  const unknown = words.filter((word) => !/^(?:slow|alone|shared [A-Z])$/.test(word));
  if (unknown.length > 0)
    throw new Error(`${file} begins with an unknown suite: ${unknown.join()}`);
  return { isSlow: words.includes('slow'), isAlone: words.includes('alone'), shared };
}

/** True for a test file of `npm test`, unlike an example. @param file such as `test/api/rows.test.js` */
export function isQuick(file: string): boolean {
  return (
    ![NEEDS_PROGRAMS, 'examples'].some((name) => file.startsWith(name)) && !suiteOf(file).isSlow
  );
}
