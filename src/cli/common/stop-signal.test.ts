import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Interrupted, StopSignal } from './stop-signal.ts';

function setUp() {
  let time = 0;
  const exits: number[] = [];
  const source = new EventEmitter();
  const stop = new StopSignal(
    source,
    () => time,
    (code) => exits.push(code),
  );
  return { source, stop, exits, wait: (ms: number) => (time += ms) };
}

test('the first signal stops the work gracefully', async () => {
  const { source, stop, exits } = setUp();
  stop.check();
  const waiting = stop.wait();
  source.emit('SIGTERM');
  await waiting;
  await stop.wait();
  assert.throws(() => stop.check(), Interrupted);
  assert.deepEqual(exits, []);
});

test('the second signal ends the process', () => {
  const { source, exits, wait } = setUp();
  source.emit('SIGINT');
  wait(1000);
  source.emit('SIGINT');
  assert.deepEqual(exits, [130]);
});

test('counts signals in quick succession as one: a terminal and npm both forward a key stroke', () => {
  const { source, exits, wait } = setUp();
  source.emit('SIGINT');
  wait(20);
  source.emit('SIGINT');
  source.emit('SIGTERM');
  assert.deepEqual(exits, []);
});

test('signals have their usual effect after dispose', () => {
  const { source, stop } = setUp();
  stop.dispose();
  assert.equal(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM'), 0);
});
