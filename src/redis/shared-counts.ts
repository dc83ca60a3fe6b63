// The counters of several nodes, with a way on when their Redis is away: each node then goes by what it has counted
// itself, says so, and returns to the shared count by itself.
// Invariant: a count is never waited for longer than ANSWER_MS, and a Redis that failed is left alone for RETRY_MS.
import { createClient } from '@redis/client';
import type { Count, LocalCounter, WindowCounter, WindowRules } from '../auth/window-counter.ts';
import { countScript } from './redis-counter.ts';

/** Where it is told that the Redis went and came; a pino logger fits. */
export interface SharedCountsLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** What a request may wait for its count. */
const ANSWER_MS = 250;
/** How long nobody asks again after a failure, so that a Redis that hangs delays one request and not all. */
const RETRY_MS = 1_000;
const RECONNECT_MS_MAX = 1_000;

type Client = ReturnType<typeof newClient>;

function newClient(url: string) {
  return createClient({
    url,
    scripts: { count: countScript },
    // Without a connection a command fails at once.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 2_000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, RECONNECT_MS_MAX),
    },
  });
}

/** One Redis, and the counters on it. */
export class SharedCounts {
  readonly #client: Client;
  readonly #log: SharedCountsLog;
  readonly #clock: { now(): number };
  #away = false;
  #retryAt = Number.NEGATIVE_INFINITY;

  /** @param url `redis://user:password@host:port/database`, or `rediss:` for TLS; it goes into no log line */
  constructor(url: string, log: SharedCountsLog, clock: { now(): number } = performance) {
    this.#log = log;
    this.#clock = clock;
    this.#client = newClient(url);
    // Each attempt that fails is told here; the first count that fails says it to the log.
    this.#client.on('error', () => {});
  }

  /** Connects, and waits a moment for it; a Redis that is away does not hold up a start. */
  async open(): Promise<void> {
    const connected = this.#client.connect().then(
      () => {},
      (error: unknown) => this.#failed(error),
    );
    await within(ANSWER_MS, connected).catch((error: unknown) => this.#failed(error));
  }

  /** Whether the shared count is in use. */
  get connected(): boolean {
    return !this.#away;
  }

  /** Asks whether it answers again, at most as often as a count would. */
  async look(): Promise<void> {
    await this.#ask(() => this.#client.ping());
  }

  /**
   * A counter of all nodes that use the same name.
   * @param local counts along, for the time when Redis is away; must follow the same rules
   */
  counter(name: string, rules: WindowRules, local: LocalCounter): WindowCounter {
    const count = async (key: string, add: 0 | 1, here: Count): Promise<Count> => {
      const shared = await this.#ask(() => this.#client.count(`cardea:${name}:${key}`, rules, add));
      return shared ?? here;
    };
    return {
      add: (key) => count(key, 1, local.add(key)),
      read: (key) => count(key, 0, local.read(key)),
    };
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** null where it did not answer. */
  async #ask<T>(command: () => Promise<T>): Promise<T | null> {
    if (this.#clock.now() < this.#retryAt) return null;
    try {
      const answer = await within(ANSWER_MS, command());
      if (this.#away) this.#log.info({}, 'Redis answers again: nodes count together');
      this.#away = false;
      return answer;
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  #failed(error: unknown): void {
    this.#retryAt = this.#clock.now() + RETRY_MS;
    if (this.#away) return;
    this.#away = true;
    const { name, message, code } = error as NodeJS.ErrnoException;
    this.#log.warn(
      { reason: code ?? name, detail: message },
      'Redis does not answer: this node counts requests and guesses for itself',
    );
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms);
  });
  // What comes after all is of no use to anybody.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
