// Runs the differential tests with a number of cases and a seed:
//   npm run differential -- --cases 5000 --seed 7
// The engine is put beside the naive evaluator and, where Java and Maven are there, beside a real OpenSearch.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { cases: { type: 'string' }, seed: { type: 'string' } },
});
const env: Record<string, string> = {};
if (values.cases !== undefined) env['CARDEA_DIFFERENTIAL_CASES'] = values.cases;
if (values.seed !== undefined) env['CARDEA_SEED'] = values.seed;
const runner = join(dirname(fileURLToPath(import.meta.url)), 'test.js');
const tests = spawn(process.execPath, [runner, 'test/differential', 'backends/differential'], {
  stdio: 'inherit',
  env: { ...process.env, ...env },
});
tests.on('exit', (code) => process.exit(code ?? 1));
