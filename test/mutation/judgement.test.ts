// suite: slow
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { type BuiltCopy, copyBuild } from './built-copy.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import { inOrder, judge } from './judgement.ts';
import { progressLine, summarise, summaryLine, survivorTable } from './report.ts';
import { smallCheckout } from './small-checkout.ts';
import { listTestFiles, measureTestFiles, type TestFile } from './test-files.ts';

let checkout: Awaited<ReturnType<typeof smallCheckout>>;
let copy: BuiltCopy;
let candidates: Candidate[];
let testFiles: TestFile[];
before(async () => {
  checkout = await smallCheckout();
  copy = await copyBuild(checkout.root);
  candidates = await findCandidates(copy);
  testFiles = await measure();
});
after(async () => {
  await copy?.remove();
  await checkout?.remove();
});

async function measure(ran: string[] = []): Promise<TestFile[]> {
  return measureTestFiles(copy, await listTestFiles(copy), {
    cacheFile: join(checkout.root, 'measured.json'),
    timeoutMs: 60_000,
    onProgress: (_done, _all, { file }) => ran.push(file),
  });
}

function candidate(after: string): Candidate {
  const found = candidates.find((each) => each.after === after);
  assert.ok(found, after);
  return found;
}

const LOWER = 'return value > range.low && value <= range.high;';
const UPPER = 'return value >= range.low && value < range.high;';
const WIDTH = 'return range.high + range.low;';

test('catches a mutation that a test detects', async () => {
  const judgement = await judge(copy, candidate(LOWER), testFiles, { secondsMax: 60 });
  assert.equal(judgement.verdict, 'caught');
  assert.equal(judgement.by, 'dist/src/range.test.js');
  assert.match(
    progressLine(judgement, 1, 9),
    /^1\/9 caught src\/range\.ts:5 comparison \(src\/range/,
  );
});

test('reports an undetected mutation of executed code as survived', async () => {
  const judgement = await judge(copy, candidate(UPPER), testFiles, { secondsMax: 60 });
  assert.deepEqual([judgement.verdict, judgement.run, judgement.reaching], ['survived', 1, 1]);
});

test('reports a mutation of code that no test executes as such', async () => {
  const judgement = await judge(copy, candidate(WIDTH), testFiles, { secondsMax: 60 });
  assert.deepEqual([judgement.verdict, judgement.run], ['not executed', 0]);
});

test('catches an undetected mutation that does not compile', async () => {
  const fallback = candidate('return names[value];');
  const judgement = await judge(copy, fallback, testFiles, { secondsMax: 60 });
  assert.deepEqual([judgement.verdict, judgement.by], ['refused', null]);
});

test('catches a mutation that makes a test hang', async () => {
  const file = 'dist/src/range.js';
  const text = await copy.read(file);
  const start = text.indexOf('return value');
  const hanging = { ...candidate(LOWER), start, end: start, text: 'for (;;);' };
  const short = testFiles.map((each) => ({ ...each, ms: -3_600 }));
  const judgement = await judge(copy, hanging, short, { secondsMax: 60 });
  assert.equal(judgement.verdict, 'timeout');
});

test('reuses measurements until a file that the test loads changes', async () => {
  const ran: string[] = [];
  await measure(ran);
  assert.deepEqual(ran, []);
  const file = 'dist/src/range.js';
  const text = await copy.read(file);
  await writeFile(copy.path(file), `${text}\n// changed`);
  await measure(ran);
  assert.deepEqual(ran, ['dist/src/range.test.js']);
  await writeFile(copy.path(file), text);
});

test('does not use a test file that fails without a mutation', async () => {
  const failing = testFiles.map((each) => ({ ...each, passed: false }));
  assert.deepEqual(inOrder(candidate(LOWER), failing), []);
});

test('runs the test of the source first, then fast tests and those with similar names', () => {
  const file = 'dist/src/backends/indexer.js';
  const testFile = (name: string, ms: number): TestFile => ({
    file: name,
    ms,
    passed: true,
    executed: { [file]: [0, 10] },
  });
  const order = inOrder({ file, start: 5 }, [
    testFile('dist/test/api/paging.test.js', 100),
    testFile('dist/test/api/slow.test.js', 5_000),
    testFile('dist/test/contract/search-backend.test.js', 150),
    testFile('dist/src/backends/indexer.test.js', 9_000),
  ]);
  assert.deepEqual(
    order.map((each) => each.file.split('/').at(-1)),
    ['indexer.test.js', 'search-backend.test.js', 'paging.test.js', 'slow.test.js'],
  );
});

test('reports survivors by position, and rounds the caught percentage down', () => {
  const judgement = (
    after: string,
    verdict: 'caught' | 'timeout' | 'survived' | 'not executed',
  ) => ({
    candidate: candidate(after),
    verdict,
    by: null,
    run: 1,
    reaching: verdict === 'not executed' ? 0 : 2,
    unstable: [],
    ms: 10,
  });
  const judgements = [
    judgement(WIDTH, 'not executed'),
    judgement(LOWER, 'caught'),
    judgement(UPPER, 'survived'),
    judgement(LOWER, 'timeout'),
    judgement(LOWER, 'caught'),
    judgement(LOWER, 'caught'),
  ];
  assert.equal(
    survivorTable(judgements),
    `src/range.ts:5 comparison, 1 of 2 test files that execute it
  - return value >= range.low && value <= range.high;
  + ${UPPER}
src/range.ts:9 arithmetic, no test executes it
  - return range.high - range.low;
  + ${WIDTH}`,
  );
  assert.equal(
    summaryLine(summarise(judgements)),
    '4 of 6 mutations caught (66.6 %), 1 of them by a timeout, 0 by the compiler; 2 survived, 1 of them in lines that no test executes',
  );
});
