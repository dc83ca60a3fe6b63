// The course of an import, whatever is imported: lines are prepared one by one, gathered into batches, and each
// batch is one transaction. A bad line is reported and the others are kept. What a report counts is on the disk.
// Invariant: the last batch and the audit event are one transaction, so the last batch is held back till the end.
import { setImmediate as turn } from 'node:timers/promises';
import { DocumentFault } from './document-shape.ts';
import type { SourceLine } from './json-source.ts';
import type { PutOutcome } from './store.ts';

/** A line that was not taken, and why. */
export interface ImportFault {
  readonly line: number;
  readonly reason: string;
}

/** What became of an import so far. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first 100. */
  faults: ImportFault[];
  /** The last change sequence that was given out. */
  sequence: number;
}

export interface ImportOptions {
  /** Stop at the first bad line; what came before it is kept. */
  readonly strict?: boolean;
  /** Told after each batch. */
  readonly onProgress?: (report: ImportReport) => void;
  /** Who imports, for the audit event; `system` when left out, null writes none (the seed of a demo). */
  readonly actor?: string | null;
}

/** A line made ready to be written. */
export interface Prepared<T> {
  readonly line: number;
  readonly item: T;
}

/** What a batch became: an outcome, or the reason of a refusal, for each item in its order. */
export interface BatchResult {
  readonly outcomes: readonly (PutOutcome | DocumentFault)[];
  readonly sequence: number;
}

/** What differs between imports. */
export interface ImportSteps<T> {
  /** @throws DocumentFault */
  prepare(text: Uint8Array | string): T;
  /** Size of an item, for the bound of a batch. */
  bytes(item: T): number;
  /** Writes a batch in one transaction; `ending` is set for the last one. */
  write(batch: readonly Prepared<T>[], ending: ImportEnding | null): Promise<BatchResult>;
}

/** How an import ends; the counts are those of the batches before. */
export interface ImportEnding {
  readonly status: 'PASSED' | 'FAILED';
  readonly before: Readonly<ImportReport>;
}

export interface BatchLimits {
  readonly documents: number;
  readonly bytes: number;
}

const FAULTS_MAX = 100;
/** Lines prepared before other work of the process gets its turn (a few milliseconds). */
const PAUSE_EVERY = 128;

/**
 * Runs an import to its end.
 * @throws ServiceError `unavailable` where the store fails; whatever `lines` throws, after what came before is kept
 */
export async function runImport<T>(
  lines: AsyncIterable<SourceLine>,
  options: ImportOptions,
  limits: BatchLimits,
  steps: ImportSteps<T>,
): Promise<ImportReport> {
  const run = new ImportRun(options, limits, steps);
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (let count = 1; ; count++) {
      const step = await nextLine(iterator, run);
      if (step.done) return await run.end('PASSED');
      await run.take(step.value);
      if (run.stopped) return await run.end('FAILED');
      if (count % PAUSE_EVERY === 0) await turn();
    }
  } finally {
    await iterator.return?.();
  }
}

async function nextLine<T>(iterator: AsyncIterator<SourceLine>, run: ImportRun<T>) {
  try {
    return await iterator.next();
  } catch (error) {
    await run.end('FAILED');
    throw error;
  }
}

class ImportRun<T> {
  readonly #options: ImportOptions;
  readonly #limits: BatchLimits;
  readonly #steps: ImportSteps<T>;
  readonly #report: ImportReport = {
    ...{ created: 0, updated: 0, unchanged: 0, failed: 0 },
    faults: [],
    sequence: 0,
  };
  #batch: Prepared<T>[] = [];
  #batchBytes = 0;

  constructor(options: ImportOptions, limits: BatchLimits, steps: ImportSteps<T>) {
    this.#options = options;
    this.#limits = limits;
    this.#steps = steps;
  }

  /** A strict import has met its first bad line. */
  get stopped(): boolean {
    return this.#options.strict === true && this.#report.failed > 0;
  }

  async take({ line, text, fault }: SourceLine): Promise<void> {
    let item: T;
    try {
      if (fault !== undefined) throw new DocumentFault(fault);
      item = this.#steps.prepare(text);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#refuse(line, error.message);
      return;
    }
    const bytes = this.#steps.bytes(item);
    const full =
      this.#batch.length >= this.#limits.documents ||
      (this.#batch.length > 0 && this.#batchBytes + bytes > this.#limits.bytes);
    if (full) await this.#write(null);
    this.#batch.push({ line, item });
    this.#batchBytes += bytes;
  }

  async end(status: ImportEnding['status']): Promise<ImportReport> {
    await this.#write({ status, before: this.#report });
    // What only the store could refuse was told later than its line.
    this.#report.faults.sort((a, b) => a.line - b.line);
    return this.#report;
  }

  async #write(ending: ImportEnding | null): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    const { outcomes, sequence } = await this.#steps.write(batch, ending);
    const report = this.#report;
    batch.forEach(({ line }, i) => {
      const outcome = outcomes[i];
      if (outcome instanceof DocumentFault) this.#refuse(line, outcome.message);
      else if (outcome !== undefined) report[outcome]++;
    });
    report.sequence = sequence;
    this.#options.onProgress?.({ ...report, faults: [...report.faults] });
  }

  #refuse(line: number, reason: string): void {
    this.#report.failed++;
    if (this.#report.faults.length < FAULTS_MAX) this.#report.faults.push({ line, reason });
  }
}
