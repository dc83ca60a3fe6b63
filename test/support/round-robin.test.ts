// The load balancer of the tests with several nodes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { startRoundRobin } from './round-robin.ts';

const DEADLINE_MS = 120_000;
/** Bytes; more than the sockets between client and node can buffer. */
const LARGE = 32 * 1024 * 1024;

test('a node answers before it has read the body: the next request on the connection is answered', async () => {
  const accepted: Socket[] = [];
  const node = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (head) => {
      socket.pause();
      const status = head.includes('POST') ? '413 Content Too Large' : '204 No Content';
      socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\n`);
      socket.write(status.startsWith('204') ? '\r\n' : 'content-length: 0\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  const balancer = await startRoundRobin(() => [{ host: '127.0.0.1', port }]);
  const client = connect(Number(new URL(balancer.url).port), '127.0.0.1');
  const answer = async () => {
    const [bytes] = await once(client, 'data', { signal: AbortSignal.timeout(DEADLINE_MS) });
    return String(bytes).split('\r\n')[0];
  };
  try {
    client.write(`POST / HTTP/1.1\r\nhost: node\r\ncontent-length: ${LARGE}\r\n\r\n`);
    client.write('x'.repeat(LARGE));
    assert.equal(await answer(), 'HTTP/1.1 413 Content Too Large');
    client.write('GET / HTTP/1.1\r\nhost: node\r\n\r\n');
    assert.equal(await answer(), 'HTTP/1.1 204 No Content');
  } finally {
    client.destroy();
    await balancer.stop();
    for (const socket of accepted) socket.destroy();
    node.close();
  }
});
