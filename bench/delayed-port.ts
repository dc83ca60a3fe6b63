// A port on loopback that forwards to another one and holds back what passes, each way, as a network
// between two machines would.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DelayedPort {
  readonly port: number;
  /** Milliseconds each way, 0 at first; timers add up to one more. Set it while nothing passes. */
  delayMs: number;
  close(): void;
}

export async function openDelayedPort(target: number): Promise<DelayedPort> {
  const sockets = new Set<Socket>();
  const later = (send: () => void) => {
    if (opened.delayMs > 0) setTimeout(send, opened.delayMs);
    else send();
  };
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => later(() => to.write(bytes)));
      from.on('end', () => later(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const opened = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return opened;
}
