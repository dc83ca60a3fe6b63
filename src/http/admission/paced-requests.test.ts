import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { paceRequests } from './paced-requests.ts';

/** A listener whose requests take 2 ms each, in turns that the test runs. */
function pacedListener() {
  let now = 0;
  let deferred: (() => void)[] = [];
  const served: number[] = [];
  const listener = paceRequests(
    (request) => {
      served.push((request as unknown as { number: number }).number);
      now += 2;
    },
    { now: () => now, defer: (callback) => deferred.push(callback) },
  );
  return {
    served,
    arrives(number: number, response = { destroyed: false }) {
      listener({ number } as unknown as IncomingMessage, response as unknown as ServerResponse);
    },
    /** Runs one turn. @returns the requests served in it */
    turn(): number[] {
      const callbacks = deferred;
      deferred = [];
      const before = served.length;
      for (const callback of callbacks) callback();
      return served.slice(before);
    },
  };
}

describe('requests that arrive in one turn of the event loop', () => {
  test('are served at once while the turn has time, and the rest in later turns', () => {
    const { served, arrives, turn } = pacedListener();
    for (let number = 1; number <= 8; number++) arrives(number);
    assert.deepEqual(served, [1, 2, 3]);
    assert.deepEqual(turn(), [4, 5, 6]);
    assert.deepEqual(turn(), [7, 8]);
    assert.deepEqual(turn(), []);
  });

  test('are served in the order of arrival', () => {
    const { served, arrives, turn } = pacedListener();
    for (let number = 1; number <= 7; number++) arrives(number);
    turn();
    arrives(8);
    turn();
    arrives(9);
    turn();
    assert.deepEqual(served, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('are dropped when their connection closes before their turn', () => {
    const { served, arrives, turn } = pacedListener();
    const response = { destroyed: false };
    for (let number = 1; number <= 3; number++) arrives(number);
    arrives(4, response);
    arrives(5);
    response.destroyed = true;
    turn();
    assert.deepEqual(served, [1, 2, 3, 5]);
  });

  test('are served at once again after the burst', () => {
    const { served, arrives, turn } = pacedListener();
    for (let number = 1; number <= 4; number++) arrives(number);
    turn();
    turn();
    arrives(5);
    assert.deepEqual(served, [1, 2, 3, 4, 5]);
  });
});
