// The other threads that serve, as the main thread sees them: it starts them, lets them accept
// connections, answers what only it knows, adds up what they count, and starts again one that has died.
// Invariant: a thread that has ended holds nothing: no files of segments, no turn to write, no shares.
import { tmpdir } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Logger, symbols } from 'pino';
import type { IndexReader } from '../backends/embedded/indexes/index-readers.ts';
import type { IndexList } from '../backends/embedded/indexes/shared-indexes.ts';
import type { Config } from '../config/config.ts';
import { type SharedListener, shareListener } from '../http/shared-listener.ts';
import { within } from '../scheduling/abort.ts';
import { endThread } from '../scheduling/end-thread.ts';
import { programBeside } from '../scheduling/program-beside.ts';
import { BEAT_MS, ThreadTable } from '../scheduling/shared/thread-table.ts';
import { ThreadCalls } from '../scheduling/thread-calls.ts';
import { ProcessWrites } from '../store/sql/process-writes.ts';
import type { RequestValues } from '../telemetry/request-metrics.ts';
import type { ThreadReport } from '../telemetry/thread-figures.ts';
import type { OfMainThread, OfServingThread, ServingThreadData } from './thread-messages.ts';

export interface ServingThreadsParts {
  readonly config: Config;
  readonly version: string;
  /** Starts a thread; replaced in tests. */
  readonly startWorker?: ((data: ServingThreadData) => Worker) | undefined;
  readonly log: Logger;
  /** Shared memory in which all threads count the writes of the store. */
  readonly writes: SharedArrayBuffer;
  /** What all threads count together. */
  readonly counts: ServingThreadData['counts'];
  /** Gives back what a thread holds that has ended. @param thread from 0 */
  forgetThread(thread: number): void;
  /** What the threads may call, but for what `ServingThreads` answers itself. */
  readonly methods: Omit<
    OfMainThread,
    'serving' | 'beginReading' | 'failed' | 'log' | 'fromReader'
  >;
  /** Lets a thread search the embedded indexes; null: the search is elsewhere. */
  addReader: ((post: (list: IndexList) => void) => IndexReader) | null;
  /** Called when too many threads have died: the process cannot go on. */
  onFailed(error: Error): void;
}

/** What the log says where one thread serves although there were to be several. */
export const CANNOT_SHARE = 'Threads cannot share a port on this system: one thread serves';
/** The young generation of a thread: short pauses count for more than rare ones. */
const YOUNG_MIB = 12;
/** This number of deaths within this time, in milliseconds, ends the process. */
const DEATHS_MAX = 3;
const DEATHS_MS = 60_000;
/** A thread that has not run for so long, in milliseconds, is named. */
const HUNG_MS = 10_000;
/**
 * Then the process ends: others wait for what the thread holds, and a thread that has requests cannot be
 * terminated (the HTTP parser of Node may abort the process).
 */
const HUNG_END_MS = 30_000;
/** Time for a thread to answer a scrape. */
const REPORT_MS = 2_000;
/** Time for a thread to start, which a busy machine may need; then it is ended, and started again. */
const START_MS = 120_000;
/** Of that, the time that a stop waits. */
const START_IN_STOP_MS = 30_000;
/** Pauses before a thread is started again whose start failed for a reason that may pass. */
const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 30_000;
/** How much longer than its requests a thread may take to stop. */
const STOP_MORE_MS = 5_000;

export class ServingThreads {
  readonly #parts: ServingThreadsParts;
  readonly #writes: ProcessWrites;
  readonly #tableMemory: SharedArrayBuffer;
  readonly #table: ThreadTable;
  /** By number, from 2: 1 is the main thread. */
  readonly #threads = new Map<number, ServingThread>();
  #listener: SharedListener | null = null;
  readonly #timers: NodeJS.Timeout[] = [];
  /** When threads have died, by `performance.now()`. */
  #deaths: readonly number[] = [];
  /** Starts in a row that failed for a reason that may pass. */
  #failedStarts = 0;
  /** The last report of each thread that runs. */
  readonly #last = new Map<number, ThreadReport>();
  /** What threads counted that have died. */
  readonly #past: RequestValues[] = [];
  #stopping = false;
  /** A thread that hung may end later. */
  #stopped = false;

  constructor(parts: ServingThreadsParts) {
    this.#parts = parts;
    this.#writes = new ProcessWrites(parts.writes, 0);
    this.#tableMemory = ThreadTable.memory(parts.config.threads);
    this.#table = new ThreadTable(this.#tableMemory, 0);
  }

  /** Starts the threads; they accept connections of the server once they are ready. */
  start(server: Parameters<typeof shareListener>[0]): void {
    const { config, log } = this.#parts;
    if (config.threads === 1) return;
    this.#listener = shareListener(server, [tmpdir(), config.dataDir], this.#table);
    if (this.#listener === null) {
      log.warn(CANNOT_SHARE);
      return;
    }
    for (let number = 2; number <= config.threads; number += 1) this.#startThread(number);
    this.#timers.push(
      this.#table.beat(),
      setInterval(() => this.#lookForHung(), BEAT_MS * 2).unref(),
    );
  }

  /** Resolves when all threads accept connections. */
  async untilServing(): Promise<void> {
    await Promise.all([...this.#threads.values()].map(({ serving }) => serving));
  }

  /** What is to be said about the threads; null: nothing. */
  get warning(): string | null {
    const { hung } = this;
    const lately = this.#recentDeaths(performance.now()).length;
    const sentences = [
      ...(lately === 0 ? [] : [`${threadsHave(lately)} died in the last minute`]),
      ...(hung === 0 ? [] : [`${threadsHave(hung)} not run for ${HUNG_MS / 1_000} s`]),
    ];
    return sentences.length === 0
      ? null
      : `${sentences.join(', and ')}: the log of this node names them.`;
  }

  /** Threads that do not run although they should. */
  get hung(): number {
    return [...this.#threads.values()].filter((thread) => thread.silentMs > HUNG_MS).length;
  }

  /** Deaths since the start. */
  died = 0;

  /**
   * What the threads count. One that does not answer in time has counted what it last said: counters
   * never go back.
   */
  async reports(): Promise<readonly ThreadReport[]> {
    const answers = await this.#askAll((thread) => thread.calls.call('report'));
    for (const [number, report] of answers) this.#last.set(number, report);
    return [...this.#last.values()];
  }

  /** What threads counted that have died. */
  get past(): readonly RequestValues[] {
    return this.#past;
  }

  /** The requests of a tenant in the last minute, of each thread. */
  async activity(tenantId: string) {
    const answers = await this.#askAll((thread) => thread.calls.call('activity', tenantId));
    return answers.map(([, sums]) => sums);
  }

  /** Lets the threads finish their requests, and ends them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#listener?.close();
    await Promise.all([...this.#threads.values()].map((thread) => thread.stop()));
    this.#stopped = true;
  }

  #recentDeaths(now: number): readonly number[] {
    return this.#deaths.filter((at) => now - at < DEATHS_MS);
  }

  /** The answers, by number, of the threads that answer in time and still run. */
  async #askAll<T>(
    ask: (thread: ServingThread) => Promise<T>,
  ): Promise<readonly (readonly [number, T])[]> {
    const none: readonly (readonly [number, T])[] = [];
    const asked = [...this.#threads].map(async ([number, thread]) => {
      const answer = ask(thread).then(
        (one) => [[number, one] as const],
        () => none,
      );
      const answered = await within(REPORT_MS, answer, () => none);
      return this.#threads.get(number) === thread ? answered : none;
    });
    return (await Promise.all(asked)).flat();
  }

  #startThread(number: number): void {
    const { config, version, writes, counts, log } = this.#parts;
    const data: ServingThreadData = {
      ...{ number, config, version, writes, counts, threads: this.#tableMemory },
      logLevel: log.level,
      listener: this.#listener?.path ?? '',
    };
    const onEnd = (end: ThreadEnd) => this.#onEnd(number, end);
    try {
      this.#threads.set(number, new ServingThread(data, this.#table, this.#parts, onEnd));
    } catch (error) {
      this.#parts.onFailed(error as Error);
    }
  }

  #onEnd(number: number, { error, mayPass }: ThreadEnd): void {
    const { log, forgetThread, onFailed } = this.#parts;
    this.#threads.delete(number);
    if (this.#stopped) return;
    const counted = this.#last.get(number)?.requests;
    if (counted !== undefined) this.#past.push(counted);
    this.#last.delete(number);
    // A write of it may have been committed and not counted.
    this.#writes.end(1);
    // Threads have numbers from 1 for people, and columns of shared memory from 0.
    void this.#writes.forget(number - 1);
    this.#table.close(number - 1);
    forgetThread(number - 1);
    if (this.#stopping) return;
    if (mayPass) {
      const pauseMs = Math.min(RETRY_FIRST_MS * 2 ** this.#failedStarts, RETRY_LAST_MS);
      this.#failedStarts += 1;
      log.warn(
        { err: error, thread: number, pauseMs },
        'A thread could not start, and will try again',
      );
      setTimeout(() => {
        if (!this.#stopping) this.#startThread(number);
      }, pauseMs).unref();
      return;
    }
    this.#failedStarts = 0;
    const now = performance.now();
    this.died += 1;
    this.#deaths = [...this.#recentDeaths(now), now];
    log.error({ err: error, thread: number }, 'A thread that serves has died');
    if (this.#deaths.length < DEATHS_MAX) {
      this.#startThread(number);
      return;
    }
    this.#stopping = true;
    onFailed(
      new Error(
        `${DEATHS_MAX} threads have died within a minute, the last one of: ${error.message}. The log says more; CARDEA_THREADS=1 serves with one thread.`,
      ),
    );
  }

  #lookForHung(): void {
    const { log, onFailed } = this.#parts;
    for (const [number, thread] of this.#threads) {
      if (thread.turnsHung()) {
        log.error({ thread: number }, `A thread that serves has not run for ${HUNG_MS / 1_000} s`);
      }
      if (thread.silentMs > HUNG_END_MS && !this.#stopping) {
        this.#stopping = true;
        onFailed(
          new Error(
            `Thread ${number} has not run for ${HUNG_END_MS / 1_000} s, and others wait for what it holds. CARDEA_THREADS=1 serves with one thread.`,
          ),
        );
      }
      thread.endIfLate();
    }
  }
}

function threadsHave(count: number): string {
  return count === 1 ? '1 thread has' : `${count} threads have`;
}

function startWorker(workerData: ServingThreadData): Worker {
  const name = `cardea-serving-${workerData.number}`;
  return new Worker(programBeside(import.meta.url, 'serving-thread'), {
    ...{ workerData, name },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
}

/** What a log writes its lines to. */
function linesOf(log: Logger): { write(line: string): void } {
  return (
    (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym] ??
    process.stdout
  );
}

/** How a thread ended. */
interface ThreadEnd {
  readonly error: Error;
  /** Its start failed for a reason that may pass by itself. */
  readonly mayPass: boolean;
}

/** One thread. */
class ServingThread {
  readonly calls: ThreadCalls<OfServingThread>;
  /** Resolves when it accepts connections, or has ended. */
  readonly serving: Promise<void>;
  readonly #worker: Worker;
  readonly #table: ThreadTable;
  readonly #number: number;
  readonly #stopMs: number;
  readonly #startedAt = performance.now();
  readonly #ended: Promise<void>;
  #isNamed = false;
  #isServing = false;

  constructor(
    data: ServingThreadData,
    table: ThreadTable,
    parts: ServingThreadsParts,
    onEnd: (end: ThreadEnd) => void,
  ) {
    this.#number = data.number;
    this.#table = table;
    table.ran(data.number - 1);
    this.#stopMs = data.config.stopTimeoutMs + STOP_MORE_MS;
    this.#worker = (parts.startWorker ?? startWorker)(data);
    let reader: IndexReader | null = null;
    let reason: Error | null = null;
    let mayPass = false;
    let isServing = (): void => {};
    this.serving = new Promise((resolve) => {
      isServing = resolve;
    });
    const methods: OfMainThread = {
      ...parts.methods,
      log: (line) => linesOf(parts.log).write(line),
      fromReader: (message) => reader?.onMessage(message),
      serving: () => {
        this.#isServing = true;
        isServing();
      },
      failed: (text, passes) => {
        reason = new Error(text);
        mayPass = passes;
      },
      beginReading: () => reader?.begin(),
    };
    this.calls = new ThreadCalls<OfServingThread>(this.#worker, methods);
    reader = parts.addReader?.((list) => this.calls.tell('take', list)) ?? null;
    this.#worker.on('error', (error: Error) => {
      reason = error;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.calls.end();
        reader?.close();
        isServing();
        resolve();
        const why = this.#isLate
          ? `it did not start within ${START_MS / 1_000} s`
          : `it ended with code ${code}`;
        onEnd({ error: reason ?? new Error(why), mayPass: mayPass || this.#isLate });
      });
    });
  }

  /** Milliseconds that it has not run although it serves. */
  get silentMs(): number {
    return this.#isServing ? this.#table.silentMs(this.#number - 1) : 0;
  }

  /** True if it has not run for long, once for each time. */
  turnsHung(): boolean {
    const wasNamed = this.#isNamed;
    this.#isNamed = this.silentMs > HUNG_MS;
    return this.#isNamed && !wasNamed;
  }

  /** Ends it if it does not begin to serve. */
  endIfLate(): void {
    if (this.#isLate) void this.#worker.terminate();
  }

  get #isLate(): boolean {
    return !this.#isServing && performance.now() - this.#startedAt > START_MS;
  }

  async stop(): Promise<void> {
    // A thread that is ended while it opens its store can end the process (Node 20).
    await within(START_IN_STOP_MS, this.serving, () => {});
    const stopped = this.calls.call('stop').catch(() => {});
    await within(this.#stopMs, stopped, () => {});
    const ended = () => endThread(this.#worker);
    if (this.silentMs > HUNG_MS) {
      // Once it runs again; otherwise the process ends with it.
      void stopped.then(ended);
      return;
    }
    await ended();
    await this.#ended;
  }
}
