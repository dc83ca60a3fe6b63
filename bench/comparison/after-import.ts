// What a client notices after an import: how long the first search takes, when merges are over, and
// how searches fare until then.
import { ask, Connection, wireRequest } from '../client.ts';
import type { Corpus } from '../corpus.ts';
import { percentile } from '../load.ts';
import type { Question } from '../questions/question.ts';
import type { Disk, Side, Timed } from './side.ts';

export interface ImportFigures {
  readonly import: Timed;
  readonly firstSearchMs: number;
  /** From the end of the import to the end of the last merge that it caused; 0 if there was none. */
  readonly mergesSeconds: number;
  /** Searches until merges were over. */
  readonly meanwhile: { readonly p50Ms: number; readonly p99Ms: number };
  /** After the merges. */
  readonly disk: Disk;
}

const PROBE_EVERY_MS = 100;

/**
 * Imports the company into a side, which then serves it without merges under way.
 * @param probes different questions, the first of which is the first search; about a minute of
 *   merges uses 600, and merges that last longer are not probed to their end
 */
export async function importCompany(
  side: Side,
  corpus: Corpus,
  probes: readonly Question[],
): Promise<ImportFigures> {
  const timed = await side.import(corpus);
  const importedAt = performance.now();
  await side.serve();
  const [first, ...others] = probes;
  if (first === undefined) throw new Error('No first search');
  const to = await side.address('company');
  const searchedAt = performance.now();
  await ask(to, first[side.system]);
  const firstSearchMs = performance.now() - searchedAt;
  const probing = new AbortController();
  const [mergedAt, timesMs] = await Promise.all([
    side.untilMerged().finally(() => probing.abort()),
    probe(side, others, probing.signal),
  ]);
  return {
    ...{ import: timed, firstSearchMs },
    mergesSeconds: mergedAt === null ? 0 : (mergedAt - importedAt) / 1000,
    meanwhile: { p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) },
    disk: await side.disk(),
  };
}

/** Asks a question every PROBE_EVERY_MS until the signal; returns the latencies. */
async function probe(
  side: Side,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<number[]> {
  const to = await side.address('company');
  const connection = await Connection.open(to.port);
  const timesMs: number[] = [];
  for (const question of questions) {
    if (signal.aborted) break;
    const start = performance.now();
    await connection.send(wireRequest(to, question[side.system]));
    timesMs.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
  }
  connection.close();
  return timesMs;
}
