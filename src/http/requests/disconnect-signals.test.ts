import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { DisconnectSignals } from './disconnect-signals.ts';

/** The parts of a response that DisconnectSignals uses. */
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

describe('disconnect signals', () => {
  test('abort only the work of the client that disconnects', async () => {
    const signals = new DisconnectSignals();
    const [gone, connected] = [response(), response()];
    const stopped = signals.run(
      gone,
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    );
    const signalsOfOther: AbortSignal[] = [];
    let finish: () => void = () => {};
    const other = signals.run(connected, (signal) => {
      signalsOfOther.push(signal);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    close(gone);
    await assert.rejects(stopped, /stopped/);
    assert.deepEqual(
      signalsOfOther.map(({ aborted }) => aborted),
      [false],
    );
    finish();
    await other;
  });

  test('start no work for a client that has already disconnected', async () => {
    const signals = new DisconnectSignals();
    const gone = response();
    close(gone);
    let hasStarted = false;
    const outcome = signals.run(gone, async () => {
      hasStarted = true;
    });
    await assert.rejects(outcome, withCode('cancelled'));
    assert.equal(hasStarted, false);
  });

  test('never reuse a signal that has aborted', async () => {
    const signals = new DisconnectSignals();
    const gone = response();
    const stopped = signals.run(gone, async (signal) => {
      close(gone);
      signal.throwIfAborted();
    });
    await assert.rejects(stopped, { name: 'AbortError' });
    await signals.run(response(), async (signal) => assert.equal(signal.aborted, false));
  });
});
