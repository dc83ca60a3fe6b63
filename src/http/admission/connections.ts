// How many connections one address may hold, and what becomes of idle ones when there are few left. Node bounds the
// connections of all together (`server.maxConnections`). Proxies that are trusted hold connections for many clients, so
// they have no bound of their own.
// Invariant: the count of an address is the number of its open connections.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../../auth/address-key.ts';
import type { TrustedProxies } from './client-address.ts';

export interface ConnectionRules {
  /** Connections of all addresses together. */
  readonly maxConnections: number;
  /** Connections of one address; of IPv6, of one /64. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds an idle connection is kept for its next request. */
  readonly keepAliveTimeoutMs: number;
  readonly proxies: TrustedProxies;
  /** Told of each connection that is closed because its address has too many. */
  onRefused(): void;
}

/** From this part of all connections on, idle ones are closed soon. */
const PRESSURE = 0.75;
/** How long an idle connection is kept then. */
const PRESSURE_KEEP_ALIVE_MS = 2_000;
/** How often idle connections are looked for while new ones come. */
const CLOSE_IDLE_EVERY_MS = 1_000;

/** Applies the rules to a server. */
export function limitConnections(
  server: Server,
  rules: ConnectionRules,
  clock: { now(): number } = performance,
): void {
  const counts = new Map<string, number>();
  let open = 0;
  let closedIdleAt = Number.NEGATIVE_INFINITY;
  const relieve = () => {
    const isScarce = open >= rules.maxConnections * PRESSURE;
    server.keepAliveTimeout = isScarce
      ? Math.min(PRESSURE_KEEP_ALIVE_MS, rules.keepAliveTimeoutMs)
      : rules.keepAliveTimeoutMs;
    if (!isScarce || clock.now() - closedIdleAt < CLOSE_IDLE_EVERY_MS) return;
    closedIdleAt = clock.now();
    server.closeIdleConnections();
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      // The client left before we looked: its requests have no address that they could be counted by.
      socket.destroy();
      return;
    }
    open++;
    relieve();
    const isProxy = rules.proxies.has(remoteAddress);
    const key = isProxy ? null : addressKey(remoteAddress);
    const count = key === null ? 0 : (counts.get(key) ?? 0) + 1;
    if (key !== null) counts.set(key, count);
    socket.once('close', () => {
      open--;
      relieve();
      if (key === null) return;
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
    if (count <= rules.maxConnectionsPerAddress) return;
    rules.onRefused();
    socket.destroy();
  });
}
