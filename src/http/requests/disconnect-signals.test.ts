import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { DisconnectSignals } from './disconnect-signals.ts';

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

describe('signals of disconnection', () => {
  test('tell work to stop when its client goes away, and that one alone', async () => {
    const signals = new DisconnectSignals();
    const [gone, patient] = [response(), response()];
    const stopped = signals.run(
      gone,
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    );
    const lent: AbortSignal[] = [];
    let finish: () => void = () => {};
    const other = signals.run(patient, (signal) => {
      lent.push(signal);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    close(gone);
    await assert.rejects(stopped, /stopped/);
    assert.deepEqual(
      lent.map(({ aborted }) => aborted),
      [false],
    );
    finish();
    await other;
  });

  test('begin nothing for a client that has gone away before, of which no event would tell', async () => {
    const signals = new DisconnectSignals();
    const gone = response();
    close(gone);
    let begun = false;
    const passed = signals.run(gone, async () => {
      begun = true;
    });
    await assert.rejects(passed, withCode('cancelled'));
    assert.equal(begun, false);
  });

  test('lends no signal again that has aborted', async () => {
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
