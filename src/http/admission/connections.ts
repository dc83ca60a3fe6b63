// Limits the connections of one address, and closes idle ones early when few are left. Node limits
// the total (`server.maxConnections`). Trusted proxies connect for many clients and have no limit
// of their own.
// Invariant: the count of an address is the number of its open connections.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../../auth/address-key.ts';
import type { TrustedProxies } from './client-address.ts';

export interface ConnectionRules {
  /** Most connections of all addresses together. */
  readonly maxConnections: number;
  /** Most connections per IPv4 address or IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds an idle connection is kept for its next request. */
  readonly keepAliveTimeoutMs: number;
  readonly proxies: TrustedProxies;
  /** Called for each connection that is closed because its address has too many. */
  onRefused(): void;
}

/** The part of all connections above which idle ones are closed early. */
const PRESSURE = 0.75;
/** Keep-alive time of an idle connection then. */
const PRESSURE_KEEP_ALIVE_MS = 2_000;
/** How often idle connections are closed while new ones arrive. */
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
      // The client has already disconnected, so its requests have no address to count by.
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
      const remaining = (counts.get(key) ?? 1) - 1;
      if (remaining === 0) counts.delete(key);
      else counts.set(key, remaining);
    });
    if (count <= rules.maxConnectionsPerAddress) return;
    rules.onRefused();
    socket.destroy();
  });
}
