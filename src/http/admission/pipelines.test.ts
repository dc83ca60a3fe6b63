import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { onePerConnection, REQUEST_BYTES, WAITING_BYTES_MAX } from './pipelines.ts';

/** Connects to a server with the listener. */
async function connected(t: TestContext, listener: RequestListener): Promise<Socket> {
  const server = createServer(onePerConnection(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  t.after(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  await once(client, 'connect');
  return client;
}

/** @param more length of an additional header in each request, in characters */
const requests = (count: number, more = 0) =>
  `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(more)}\r\n\r\n`.repeat(count);

/** Reads answers `<1>`, `<2>`, … until there are `count` of them. */
async function numbersOf(client: Socket, count: number): Promise<number[]> {
  let text = '';
  client.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.includes(`<${count}>`)) client.end();
  });
  await once(client, 'close');
  return [...text.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
}

describe('pipelined requests', () => {
  test('reach the listener one at a time, after the previous response', async (t) => {
    let open = 0;
    let most = 0;
    let count = 0;
    const client = await connected(t, (_request, response) => {
      most = Math.max(most, ++open);
      response.once('close', () => open--);
      setImmediate(() => response.end(`<${++count}>`));
    });
    client.write(requests(20));
    const expected = Array.from({ length: 20 }, (_, index) => index + 1);
    assert.deepEqual(await numbersOf(client, 20), expected);
    assert.equal(most, 1);
  });

  test('wait for a response that the client does not read', async (t) => {
    const answers: ServerResponse[] = [];
    const client = await connected(t, (_request, response) => {
      answers.push(response);
      // More than the kernel takes for a client that reads nothing.
      response.end(Buffer.alloc(16 * 1024 * 1024));
    });
    client.pause();
    client.write(requests(1));
    await eventually(() => assert.equal(answers.length, 1));
    client.write(requests(1));
    // A response on a second connection shows that the server has read the first one's bytes.
    const { remotePort = 0 } = client;
    const other = connect(remotePort, '127.0.0.1');
    t.after(() => other.destroy());
    other.write(requests(1));
    await eventually(() => assert.equal(answers.length, 2));
    assert.notEqual(answers[0]?.socket, answers[1]?.socket);
    client.resume();
    await eventually(() => assert.equal(answers.length, 3));
  });

  test('share the event loop with other connections', async (t) => {
    const turns: number[] = [];
    let turn = 0;
    const count = () => {
      turn++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    t.after(() => clearImmediate(timer));
    const client = await connected(t, (_request, response) => {
      turns.push(turn);
      response.end('<1>');
    });
    client.write(requests(10));
    await eventually(() => assert.equal(turns.length, 10));
    assert.equal(new Set(turns).size, 10);
  });

  test('never reach the listener if their connection breaks', async (t) => {
    const answers: ServerResponse[] = [];
    const client = await connected(t, (_request, response) => {
      answers.push(response);
    });
    client.write(requests(4));
    await eventually(() => assert.equal(answers.length, 1));
    const [first] = answers as [ServerResponse];
    const closed = once(first, 'close');
    client.resetAndDestroy();
    await closed;
    first.end('too late');
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(answers.length, 1);
  });

  const BOUNDS: readonly (readonly [string, number, number])[] = [
    ['many of them', 0, WAITING_BYTES_MAX / REQUEST_BYTES + 2],
    ['large headers', 12_000, 12],
  ];
  for (const [name, more, count] of BOUNDS) {
    test(`close the connection when they exceed the memory limit: ${name}`, async (t) => {
      let requestCount = 0;
      const client = await connected(t, () => {
        requestCount++;
      });
      let isClosed = false;
      client.once('close', () => {
        isClosed = true;
      });
      client.write(requests(count, more));
      await eventually(() => assert.ok(isClosed));
      assert.equal(requestCount, 1);
    });
  }
});
