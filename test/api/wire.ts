// Real connections to the HTTP face over fakes, for what only bytes on a socket show.
import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { HttpSettings } from '../../src/http/options.ts';
import { fakeApp } from './fakes.ts';

/** Headers of a request with JSON by an administrator. */
export const AUTH = 'Host: x\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\n';
/** A whole search. */
export const SEARCH = `POST /v3/search?count=true HTTP/1.1\r\n${AUTH}Content-Length: 2\r\n\r\n{}`;

/** An application over fakes that listens. */
export interface Served {
  readonly app: FastifyInstance;
  readonly port: number;
  /** Number of bytes that the server has read, from all connections. */
  received(): number;
}

/** Runs a test against an application over fakes, and closes it. */
export async function serving(
  run: (served: Served) => Promise<void>,
  change: Parameters<typeof fakeApp>[0] = {},
  options: Partial<HttpSettings> = {},
): Promise<void> {
  const app = fakeApp(change, options);
  const sockets: Socket[] = [];
  app.server.on('connection', (socket) => sockets.push(socket));
  const received = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  await app.listen({ port: 0, host: '127.0.0.1' });
  try {
    await run({ app, port: (app.server.address() as AddressInfo).port, received });
  } finally {
    await app.close();
  }
}

/** A connection that keeps what it receives. */
export class Wire {
  readonly socket: Socket;
  heard = '';
  closed = false;
  failed = false;

  constructor(port: number, options: { allowHalfOpen?: true } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', ...options });
    this.socket.on('data', (chunk) => {
      this.heard += chunk.toString('latin1');
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
    this.socket.on('error', () => {
      this.failed = true;
    });
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Waits until `condition` holds; fails after a minute. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (!condition()) {
      assert.ok(performance.now() < deadline, `${what}; heard: ${this.heard.slice(0, 500)}`);
      await sleep(5);
    }
  }

  count(part: string): number {
    return this.heard.split(part).length - 1;
  }
}
