import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TurnQueue } from './turn-queue.ts';

test('each piece of work gets its own turn of the event loop, in order', async () => {
  const queue = new TurnQueue();
  let turns = 0;
  const count = () => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const served: [piece: number, turn: number][] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, piece) => {
      await queue.next();
      served.push([piece, turns]);
    }),
  );
  clearImmediate(immediate);
  assert.deepEqual(
    served.map(([piece]) => piece),
    Array.from({ length: 20 }, (_, piece) => piece),
  );
  assert.equal(new Set(served.map(([, at]) => at)).size, 20);
});

test('grants a free turn at once', async () => {
  const queue = new TurnQueue();
  let later = false;
  setImmediate(() => {
    later = true;
  });
  await queue.next();
  assert.equal(later, false);
  await turn();
  await turn();
  const deferred: (() => void)[] = [];
  const manual = new TurnQueue(0, { now: () => 0, defer: (run) => deferred.push(run) });
  await manual.next();
  let second = false;
  const waiting = manual.next().then(() => {
    second = true;
  });
  await turn();
  assert.equal(second, false);
  for (const run of deferred.splice(0)) run();
  await waiting;
  assert.equal(second, true);
});

test('work that asks for another turn waits behind all others', async () => {
  const queue = new TurnQueue();
  const order: string[] = [];
  const work = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await queue.next();
      order.push(name);
    }
  };
  await Promise.all([work('a'), work('b'), work('c')]);
  assert.equal(order.join(''), 'abcabcabc');
});
