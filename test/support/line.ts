// A TCP proxy between a node and a service that can fail as networks do: silently, so that nothing
// arrives and neither side is notified, or by resetting every connection.
// Invariant: while it is silent, neither side learns anything of the other, not even that it has
// closed.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Line {
  /** Its port on 127.0.0.1, or on the given host. */
  readonly port: number;
  /**
   * `silent`: holds back all data and connections; `reset`: resets all connections, also new ones.
   */
  cut(how: 'silent' | 'reset'): void;
  /** Forwards what was held back. */
  mend(): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  /** null if the connection was accepted while the line was silent. */
  far: Socket | null;
}

/**
 * @param port of the service on 127.0.0.1
 * @param host the address of this machine to listen on
 */
export async function layLine(port: number, host = '127.0.0.1'): Promise<Line> {
  let state: 'open' | 'silent' | 'reset' = 'open';
  const pairs = new Set<Pair>();
  const end = (pair: Pair) => {
    pairs.delete(pair);
    pair.near.destroy();
    pair.far?.destroy();
  };
  const watch = (pair: Pair, socket: Socket) => {
    socket.on('error', () => {});
    socket.on('close', () => {
      if (state !== 'silent') end(pair);
    });
  };
  const join = (pair: Pair) => {
    if (pair.far === null) {
      pair.far = connect({ port, host: '127.0.0.1', noDelay: true });
      watch(pair, pair.far);
    }
    pair.near.pipe(pair.far);
    pair.far.pipe(pair.near);
  };
  const server = createServer({ pauseOnConnect: true, noDelay: true }, (near) => {
    if (state === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const pair: Pair = { near, far: null };
    pairs.add(pair);
    watch(pair, near);
    if (state === 'open') join(pair);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how;
      for (const pair of pairs) {
        if (how === 'reset') {
          pair.near.resetAndDestroy();
          pair.far?.resetAndDestroy();
          continue;
        }
        for (const socket of [pair.near, pair.far]) socket?.unpipe().pause();
      }
    },
    mend() {
      state = 'open';
      for (const pair of pairs) {
        if (pair.near.destroyed || pair.far?.destroyed) end(pair);
        else join(pair);
      }
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      state = 'open';
      for (const pair of pairs) end(pair);
      await closed;
    },
  };
}
