import assert from 'node:assert/strict';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { sendStream } from './streamed-answer.ts';

const PARTY = { group: 'acme', member: 'ada', anonymous: false };

interface Outcome {
  readonly error: unknown;
  readonly held: number;
  readonly heldMax: number;
}

interface Received {
  readonly text: string;
  /** False if the connection ended before the response did. */
  readonly complete: boolean;
}

/** Serves one response of these pieces, and returns what client and server saw. */
async function serve(
  pieces: () => AsyncGenerator<Uint8Array>,
  { refuse = false, leave = false } = {},
): Promise<{ outcome: Outcome; received: Received }> {
  let settle: (outcome: Outcome) => void = () => {};
  const ended = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const server = createServer((_request, response) => {
    let held = 0;
    let heldMax = 0;
    const answers = {
      check() {
        if (refuse) throw new ServiceError('unavailable', 'No memory');
      },
      hold(_party: object, length: number, _response: ServerResponse) {
        held += length;
        heldMax = Math.max(held, heldMax);
        return () => {
          held -= length;
        };
      },
    };
    sendStream(pieces(), {
      ...{ response, party: PARTY, answers, enter: setImmediate },
      writeHead: () => response.writeHead(200),
    }).then(
      () => settle({ error: null, held, heldMax }),
      (error: unknown) => {
        settle({ error, held, heldMax });
        response.destroy();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const received = await receive((server.address() as AddressInfo).port, leave);
    return { outcome: await ended, received };
  } finally {
    server.close();
  }
}

function receive(port: number, leave: boolean): Promise<Received> {
  return new Promise((resolve) => {
    let text = '';
    const sent = request({ port, host: '127.0.0.1' }, (response) => {
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (leave) sent.destroy();
      });
      response.on('error', () => {});
      response.on('close', () => resolve({ text, complete: response.complete }));
    });
    sent.on('error', () => resolve({ text, complete: false }));
    sent.end();
  });
}

async function* texts(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

describe('a streamed answer', () => {
  test('sends all pieces in order, and holds one at a time', async () => {
    const parts = Array.from({ length: 30 }, (_, n) => String(n % 10).repeat(100_000));
    const { outcome, received } = await serve(() => texts(...parts));
    assert.deepEqual(outcome, { error: null, held: 0, heldMax: 100_000 });
    assert.equal(received.text, parts.join(''));
    assert.ok(received.complete);
  });

  test('is incomplete for the client if a later piece fails', async () => {
    const { outcome, received } = await serve(async function* () {
      yield Buffer.from('first');
      throw new TypeError('second');
    });
    assert.match(String(outcome.error), /second/);
    assert.deepEqual(received.complete, false);
  });

  test('is refused before its head if there is no memory', async () => {
    const { outcome, received } = await serve(() => texts('first'), { refuse: true });
    assert.equal((outcome.error as ServiceError).code, 'unavailable');
    assert.deepEqual(received, { text: '', complete: false });
  });

  test('ends the work when the client leaves', async () => {
    let made = 0;
    let isEnded = false;
    const { outcome } = await serve(
      async function* () {
        try {
          for (; made < 10_000; made += 1) yield Buffer.alloc(100_000, 'x');
        } finally {
          isEnded = true;
        }
      },
      { leave: true },
    );
    assert.equal((outcome.error as ServiceError).code, 'cancelled');
    assert.ok(isEnded);
    assert.ok(made < 10_000);
  });
});
