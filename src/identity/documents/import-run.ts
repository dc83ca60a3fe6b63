// The course of an import, whatever is imported: lines are prepared one by one, gathered into batches, and each
// batch is one transaction. A bad line is reported and the others are kept. What a report counts is on the disk.
// Invariant: the last batch and the audit event are one transaction, so the last batch is held back till the end.
import type { AuditActor } from '../audit/audit-event.ts';
import type { SourceLine } from '../json/json-source.ts';
import type { PutOutcome } from '../ports/store.ts';
import type { TurnQueue } from '../scheduling/turn-queue.ts';
import { DocumentFault } from './document-shape.ts';

/** A line that was not taken, and why. */
export interface ImportFault {
  readonly line: number;
  readonly reason: string;
}

/** A line that was taken though something about it needs attention. */
export interface ImportWarning {
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
  /** Lines that were taken with a warning; they are counted above as well. */
  warned: number;
  /** The first 100. */
  warnings: ImportWarning[];
  /** The last change sequence that was given out. */
  sequence: number;
}

export interface ImportOptions {
  /** Stop at the first bad line; what came before it is kept. */
  readonly strict?: boolean;
  /** Told after each batch. */
  readonly onProgress?: (report: ImportReport) => void;
  /** Who imports, for the audit events; the local operator when left out. null: a seed, which records only what it changes. */
  readonly actor?: AuditActor | null;
  /** Asked before each batch. A rejection ends the import; what it has not written is dropped. */
  readonly confirm?: () => Promise<unknown>;
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
  /** The warning that a line earns once it has been taken; null or no method: none. */
  warningOf?(item: T): string | null;
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

export interface ImportRules {
  readonly batch: BatchLimits;
  /** Bytes of one line, since a line is parsed at once. */
  readonly documentBytes: number;
  /** Gives each import a turn of the event loop of its own for its next lines. */
  readonly turns: TurnQueue;
}

/** Faults, and as many warnings, that a report lists. */
const LISTED_MAX = 100;
/** Lines prepared, and their bytes, before other work of the process gets its turn (a few milliseconds). */
const PAUSE_LINES = 128;
const PAUSE_BYTES = 512 * 1024;

/**
 * Runs an import to its end.
 * @throws ServiceError `unavailable` where the store fails; whatever `lines` throws, after what came before is kept
 */
export async function runImport<T>(
  lines: AsyncIterable<SourceLine>,
  options: ImportOptions,
  rules: ImportRules,
  steps: ImportSteps<T>,
): Promise<ImportReport> {
  const run = new ImportRun(options, rules, steps);
  const iterator = lines[Symbol.asyncIterator]();
  try {
    let [linesTaken, bytesTaken] = [PAUSE_LINES, 0];
    for (;;) {
      const step = await nextLine(iterator, run);
      if (step.done) return await run.end('PASSED');
      const { length } = step.value.text;
      linesTaken += 1;
      bytesTaken += length;
      if (linesTaken > PAUSE_LINES || bytesTaken > PAUSE_BYTES) {
        await rules.turns.next();
        [linesTaken, bytesTaken] = [1, length];
      }
      await run.take(step.value);
      if (run.stopped) return await run.end('FAILED');
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
  readonly #rules: ImportRules;
  readonly #steps: ImportSteps<T>;
  readonly #report: ImportReport = {
    ...{ created: 0, updated: 0, unchanged: 0, failed: 0, warned: 0 },
    faults: [],
    warnings: [],
    sequence: 0,
  };
  #batch: Prepared<T>[] = [];
  #batchBytes = 0;

  constructor(options: ImportOptions, rules: ImportRules, steps: ImportSteps<T>) {
    this.#options = options;
    this.#rules = rules;
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
      const { documentBytes } = this.#rules;
      if (text.length > documentBytes) {
        throw new DocumentFault(
          `longer than ${documentBytes} bytes, found ${text.length}; the setting CARDEA_DOCUMENT_LIMIT raises the limit`,
        );
      }
      item = this.#steps.prepare(text);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#refuse(line, error.message);
      return;
    }
    const bytes = this.#steps.bytes(item);
    const { batch } = this.#rules;
    const full =
      this.#batch.length >= batch.documents ||
      (this.#batch.length > 0 && this.#batchBytes + bytes > batch.bytes);
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
    if (batch.length > 0) await this.#confirm();
    const { outcomes, sequence } = await this.#steps.write(batch, ending);
    const report = this.#report;
    batch.forEach(({ line, item }, i) => {
      const outcome = outcomes[i];
      if (outcome instanceof DocumentFault) this.#refuse(line, outcome.message);
      else if (outcome !== undefined) {
        report[outcome]++;
        this.#warn(line, this.#steps.warningOf?.(item) ?? null);
      }
    });
    report.sequence = sequence;
    const { faults, warnings } = report;
    this.#options.onProgress?.({ ...report, faults: [...faults], warnings: [...warnings] });
  }

  /** What was written before stays, and the import is recorded as one that failed. */
  async #confirm(): Promise<void> {
    try {
      await this.#options.confirm?.();
    } catch (error) {
      await this.#steps.write([], { status: 'FAILED', before: this.#report });
      throw error;
    }
  }

  #warn(line: number, reason: string | null): void {
    if (reason === null) return;
    const { warnings } = this.#report;
    this.#report.warned++;
    if (warnings.length < LISTED_MAX) warnings.push({ line, reason });
  }

  #refuse(line: number, reason: string): void {
    this.#report.failed++;
    if (this.#report.faults.length < LISTED_MAX) this.#report.faults.push({ line, reason });
  }
}
