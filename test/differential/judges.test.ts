// suite: alone
// Compares the embedded engine with the naive evaluator: CARDEA_DIFFERENTIAL_CASES cases (250, or
// 3,000 in CI, which also counts the paths of the engine) from CARDEA_SEED. `npm run differential` and `npm run test:backends` add a real OpenSearch.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { caseCount } from '../support/case-count.ts';
import { patiently } from './backend-judges.ts';
import { EXCLUSIONS } from './exclusions.ts';
import { enoughForPaths, missedPaths } from './path-counts.ts';
import { runDifferential } from './run.ts';

const SETTINGS = process.env;
const CASES = Number(SETTINGS['CARDEA_DIFFERENTIAL_CASES'] ?? caseCount(250, 3000));
/** Cases in other threads: fewer, since each world has its own threads and concurrent writes. */
const THREAD_CASES = Math.ceil(CASES / 10);
const SEED = Number(SETTINGS['CARDEA_SEED'] ?? 20_261_121);

/** Counting makes the engine slow. */
const countPaths = enoughForPaths(CASES);

test(`the engine agrees with the naive evaluator in ${CASES} random cases${countPaths ? ' and on every path' : ''}`, async () => {
  const options = {
    cases: CASES,
    seed: SEED,
    countPaths,
    threads: 'in some worlds',
  } as const;
  const { cases, telling, faults, paths } = await runDifferential(options);
  assert.equal(faults.join('\n\n'), '');
  assert.equal(cases, CASES);
  assert.ok(telling >= CASES / 3, `only ${telling} cases found something`);
  assert.deepEqual(missedPaths(paths ?? new Map(), cases), []);
});

test('the backend in other threads agrees with the engine while segments change', async () => {
  const options = { cases: THREAD_CASES, seed: SEED + 1, threads: 'in all worlds' } as const;
  const { byJudge, faults } = await runDifferential(options);
  assert.equal(faults.join('\n\n'), '');
  const answers = byJudge.get('threads') ?? 0;
  assert.ok(answers >= THREAD_CASES / 3, `only ${answers} cases were put to threads`);
});

test('documents every exclusion of OpenSearch in docs/cluster.md', () => {
  const lines = readFileSync('docs/cluster.md', 'utf8')
    .split('\n### What differs on OpenSearch\n')[1]
    ?.split('\n');
  for (const { judge, because } of EXCLUSIONS) {
    if (judge !== 'openSearch' && judge !== 'shards') continue;
    assert.ok(
      lines?.some((line) => line.startsWith(`- ${because}`)),
      because,
    );
  }
});

test('retries requests that are temporarily rejected, and no others', async () => {
  const busy = new ServiceError('unavailable', 'Too much to do', { retryAfterSeconds: 1 });
  let calls = 0;
  const answer = await patiently(async () => {
    calls += 1;
    if (calls < 3) throw busy;
    return 'done';
  });
  assert.equal(`${answer} ${calls}`, 'done 3');
  const wrong = new ServiceError('request_invalid', 'No');
  await assert.rejects(
    patiently(() => Promise.reject(wrong)),
    wrong,
  );
});
