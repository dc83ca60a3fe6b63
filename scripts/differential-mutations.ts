// Checks that the differential run detects faults of the engine: applies each mutation of
// test/differential/mutations to a copy of the build, in which the run must fail.
//   npm run differential:mutations -- [--cases 20000] [--seed 112] [--only TEXT]
//   npm run differential:mutations -- --views [--only TEXT]   leaks of views, in which their tests must fail
// Exits with code 1 if a mutation is not detected.
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTATIONS } from '../test/differential/mutations/mutations.ts';
import { LEAKS } from '../test/differential/mutations/view-mutations.ts';
import { copyBuild } from '../test/mutation/built-copy.ts';
import { runNode } from '../test/mutation/command.ts';
import { type Mutation, withMutant } from '../test/mutation/with-mutant.ts';

const RUN_MS_MAX = 3_600_000;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '112' },
    only: { type: 'string', default: '' },
    views: { type: 'boolean', default: false },
  },
});
setPriority(10);
const { cases, seed, only, views } = values;
const differential = ['dist/scripts/differential.js', '--cases', cases, '--seed', seed];
differential.push('--faults', '1', '--without-opensearch');
const all: readonly Mutation[] = views ? LEAKS : MUTATIONS;
const chosen = all.filter(({ file, why = '' }) => `${file} ${why}`.includes(only));
const copy = await copyBuild();
let missed = 0;
try {
  for (const mutation of chosen) {
    const leak = LEAKS.find((one) => one === mutation);
    const run = leak === undefined ? differential : ['dist/scripts/test.js', leak.test];
    const { outcome, output } = await withMutant(copy, mutation, () =>
      runNode(copy, run, { timeoutMs: RUN_MS_MAX }),
    );
    const [, at = '?'] = /"cases": (\d+)/.exec(output) ?? [];
    const isDetected = outcome === 'failed' && (leak !== undefined || /^--seed /m.test(output));
    if (!isDetected) missed += 1;
    const how = leak === undefined ? `within ${at} cases` : `by ${leak.test}`;
    const verdict = isDetected ? `detected ${how}` : `NOT DETECTED (${outcome})`;
    console.log(`${verdict}: ${mutation.file}: ${mutation.why}`);
  }
} finally {
  await copy.remove();
}
console.log(`${chosen.length - missed} of ${chosen.length} mutations detected`);
process.exitCode = missed === 0 ? 0 : 1;
