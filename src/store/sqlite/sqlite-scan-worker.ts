// The thread of SqliteScans: a connection that runs one query after the other.
// Invariant: the connection only reads, so a writer never waits for it (SQLite's write-ahead log).
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { ScanGate } from './scan-gate.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';
import type { ScanOrder, ScanReply, ScanWorkerStart } from './sqlite-scans.ts';

/** Page cache in KiB: hot pages are in the cache of the system as well. */
const CACHE_KIB = 8192;

async function serve(
  port: MessagePort,
  { path, busyMs, gate: memory }: ScanWorkerStart,
): Promise<void> {
  const gate = new ScanGate(memory);
  let connection: SqliteConnection | null = null;
  const run = async ({ id, sql, values }: ScanOrder): Promise<ScanReply> => {
    try {
      connection ??= await open(path, busyMs);
      return { id, rows: connection.allOnce(sql, values) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { id, fault: message, isUnavailable: isUnavailable(error) };
    }
  };
  let last = Promise.resolve();
  port.on('message', (order: ScanOrder | 'close') => {
    last = last.then(async () => {
      if (order !== 'close') return port.postMessage(await gate.run(() => run(order)));
      await gate.run(async () => connection?.close());
      port.postMessage('closed');
    });
  });
}

async function open(path: string, busyMs: number): Promise<SqliteConnection> {
  const connection = await openConnection(path, busyMs);
  connection.exec('pragma query_only = on');
  connection.exec(`pragma cache_size = -${CACHE_KIB}`);
  return connection;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable';
}

if (parentPort !== null) void serve(parentPort, workerData as ScanWorkerStart);
