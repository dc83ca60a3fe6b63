// Sends each of many requests once over persistent connections; records latencies and the CPU time
// of the server.
import { Connection } from './client.ts';
import { cpuSecondsOfAll } from './process-figures.ts';

/** Measurements of one system under one load; several runs add up. */
export interface Load {
  /** Latency of each request. */
  readonly timesMs: number[];
  seconds: number;
  serverCpuSeconds: number;
  /** Of it, that of the OpenSearch that is searched in. */
  searchCpuSeconds: number;
}

export interface LoadTarget {
  readonly port: number;
  /** The processes whose CPU time is measured, with their children. */
  readonly pids: readonly number[];
  /** Those of them that are an OpenSearch; none if omitted. */
  readonly searchPids?: readonly number[];
}

/**
 * Sends the requests in their order, one at a time on each connection, and adds the measurements.
 * The first request of each connection, with which a server sets it up, is not measured.
 * @throws Error for a response other than 2xx
 */
export async function sendAll(
  { port, pids, searchPids = [] }: LoadTarget,
  requests: readonly Buffer[],
  connections: number,
  load: Load,
): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(port)),
  );
  try {
    await Promise.all(requests.slice(0, connections).map((first, at) => sockets[at]?.send(first)));
    let next = connections;
    const cpuBefore = cpuSecondsOfAll(pids);
    const searchBefore = cpuSecondsOfAll(searchPids);
    const start = performance.now();
    await Promise.all(
      sockets.map(async (socket) => {
        let now = performance.now();
        for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
          await socket.send(request);
          const then = performance.now();
          load.timesMs.push(then - now);
          now = then;
        }
      }),
    );
    load.seconds += (performance.now() - start) / 1000;
    load.serverCpuSeconds += cpuSecondsOfAll(pids) - cpuBefore;
    load.searchCpuSeconds += cpuSecondsOfAll(searchPids) - searchBefore;
  } finally {
    for (const socket of sockets) socket.close();
  }
}

export function emptyLoad(): Load {
  return { timesMs: [], seconds: 0, serverCpuSeconds: 0, searchCpuSeconds: 0 };
}

/** @throws Error if nothing was measured */
export function perSecond({ timesMs, seconds }: Load): number {
  if (timesMs.length === 0) {
    throw new Error('There were no more requests than connections: ask more questions');
  }
  return timesMs.length / seconds;
}

/** @param share 0.5 for the median */
export function percentile(timesMs: readonly number[], share: number): number {
  const sorted = Float64Array.from(timesMs).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
