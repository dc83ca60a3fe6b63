// suite: slow
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { type BuiltCopy, copyBuild } from './built-copy.ts';
import { runNode } from './command.ts';
import { smallCheckout } from './small-checkout.ts';
import { applyMutation, withMutant } from './with-mutant.ts';

const TEST = ['dist/src/range.test.js'];
const SOURCE = 'src/range.ts';
const COMPILED = 'dist/src/range.js';
const EXCLUSIVE = { find: 'value >= range.low', replace: 'value > range.low' };

let checkout: Awaited<ReturnType<typeof smallCheckout>>;
let copy: BuiltCopy;
before(async () => {
  checkout = await smallCheckout();
  copy = await copyBuild(checkout.root);
});
after(async () => {
  await copy?.remove();
  await checkout?.remove();
});

const runTest = (): ReturnType<typeof runNode> => runNode(copy, TEST, { timeoutMs: 60_000 });

for (const file of [SOURCE, COMPILED]) {
  test(`applies a mutation of ${file}, which fails the test, and reverts it`, async () => {
    const originals = await Promise.all([SOURCE, COMPILED].map((each) => copy.read(each)));
    const mutated = await withMutant(copy, { file, ...EXCLUSIVE }, runTest);
    assert.equal(mutated.outcome, 'failed');
    assert.match(mutated.output, /a range contains its lower end/);
    assert.deepEqual(
      await Promise.all([SOURCE, COMPILED].map((each) => copy.read(each))),
      originals,
    );
    assert.equal((await runTest()).outcome, 'passed');
  });
}

test('does not change the checkout itself', async () => {
  const original = await readFile(join(checkout.root, COMPILED), 'utf8');
  const [inCheckout, inCopy] = await withMutant(copy, { file: SOURCE, ...EXCLUSIVE }, async () => [
    await readFile(join(checkout.root, COMPILED), 'utf8'),
    await copy.read(COMPILED),
  ]);
  assert.equal(inCheckout, original);
  assert.notEqual(inCopy, original);
});

test('reverts a mutation if the run throws', async () => {
  const original = await copy.read(COMPILED);
  const run = (): Promise<never> => Promise.reject(new Error('stopped'));
  await assert.rejects(withMutant(copy, { file: COMPILED, ...EXCLUSIVE }, run), /stopped/);
  assert.equal(await copy.read(COMPILED), original);
});

test('throws for a mutated source that does not compile', async () => {
  const mutation = { file: SOURCE, find: 'range.high - range.low', replace: 'range.height' };
  await assert.rejects(withMutant(copy, mutation, runTest), /does not compile:.*height/s);
  assert.equal((await runTest()).outcome, 'passed');
});

test('kills a process that takes too long with its children', async () => {
  const script = `
    import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log('child ' + child.pid);
    setInterval(() => {}, 1000);`;
  const args = ['--input-type=module', '-e', script];
  const result = await runNode(copy, args, { timeoutMs: 10_000 });
  assert.equal(result.outcome, 'timeout');
  const pid = Number(/child (\d+)/.exec(result.output)?.[1]);
  await ended(pid);
});

async function ended(pid: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (runs(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const REFUSED = [
  { find: 'high.', replace: '', because: /has no "high\."/ },
  { find: 'low', replace: 'high', because: /has "low" more than once/ },
  { find: '', replace: 'x', because: /has no ""/ },
  { find: 'one', replace: 'one', because: /changes nothing/ },
];
for (const { find, replace, because } of REFUSED) {
  test(`refuses to replace ${JSON.stringify(find)} with ${JSON.stringify(replace)}`, () => {
    const mutation = { file: 'a.ts', find, replace };
    assert.throws(() => applyMutation('one low, two low', mutation), because);
  });
}
