// Runs an import of any kind: prepares lines one by one, collects them into batches, and writes
// each batch in one transaction. A bad line is reported, the others are kept. Whatever a report
// counts is durable.
// Invariant: the last batch and the audit event are one transaction, so the last batch is held back
// until the end, while there is room for it. The first of several batches has an event, too: an import
// that is killed leaves it.

import type { SourceLine } from '../../json/json-source.ts';
import type { TurnQueue } from '../../scheduling/turn-queue.ts';
import type { PutOutcome, Store, WritableRecords } from '../ports/store.ts';
import { DocumentFault } from './document-shape.ts';

/** A rejected line, with the reason. */
export interface ImportFault {
  readonly line: number;
  readonly reason: string;
}

/** An accepted line that needs attention. */
export interface ImportWarning {
  readonly line: number;
  readonly reason: string;
}

/** The progress or result of an import. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first 100. */
  faults: ImportFault[];
  /** Accepted lines with a warning; also counted above. */
  warned: number;
  /** The first 100. */
  warnings: ImportWarning[];
  /** The last change sequence assigned. */
  sequence: number;
}

export interface ImportOptions {
  /** Stop at the first bad line; earlier lines are kept. */
  readonly strict?: boolean;
  /** Called after each batch. */
  readonly onProgress?: (report: ImportReport) => void;
  /** True for seed data: of it only changes of auth users that were there have audit events. */
  readonly isSeed?: boolean;
  /**
   * Called with the size of the batch that is held back whenever it changes, in the end with 0.
   * Returns false if there is no room for it: it is then written at once.
   */
  readonly hold?: (bytes: number) => boolean;
}

/** What became of an item, or the reason for its rejection. */
export type ItemOutcome = PutOutcome | DocumentFault;

/** The steps that differ between kinds of imports. */
export interface ImportSteps<T> {
  /** @throws DocumentFault */
  prepare(text: Uint8Array | string): T;
  /** Size of an item, for the batch limit. */
  bytes(item: T): number;
  /** A warning about an accepted item; null or no method for none. */
  warningOf?(item: T): string | null;
  /** Writes a batch. @returns for each item, in order, its outcome */
  write(records: WritableRecords, batch: readonly T[]): Promise<ItemOutcome[]>;
  /** Called with a batch once it is durable. */
  onWritten?(batch: readonly T[], outcomes: readonly ItemOutcome[]): void;
}

/** What the event of a batch says: how the import has ended, or that it goes on after its first changes. */
export type ImportStatus = 'STARTED' | 'PASSED' | 'FAILED';

/** Who imports. */
export interface Importer {
  /** Called before each batch. A rejection ends the import and drops what is not written. */
  confirm(): Promise<unknown>;
  /** Writes the audit event of an import that changed something, with the counts so far. */
  audit(
    records: WritableRecords,
    status: ImportStatus,
    counts: Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'failed'>,
  ): Promise<void>;
}

export interface BatchLimits {
  readonly documents: number;
  readonly bytes: number;
}

export interface ImportRules {
  readonly store: Pick<Store, 'write'>;
  readonly batch: BatchLimits;
  /** Maximum bytes of one line, because a line is parsed at once. */
  readonly documentBytes: number;
  /** Gives each import its own turns of the event loop. */
  readonly turns: TurnQueue;
}

/** Maximum number of faults, and of warnings, listed in a report. */
const LISTED_MAX = 100;
/** Lines and bytes prepared per turn of the event loop (a few milliseconds). */
const PAUSE_LINES = 128;
const PAUSE_BYTES = 512 * 1024;

/**
 * Runs an import to its end.
 * @throws ServiceError `unavailable` when the store fails; errors of `lines`, after earlier lines
 * are written
 */
export async function runImport<T>(
  lines: AsyncIterable<SourceLine>,
  options: ImportOptions,
  rules: ImportRules,
  steps: ImportSteps<T>,
  importer: Importer,
): Promise<ImportReport> {
  const run = new ImportRun(options, rules, steps, importer);
  const iterator = lines[Symbol.asyncIterator]();
  try {
    let [turnLines, turnBytes] = [PAUSE_LINES, 0];
    for (;;) {
      const step = await nextLine(iterator, run);
      if (step.done) return await run.end('PASSED');
      const { length } = step.value.text;
      turnLines += 1;
      turnBytes += length;
      if (turnLines > PAUSE_LINES || turnBytes > PAUSE_BYTES) {
        await rules.turns.next();
        [turnLines, turnBytes] = [1, length];
      }
      await run.take(step.value);
      if (run.stopped) return await run.end('FAILED');
    }
  } finally {
    options.hold?.(0);
    await iterator.return?.();
  }
}

/**
 * Refuses a text that is too long to be parsed at once.
 * @throws DocumentFault
 */
export function refuseLong({ length }: Uint8Array | string, bytesMax: number): void {
  if (length <= bytesMax) return;
  throw new DocumentFault(
    `longer than ${bytesMax} bytes, found ${length}; the setting CARDEA_DOCUMENT_LIMIT raises the limit`,
  );
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
  readonly #importer: Importer;
  readonly #report: ImportReport = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    warned: 0,
    faults: [],
    warnings: [],
    sequence: 0,
  };
  #batch: { readonly line: number; readonly item: T }[] = [];
  #batchBytes = 0;

  constructor(
    options: ImportOptions,
    rules: ImportRules,
    steps: ImportSteps<T>,
    importer: Importer,
  ) {
    this.#options = options;
    this.#rules = rules;
    this.#steps = steps;
    this.#importer = importer;
  }

  /** True after the first bad line of a strict import. */
  get stopped(): boolean {
    return this.#options.strict === true && this.#report.failed > 0;
  }

  async take({ line, text, fault, warning }: SourceLine): Promise<void> {
    if (warning !== undefined) {
      this.#warn(line, warning);
      return;
    }
    let item: T;
    try {
      if (fault !== undefined) throw new DocumentFault(fault);
      refuseLong(text, this.#rules.documentBytes);
      item = this.#steps.prepare(text);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#reject(line, error.message);
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
    if (this.#options.hold?.(this.#batchBytes) === false) await this.#write(null);
  }

  async end(status: ImportStatus): Promise<ImportReport> {
    await this.#write(status);
    // Faults found by the store were reported after those of later lines.
    this.#report.faults.sort((a, b) => a.line - b.line);
    return this.#report;
  }

  /** @param ending null: the import goes on */
  async #write(ending: ImportStatus | null): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length > 0) await this.#confirm();
    const items = batch.map(({ item }) => item);
    const outcomes = await this.#put(items, ending ?? this.#start());
    this.#options.hold?.(0);
    const report = this.#report;
    for (const [i, { line, item }] of batch.entries()) {
      const outcome = outcomes[i];
      if (outcome instanceof DocumentFault) this.#reject(line, outcome.message);
      else if (outcome !== undefined) {
        report[outcome]++;
        this.#warn(line, this.#steps.warningOf?.(item) ?? null);
      }
    }
    const { faults, warnings } = report;
    this.#options.onProgress?.({ ...report, faults: [...faults], warnings: [...warnings] });
  }

  /** Writes a batch. If the store fails, the import is recorded as failed once it can be. */
  async #put(batch: readonly T[], status: ImportStatus | null): Promise<readonly ItemOutcome[]> {
    try {
      return await this.#store(batch, status);
    } catch (error) {
      // A store that is still away keeps the event of the start.
      await this.#store([], 'FAILED').catch(() => {});
      throw error;
    }
  }

  /** Writes a batch and its event in one transaction. */
  async #store(batch: readonly T[], status: ImportStatus | null): Promise<readonly ItemOutcome[]> {
    const { outcomes, sequence } = await this.#rules.store.write(async (records) => {
      const written = await this.#steps.write(records, batch);
      if (status !== null) await this.#auditBatch(records, status, written);
      return { outcomes: written, sequence: await records.lastSequence() };
    });
    this.#report.sequence = sequence;
    this.#steps.onWritten?.(batch, outcomes);
    return outcomes;
  }

  /** Writes the event of a batch with the counts up to its end, unless nothing changed. */
  async #auditBatch(
    records: WritableRecords,
    status: ImportStatus,
    outcomes: readonly ItemOutcome[],
  ): Promise<void> {
    const { created, updated, unchanged, failed } = this.#report;
    const counts = { created, updated, unchanged, failed };
    for (const outcome of outcomes) {
      counts[outcome instanceof DocumentFault ? 'failed' : outcome]++;
    }
    if (counts.created + counts.updated > 0) await this.#importer.audit(records, status, counts);
  }

  /** The event of a batch that is not the last one, while nothing has changed before it. */
  #start(): ImportStatus | null {
    const { created, updated } = this.#report;
    return created + updated === 0 ? 'STARTED' : null;
  }

  /** On rejection earlier batches stay, and the import is recorded as failed. */
  async #confirm(): Promise<void> {
    try {
      await this.#importer.confirm();
    } catch (error) {
      await this.#store([], 'FAILED');
      throw error;
    }
  }

  #warn(line: number, reason: string | null): void {
    if (reason === null) return;
    const { warnings } = this.#report;
    this.#report.warned++;
    if (warnings.length < LISTED_MAX) warnings.push({ line, reason });
  }

  #reject(line: number, reason: string): void {
    this.#report.failed++;
    if (this.#report.faults.length < LISTED_MAX) this.#report.faults.push({ line, reason });
  }
}
