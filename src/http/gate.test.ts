import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { Gate } from './gate.ts';

/** As much of a response as a gate looks at. */
function response(): ServerResponse {
  const emitter = new EventEmitter() as ServerResponse;
  emitter.destroyed = false;
  return emitter;
}

function close(one: ServerResponse): void {
  one.destroyed = true;
  one.emit('close');
}

const withCode = (code: string) => (error: unknown) =>
  error instanceof ServiceError && error.code === code;

describe('a gate', () => {
  test('tells work to stop when its client goes away, and that one alone', async () => {
    const gate = new Gate(2);
    const [gone, patient] = [response(), response()];
    const stopped = gate.pass(
      gone,
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    );
    const signals: AbortSignal[] = [];
    let finish: () => void = () => {};
    const other = gate.pass(patient, (signal) => {
      signals.push(signal);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    close(gone);
    await assert.rejects(stopped, /stopped/);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
    finish();
    await other;
  });

  test('begins nothing for a client that has gone away before, of which no event would tell', async () => {
    const gate = new Gate(1);
    const gone = response();
    close(gone);
    let begun = false;
    const passed = gate.pass(gone, async () => {
      begun = true;
    });
    await assert.rejects(passed, withCode('cancelled'));
    assert.equal(begun, false);
    gate.check();
  });

  test('has room again whether work ends or fails, and none while it runs', async () => {
    const gate = new Gate(1);
    const second = gate.pass(response(), async () => gate.check());
    await assert.rejects(second, withCode('unavailable'));
    await gate.pass(response(), async () => {});
    const gone = response();
    const stopped = gate.pass(gone, async (signal) => {
      close(gone);
      signal.throwIfAborted();
    });
    await assert.rejects(stopped, { name: 'AbortError' });
    await gate.pass(response(), async (signal) => assert.equal(signal.aborted, false));
  });
});
