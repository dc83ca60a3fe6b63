// A TCP line between a node and a service that can be cut as networks are cut: so that nothing arrives any more and
// nobody hears of it, or so that every connection is reset.
// Invariant: while it is silent neither side learns what the other does, not even that it has gone.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Line {
  /** To be reached at 127.0.0.1, or where it was laid to. */
  readonly port: number;
  /** `silent`: all is held back, new connections too; `reset`: connections end at once, and so do new ones. */
  cut(how: 'silent' | 'reset'): void;
  /** What was held back goes on. */
  mend(): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  /** null where it was to be made while the line was silent. */
  far: Socket | null;
}

/**
 * @param port where the service listens on 127.0.0.1
 * @param host this machine's address that the line begins at
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
