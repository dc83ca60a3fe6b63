// Runs the compiled tests with node's own runner.
// Arguments: parts of paths to choose files by; none means what `npm test` runs (test-suites.ts).
// `--all` runs everything, with many random cases; `--unit` the files under src/.
// Several small files share one process: starting Node and loading the service takes longer than most of them run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isQuick, NEEDS_PROGRAMS, suiteOf } from './test-suites.ts';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isUnit = process.argv.includes('--unit');
const isAll = process.argv.includes('--all');
/** More processes than processors, since tests also wait; those of all suites need more memory. */
const CONCURRENCY = availableParallelism() + (isAll ? 1 : 2);
/**
 * Most code of a test runs a few times: Node 20 optimises it after nine times as many calls as it would,
 * for a third less CPU. Later versions have no such option, and a compiler between that costs less.
 */
const OPTIMISE_LATER = process.version.startsWith('v20.') ? ['--interrupt-budget=600000'] : [];
/** Where the files that run several test files are written. */
const groups = join(dist, '.test-groups');
/** Its hook ends what the files of a process share. */
const afterAll = pathToFileURL(join(dist, 'test', 'support', 'after-all.js')).href;
/** The most test files of a folder that share a process; one where no folder is listed. */
const SHARED: readonly (readonly [folder: string, filesMax: number])[] = [
  [join('test', 'differential'), 12],
  [join(NEEDS_PROGRAMS, 'console'), 9],
  [NEEDS_PROGRAMS, 1],
  // Each process loads the service for two seconds; slow suites would make the last ones long.
  ['test', isAll ? 20 : 32],
  ['src', isAll ? 64 : 100],
  ['console', 64],
];
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && !file.includes('node_modules'))
  .filter((file) => !file.startsWith('.'))
  // A compiled file whose source was removed is no test.
  .filter((file) => existsSync(join(dist, '..', file.replace(/\.js$/, '.ts'))))
  .filter((file) => !isUnit || file.startsWith('src'))
  .filter((file) =>
    chosen.length > 0 ? chosen.some((part) => file.includes(part)) : isAll || isQuick(file),
  )
  .sort();

if (files.length === 0) {
  console.error(`No compiled test matches ${chosen.join(', ') || 'anything'}: build first.`);
  process.exit(1);
}
/** For a person the runner's own list, which ends with the failures; for a log TAP that does the same. */
const reporter = process.stdout.isTTY
  ? 'spec'
  : pathToFileURL(join(dist, 'scripts', 'tap-with-failures.js')).href;
const runner = spawn(
  process.execPath,
  [
    // Tests allocate much and keep little: a larger space for young objects halves collections.
    ...['--enable-source-maps', '--max-semi-space-size=64', ...OPTIMISE_LATER],
    ...['--test', `--test-concurrency=${CONCURRENCY}`, `--test-reporter=${reporter}`],
    ...['--test-reporter-destination=stdout', ...processes(files)],
  ],
  { stdio: 'inherit', env: isAll ? { ...process.env, TEST_CASES: 'many' } : process.env },
);
runner.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));

/** Writes the files that the runner starts a process for, each of which imports test files. */
function processes(all: readonly string[]): string[] {
  rmSync(groups, { recursive: true, force: true });
  mkdirSync(groups, { recursive: true });
  const suites = new Map(all.map((file) => [file, suiteOf(file)]));
  // Files that take long start first.
  const started = all.filter((file) => suites.get(file)?.isAlone).map((file) => [file]);
  const names = new Set([...suites.values()].flatMap(({ shared }) => shared ?? []));
  for (const name of names) started.push(all.filter((file) => suites.get(file)?.shared === name));
  const rest = all.filter((file) => !started.flat().includes(file));
  const folderOf = (file: string) => SHARED.find(([name]) => file.startsWith(name + sep));
  for (const folder of [...SHARED, undefined]) {
    const inFolder = rest.filter((file) => folderOf(file) === folder);
    const count = Math.ceil(inFolder.length / (folder?.[1] ?? 1));
    // Neighbours often wait for the same, the disk or a timer, so each is in another process.
    for (let group = 0; group < count; group++) {
      started.push(inFolder.filter((_, at) => at % count === group));
    }
  }
  return started.map(writeGroup);
}

/**
 * Writes a file that runs test files one after the other, each as a suite named after it. Node
 * starts the files in the order of their names.
 */
function writeGroup(group: readonly string[], at: number): string {
  const suites = group.map((file) => {
    const url = pathToFileURL(join(dist, file)).href;
    return `describe(${JSON.stringify(file)}, async () => {\n  await import(${JSON.stringify(url)});\n});\n`;
  });
  const file = join(groups, `${String(at).padStart(3, '0')}.test.mjs`);
  const imports = [`import ${JSON.stringify(afterAll)};`, "import { describe } from 'node:test';"];
  writeFileSync(file, `${imports.join('\n')}\n\n${suites.join('')}`);
  return relative(process.cwd(), file);
}
