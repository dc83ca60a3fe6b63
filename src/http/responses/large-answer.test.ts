import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BufferPool } from '../../json/buffer-pool.ts';
import { joinPieces } from './join-pieces.ts';
import { PIECE_BYTES, sendInPieces } from './large-answer.ts';

const later = (turn: () => void) => void setImmediate(turn);

async function responseOf(t: TestContext, answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return message;
}

for (const length of [0, 1, PIECE_BYTES, PIECE_BYTES + 1, 9 * PIECE_BYTES + 7]) {
  test(`sends all ${length} bytes of a response`, async (t) => {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 101) bytes[at] = at % 251;
    const message = await responseOf(t, (response) => {
      response.writeHead(200, { 'content-length': length });
      sendInPieces(response, [bytes], new BufferPool(), later);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    assert.ok(Buffer.concat(chunks).equals(bytes));
  });
}

test('writes a large response over several turns of the event loop', async (t) => {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  t.after(() => clearImmediate(timer));
  const length = 8 * PIECE_BYTES;
  const message = await responseOf(t, (response) => {
    turns = 0;
    response.writeHead(200, { 'content-length': length });
    sendInPieces(response, [Buffer.alloc(length)], new BufferPool(), later);
    response.once('finish', () => assert.ok(turns >= 7, `${turns} turns`));
  });
  message.resume();
  await once(message, 'end');
  assert.equal(message.complete, true);
});

test('stops writing when the client disconnects', async (t) => {
  let answer: ServerResponse | null = null;
  const message = await responseOf(t, (response) => {
    answer = response;
    response.writeHead(200, { 'content-length': 64 * PIECE_BYTES });
    sendInPieces(response, [Buffer.alloc(64 * PIECE_BYTES)], new BufferPool(), later);
  });
  const closed = once(answer as unknown as ServerResponse, 'close');
  message.destroy();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((answer as unknown as ServerResponse).writableFinished, false);
});

test('releases each piece once, after it was written', async (t) => {
  const released: string[] = [];
  const pieces = ['a', 'b'].map((text) => ({
    length: 1,
    writeTo: (target: Buffer, start: number) => {
      assert.ok(!released.includes(text));
      target.write(text, start);
    },
    release: () => released.push(text),
  }));
  const message = await responseOf(t, (response) => {
    response.writeHead(200, { 'content-length': 2 });
    sendInPieces(response, pieces, new BufferPool(), later);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  assert.equal(Buffer.concat(chunks).toString(), 'ab');
  const again = pieces.map((piece) => ({ ...piece, writeTo() {} }));
  const { bytes } = joinPieces(new BufferPool(), again, 2);
  assert.equal(bytes.length, 2);
  assert.deepEqual(released, ['a', 'b', 'a', 'b']);
});

test('writes the pieces of a later response into the memory of an earlier one', async (t) => {
  const pool = new BufferPool();
  const memory = new Set<ArrayBufferLike>();
  const body = (letter: string) =>
    Array.from({ length: 6 }, () => ({
      length: PIECE_BYTES,
      writeTo(target: Buffer, start: number) {
        memory.add(target.buffer);
        target.fill(letter, start, start + PIECE_BYTES);
      },
    }));
  for (const letter of ['a', 'b', 'c']) {
    const message = await responseOf(t, (response) => {
      response.writeHead(200, { 'content-length': 6 * PIECE_BYTES });
      sendInPieces(response, body(letter), pool, later);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    assert.ok(Buffer.concat(chunks).equals(Buffer.alloc(6 * PIECE_BYTES, letter)));
  }
  assert.ok(memory.size <= 6, `${memory.size} buffers`);
});

test('never reuses memory that a closed connection may still send', async (t) => {
  const pool = new BufferPool();
  const taken: Buffer[] = [];
  let answer: ServerResponse | null = null;
  const message = await responseOf(t, (response) => {
    answer = response;
    const piece = {
      length: PIECE_BYTES,
      writeTo: (target: Buffer) => void taken.push(target),
    };
    response.writeHead(200, { 'content-length': 64 * PIECE_BYTES });
    sendInPieces(response, Array<typeof piece>(64).fill(piece), pool, later);
  });
  const closed = once(answer as unknown as ServerResponse, 'close');
  message.destroy();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  const last = taken.at(-1);
  assert.notEqual(pool.take(PIECE_BYTES).bytes.buffer, last?.buffer);
});
