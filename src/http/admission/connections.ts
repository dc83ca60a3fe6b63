// Limits the connections of all threads of the process, in total and of one address, and closes idle
// ones of all threads early when few are left. Trusted proxies connect for many clients and have no limit of their
// own.
// Invariant: the count of an address is the number of its open connections.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../../auth/address-key.ts';
import { AmountTable } from '../../scheduling/shared/amount-table.ts';
import type { TrustedProxies } from './client-address.ts';
import { NO_PEERS, type ProcessCounts } from './process-counts.ts';

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

/**
 * Applies the rules to a server.
 * @param counts has the connections that are open in all threads, by address; touched when one opens and
 *   when it closes
 */
export function limitConnections(
  server: Server,
  rules: ConnectionRules,
  counts: Pick<ProcessCounts, 'heldOf' | 'tell' | 'onEvent'> = {
    ...NO_PEERS,
    heldOf: () => AmountTable.ofOneThread(rules.maxConnections),
  },
  clock: { now(): number } = performance,
): void {
  const open = counts.heldOf('connections');
  let closedIdleAt = Number.NEGATIVE_INFINITY;
  /** @returns true if idle connections were closed */
  const relieveHere = () => {
    const isScarce = open.total >= rules.maxConnections * PRESSURE;
    server.keepAliveTimeout = isScarce
      ? Math.min(PRESSURE_KEEP_ALIVE_MS, rules.keepAliveTimeoutMs)
      : rules.keepAliveTimeoutMs;
    if (!isScarce || clock.now() - closedIdleAt < CLOSE_IDLE_EVERY_MS) return false;
    closedIdleAt = clock.now();
    server.closeIdleConnections();
    return true;
  };
  const relieve = () => {
    if (relieveHere()) counts.tell({ kind: 'connections' });
  };
  counts.onEvent(({ kind }) => {
    if (kind === 'connections') relieveHere();
  });
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      // The client has already disconnected, so its requests have no address to count by.
      socket.destroy();
      return;
    }
    const isProxy = rules.proxies.has(remoteAddress);
    const key = isProxy ? null : addressKey(remoteAddress);
    const excess = countOne(open, key, rules);
    relieve();
    if (excess === null) {
      socket.once('close', () => {
        uncountOne(open, key);
        relieve();
      });
      return;
    }
    if (excess === 'address') rules.onRefused();
    socket.destroy();
  });
}

/**
 * Counts a connection if there is room for it.
 * @param key of its address; null: a trusted proxy
 * @returns null, or the bound that it would exceed: then it is not counted
 */
function countOne(
  open: AmountTable,
  key: string | null,
  { maxConnections, maxConnectionsPerAddress }: ConnectionRules,
): 'total' | 'address' | null {
  const { hash } = open;
  hash.of(key ?? '');
  open.lock();
  try {
    if (open.held(open.totalRow) >= maxConnections) return 'total';
    if (key !== null) {
      if (!open.makeRoom(1)) return 'total';
      const row = open.find(hash.low, hash.high);
      if (open.held(row) >= maxConnectionsPerAddress) return 'address';
      open.add(row < 0 ? open.addRow(hash.low, hash.high) : row, 1);
    }
    open.add(open.totalRow, 1);
    return null;
  } finally {
    open.unlock();
  }
}

function uncountOne(open: AmountTable, key: string | null): void {
  const { hash } = open;
  hash.of(key ?? '');
  open.lock();
  try {
    if (key !== null) open.add(open.find(hash.low, hash.high), -1);
    open.add(open.totalRow, -1);
  } finally {
    open.unlock();
  }
}
