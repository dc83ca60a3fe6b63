import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { ThreadCalls } from './thread-calls.ts';

type Methods = {
  add(a: number, b: number): number;
  later(text: string): Promise<string>;
  refuse(): Promise<never>;
  note(text: string): void;
  never(): Promise<void>;
};

function sides() {
  const { port1, port2 } = new MessageChannel();
  const notes: string[] = [];
  const methods: Methods = {
    add: (a, b) => a + b,
    later: async (text) => {
      await turn();
      return text;
    },
    refuse: async () => {
      throw new ServiceError('unavailable', 'not now', { retryAfterSeconds: 3 });
    },
    note: (text) => void notes.push(text),
    never: () => new Promise(() => {}),
  };
  new ThreadCalls(port2, methods);
  const calls = new ThreadCalls<Methods>(port1, {});
  return { calls, notes, close: () => port1.close() };
}

test('calls get the results of methods, and their errors with details', async (t) => {
  const { calls, close } = sides();
  t.after(close);
  const answers = [calls.call('later', 'slow'), calls.call('add', 1, 2)] as const;
  assert.deepEqual(await Promise.all(answers), ['slow', 3]);
  await assert.rejects(calls.call('refuse'), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual(
      [error.code, error.message, error.details.retryAfterSeconds],
      ['unavailable', 'not now', 3],
    );
    return true;
  });
});

test('what is told arrives before the answer to a later call', async (t) => {
  const { calls, notes, close } = sides();
  t.after(close);
  calls.tell('note', 'first');
  calls.tell('note', 'second');
  await calls.call('add', 0, 0);
  assert.deepEqual(notes, ['first', 'second']);
});

test('when the other thread ends, calls that wait and later ones fail, and telling does nothing', async (t) => {
  const { calls, close } = sides();
  t.after(close);
  const waiting = calls.call('never');
  calls.end();
  const unavailable = (error: unknown) =>
    error instanceof ServiceError && error.code === 'unavailable';
  await assert.rejects(waiting, unavailable);
  await assert.rejects(calls.call('add', 1, 1), unavailable);
  calls.tell('note', 'nobody hears it');
});
