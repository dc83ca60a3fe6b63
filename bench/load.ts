// Puts requests to a system from kept connections for a while and says how long answers took, how many there were
// and what they cost the server in CPU.
import { type Address, Connection } from './client.ts';
import { cpuSeconds } from './process-figures.ts';

/** What was seen of one system under one load; figures of several runs add up. */
export interface Load {
  /** Milliseconds of each answer. */
  readonly timesMs: number[];
  seconds: number;
  serverCpuSeconds: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** Whose CPU is counted. */
  readonly pid: number;
}

/** Adds a run to what was seen. */
export async function drive(
  to: Address,
  requests: readonly Buffer[],
  { connections, seconds, pid }: LoadOptions,
  seen: Load,
): Promise<void> {
  const lines = await Promise.all(
    Array.from({ length: connections }, () => Connection.open(to.port)),
  );
  // A run goes on where the last one ended, so that what varies does not begin anew.
  let next = seen.timesMs.length;
  const cpuBefore = cpuSeconds(pid);
  const start = performance.now();
  const until = start + seconds * 1000;
  await Promise.all(
    lines.map(async (line) => {
      for (let now = performance.now(); now < until; ) {
        const request = requests[next++ % requests.length];
        if (request === undefined) throw new Error('Nothing to ask');
        await line.send(request);
        const then = performance.now();
        seen.timesMs.push(then - now);
        now = then;
      }
    }),
  ).finally(() => {
    for (const line of lines) line.close();
  });
  seen.seconds += (performance.now() - start) / 1000;
  seen.serverCpuSeconds += cpuSeconds(pid) - cpuBefore;
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
