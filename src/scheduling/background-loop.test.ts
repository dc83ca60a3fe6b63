import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundLoop } from './background-loop.ts';

test('work is repeated after a failure too, and not once it is stopped', async () => {
  const loop = new BackgroundLoop();
  const calls: string[] = [];
  const isDone = new Promise<void>((resolve) => {
    const work = async () => {
      calls.push('work');
      if (calls.length === 1) throw new Error('no');
      resolve();
      return 60_000;
    };
    loop.repeat(0, work, (error) => {
      calls.push(String(error));
      return 0;
    });
  });
  await isDone;
  await loop.stop();
  assert.deepEqual(calls, ['work', 'Error: no', 'work']);
});

test('a failure that the stop has caused is not reported', async () => {
  const loop = new BackgroundLoop();
  const work = () =>
    new Promise<number>((_, reject) => {
      loop.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  loop.repeat(0, work, () => assert.fail('it is not reported'));
  await new Promise(setImmediate);
  await loop.stop();
  assert.equal(await loop.wait(60_000), false);
});
