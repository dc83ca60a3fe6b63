// Runs the compiled tests with node's own runner.
// Arguments: parts of paths to choose files by; none means all but the suites that need other programs
// (test/backends/), which `npm run test:backends` names. `--unit` runs only the unit tests, the files under src/.
// Several small files share one process: starting Node and loading the service takes longer than most of them run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
const chosen = process.argv.slice(2).filter((argument) => argument !== '--unit');
const isUnit = process.argv.includes('--unit');
const needsPrograms = join('test', 'backends');
/** Where the files that run several test files are written. */
const groups = join(dist, '.test-groups');
/** How many test files of a folder share a process; one where the folder is not listed. */
const SHARED: readonly (readonly [folder: string, files: number])[] = [
  ['console', 16],
  ['src', 16],
  [join('test', 'api'), 6],
];
/** These measure or change their whole process, or run the files of others in another world. */
const ALONE =
  'deadline hang-up hostile late-bodies metrics nodes postgres runaway search-workers'.split(' ');

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && !file.includes('node_modules'))
  .filter((file) => !file.startsWith('.'))
  // A compiled file whose source was removed is no test.
  .filter((file) => existsSync(join(dist, '..', file.replace(/\.js$/, '.ts'))))
  .filter((file) => !isUnit || file.startsWith('src'))
  .filter((file) =>
    chosen.length > 0
      ? chosen.some((part) => file.includes(part))
      : !file.startsWith(needsPrograms),
  )
  .sort();

if (files.length === 0) {
  console.error(`No compiled test matches ${chosen.join(', ') || 'anything'}: build first.`);
  process.exit(1);
}
const runner = spawn(
  process.execPath,
  ['--enable-source-maps', '--test', '--test-concurrency=3', ...processes(files)],
  { stdio: 'inherit' },
);
runner.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));

/** The files that the runner starts a process for: test files, or files that import several of them. */
function processes(all: readonly string[]): string[] {
  rmSync(groups, { recursive: true, force: true });
  const started: string[] = [];
  const waiting = new Map<string, string[]>();
  const start = (folder: string, group: readonly string[]) => {
    started.push(group.length > 1 ? writeGroup(folder, group) : join(dist, group[0] ?? ''));
  };
  for (const file of all) {
    const [folder, size] = SHARED.find(([name]) => file.startsWith(name + sep)) ?? ['', 1];
    const isAlone = ALONE.some((name) => file.endsWith(`${sep}${name}.test.js`));
    if (size === 1 || isAlone) {
      start(folder, [file]);
      continue;
    }
    const group = waiting.get(folder) ?? [];
    waiting.set(folder, group);
    group.push(file);
    if (group.length === size) start(folder, group.splice(0));
  }
  for (const [folder, group] of waiting) if (group.length > 0) start(folder, group);
  return started.map((file) => relative(process.cwd(), file));
}

/** Writes a file that runs test files one after the other, each as a suite named after it. */
function writeGroup(folder: string, group: readonly string[]): string {
  mkdirSync(groups, { recursive: true });
  const name = `${folder.replaceAll(sep, '-')}-${readdirSync(groups).length + 1}.test.mjs`;
  const suites = group.map((file) => {
    const url = pathToFileURL(join(dist, file)).href;
    return `describe(${JSON.stringify(file)}, async () => {\n  await import(${JSON.stringify(url)});\n});\n`;
  });
  writeFileSync(join(groups, name), `import { describe } from 'node:test';\n\n${suites.join('')}`);
  return join(groups, name);
}
