import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoopTurns } from '../../scheduling/turn-queue.ts';
import { Turns } from './turns.ts';

const party = (group: string) => ({ group, member: '', anonymous: false });

/** A clock that only work moves: the time that a busy machine takes does not count. */
let now = 0;
const LOOP: LoopTurns = { now: () => now, defer: (callback) => void setImmediate(callback) };
const work = (ms: number): void => {
  now += ms;
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a request begins at once while the turn has time', () => {
  const turns = new Turns(() => 1, LOOP);
  let began = false;
  turns.enter(party('a'), () => {
    began = true;
  });
  assert.equal(began, true);
});

test('begins one of many requests per turn, alternating between parties', async () => {
  const turns = new Turns(() => 1, LOOP);
  const order: string[] = [];
  const enter = (group: string) =>
    turns.enter(party(group), () => {
      order.push(group);
      work(2);
    });
  for (let n = 0; n < 6; n++) enter('many');
  await nextTurn();
  enter('one');
  for (let n = 0; n < 8; n++) await nextTurn();
  assert.deepEqual(order.slice(0, 4).includes('one'), true, order.join());
  assert.equal(order.length, 7);
});

test('a group with twice the weight has twice the turns', async () => {
  const turns = new Turns((group) => (group === 'heavy' ? 2 : 1), LOOP);
  const order: string[] = [];
  turns.enter(party('first'), () => work(2));
  for (let n = 0; n < 9; n++) {
    for (const group of ['heavy', 'light']) turns.enter(party(group), () => order.push(group));
  }
  while (order.length < 18) await nextTurn();
  const heavy = order.slice(0, 9).filter((group) => group === 'heavy').length;
  assert.ok(heavy >= 5 && heavy <= 7, order.join());
});

test('begins short requests together in one turn, and again in a later turn', async () => {
  const turns = new Turns(() => 1, LOOP);
  let count = 0;
  turns.enter(party('a'), () => count++);
  turns.enter(party('a'), () => count++);
  await nextTurn();
  turns.enter(party('a'), () => count++);
  assert.equal(count, 3);
});
