// Runs the compiled tests with node's own runner. Node 20 takes no globs for --test, so the files are found here.
// Arguments: parts of paths to choose files by; none means all but the suites that need outside programs
// (test/backends/), which `npm run test:backends` names. `--unit` runs the unit tests only, the files under src/.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--unit');
const isUnit = process.argv.includes('--unit');
const needsPrograms = join('test', 'backends');

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && !file.includes('node_modules'))
  // What was compiled of a source that is gone is no test any more.
  .filter((file) => existsSync(join(dist, '..', file.replace(/\.js$/, '.ts'))))
  .filter((file) => !isUnit || file.startsWith('src'))
  .filter((file) =>
    wanted.length > 0
      ? wanted.some((part) => file.includes(part))
      : !file.startsWith(needsPrograms),
  )
  .sort()
  .map((file) => relative(process.cwd(), join(dist, file)));

if (files.length === 0) {
  console.error(`No compiled test matches ${wanted.join(', ') || 'anything'}: build first.`);
  process.exit(1);
}
const runner = spawn(
  process.execPath,
  ['--enable-source-maps', '--test', '--test-concurrency=3', ...files],
  { stdio: 'inherit' },
);
runner.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
