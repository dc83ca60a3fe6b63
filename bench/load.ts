// Sends requests over persistent connections for a while; records latencies, their number, and the
// CPU time of the server.
import { type Address, Connection } from './client.ts';
import { cpuSeconds } from './process-figures.ts';

/** Measurements of one system under one load; several runs add up. */
export interface Load {
  /** Latency of each request. */
  readonly timesMs: number[];
  seconds: number;
  serverCpuSeconds: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** The process whose CPU time is measured. */
  readonly pid: number;
}

/** Runs a load and adds its measurements. */
export async function drive(
  to: Address,
  requests: readonly Buffer[],
  { connections, seconds, pid }: LoadOptions,
  load: Load,
): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(to.port)),
  );
  // Continues after the requests of the last run, so that values vary across runs.
  let next = load.timesMs.length;
  const cpuBefore = cpuSeconds(pid);
  const start = performance.now();
  const until = start + seconds * 1000;
  await Promise.all(
    sockets.map(async (socket) => {
      for (let now = performance.now(); now < until; ) {
        const request = requests[next++ % requests.length];
        if (request === undefined) throw new Error('No requests');
        await socket.send(request);
        const then = performance.now();
        load.timesMs.push(then - now);
        now = then;
      }
    }),
  ).finally(() => {
    for (const socket of sockets) socket.close();
  });
  load.seconds += (performance.now() - start) / 1000;
  load.serverCpuSeconds += cpuSeconds(pid) - cpuBefore;
}

export function emptyLoad(): Load {
  return { timesMs: [], seconds: 0, serverCpuSeconds: 0 };
}

export function perSecond({ timesMs, seconds }: Load): number {
  return timesMs.length / seconds;
}

export function cpuMsPerRequest({ timesMs, serverCpuSeconds }: Load): number {
  return (serverCpuSeconds * 1000) / timesMs.length;
}

/** @param share 0.5 for the median */
export function percentile(timesMs: readonly number[], share: number): number {
  const sorted = Float64Array.from(timesMs).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
