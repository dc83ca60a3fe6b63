import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { sourceFaults } from '../../test/docs/source-faults.ts';
import { waited, withAbort } from './abort.ts';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** Rejects with the reason of the signal when it aborts. */
function aborted({ signal }: AbortController): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

const OUTCOMES: readonly (readonly [name: string, work: () => Promise<unknown>])[] = [
  ['succeeds', async () => 1],
  ['fails', () => Promise.reject(new Error('no'))],
  [
    'throws at once',
    () => {
      throw new Error('no');
    },
  ],
];
for (const [name, work] of OUTCOMES) {
  test(`work that ${name} leaves no listener at the signal of its caller, and no timer`, async () => {
    const { signal } = new AbortController();
    const left = () => [listenersOf(signal), timers()];
    const [, before = 0] = left();
    let during: number[] = [];
    const limited = withAbort({ signal, timeoutMs: 600_000 }, () => {
      during = left();
      return work();
    });
    await limited.catch((error: Error) => assert.equal(error.message, 'no'));
    assert.deepEqual(during, [1, before + 1]);
    assert.deepEqual(left(), [0, before]);
  });
}

test('work is aborted with its caller, for the same reason, before and while it runs', async () => {
  const caller = new AbortController();
  const { signal } = caller;
  const running = withAbort({ signal }, aborted);
  const reason = new Error('gone');
  caller.abort(reason);
  await assert.rejects(running, reason);
  await assert.rejects(withAbort({ signal }, aborted), reason);
  assert.equal(listenersOf(signal), 0);
});

test('work is aborted after its time, and by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const late = withAbort({ timeoutMs: 1_000 }, aborted);
  t.mock.timers.tick(999);
  const reason = new Error('own');
  const own = withAbort({ timeoutMs: 1_000 }, (controller) => {
    const ended = aborted(controller);
    controller.abort(reason);
    return ended;
  });
  await assert.rejects(own, reason);
  t.mock.timers.tick(1);
  await assert.rejects(late, { name: 'TimeoutError' });
});

test('no source joins signals in another way', () => {
  const joined = (text: string) => text.match(/AbortSignal\.any\(/g) ?? [];
  assert.deepEqual(joined('AbortSignal.any([a, b])'), ['AbortSignal.any(']);
  assert.deepEqual(sourceFaults(/^$/, joined), []);
});

test('a wait ends with its signal, and leaves no listener at it and no timer', async () => {
  const { signal } = new AbortController();
  assert.equal(await waited(1, signal), true);
  assert.equal(listenersOf(signal), 0);
  const controller = new AbortController();
  const waiting = waited(60_000, controller.signal);
  controller.abort();
  assert.equal(await waiting, false);
  assert.equal(listenersOf(controller.signal), 0);
  assert.equal(await waited(60_000, controller.signal), false);
});
