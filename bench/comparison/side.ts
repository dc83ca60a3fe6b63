// One of the systems that a run compares: this build of Cardea, an earlier build of it, or
// OpenSearch. All are asked the same questions by the same client.
import type { Address, HttpRequest } from '../client.ts';
import type { Corpus } from '../corpus.ts';
import type { Dataset, SystemName } from '../questions/question.ts';

/** `baseline` is the earlier build. */
export type SideName = 'cardea' | 'baseline' | 'opensearch';

export interface Timed {
  readonly seconds: number;
  /** CPU of all processes of the system. */
  readonly cpuSeconds: number;
}

/** Disk usage in MiB. */
export interface Disk {
  /** 0 for OpenSearch, whose index holds the documents. */
  readonly storeMib: number;
  readonly indexMib: number;
}

export interface Profiler {
  start(): Promise<void>;
  /** Writes the profiles of all threads and a summary, named after the cell. */
  stop(cell: string): Promise<void>;
}

export interface Side {
  readonly name: SideName;
  readonly system: SystemName;
  /** null: the server is not profiled. */
  readonly profiler: Profiler | null;
  /** The processes of the system, of which the first one answers requests. */
  pids(): readonly number[];
  /** The OpenSearch among them; none with the embedded engine. */
  searchPids(): readonly number[];
  /** The address of a dataset, with a fresh token that is valid for minutes. */
  address(dataset: Dataset): Promise<Address>;
  /** Imports the company; documents are durable when it returns. */
  import(corpus: Corpus): Promise<Timed>;
  /** Makes the server run after an import. */
  serve(): Promise<void>;
  /** Restarts the server; returns the seconds until it answers a search. */
  restart(): Promise<number>;
  /**
   * Waits until no merge has been under way for a while.
   * @returns when the last one ended, as `performance.now()`; null if there was none
   */
  untilMerged(): Promise<number | null>;
  disk(): Promise<Disk>;
  /** Adds the other datasets; the server is running afterwards. */
  addDatasets(corpora: ReadonlyMap<Dataset, Corpus>): Promise<void>;
  /** The request that writes a document of the company again. */
  write(document: Readonly<Record<string, unknown>>): HttpRequest;
  stop(): Promise<void>;
}

/** Runs something and measures it. @param cpuNow CPU seconds that the system has used so far */
export async function timed(work: () => Promise<unknown>, cpuNow: () => number): Promise<Timed> {
  const cpuBefore = cpuNow();
  const start = performance.now();
  await work();
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuNow() - cpuBefore };
}
