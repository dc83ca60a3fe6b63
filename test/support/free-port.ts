// A port for another program to listen on. It is below those that the operating system gives to connections:
// one of them, or a client that tries to connect while the program restarts, could take it otherwise.
import { once } from 'node:events';
import { createServer } from 'node:net';

// OpenSearch and what reserves its ports is below 20,000 (opensearch.ts); connections begin at 32,768.
const FIRST = 20_000;
const COUNT = 12_000;
const TRIES = 1_000;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    const listening = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (!(await listening)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`No port from ${FIRST} is free`);
}
