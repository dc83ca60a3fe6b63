// Counters shared by several nodes. When Redis is unavailable, each node falls back to its local
// counts, logs it, and returns to the shared counts once Redis answers again.
// Invariant: a count waits for a limited time, and Redis is not called for RETRY_MS after a
// failure.

import { createClient } from '@redis/client';
import type { Count, LocalCounter, WindowCounter, WindowRules } from '../auth/window-counter.ts';
import type { Log } from '../log.ts';
import { countScript } from './redis-counter.ts';

/** Longest time that a request waits for its count. */
const ANSWER_MS = 250;
/** Time without calls after a failure, so that a hanging Redis delays one request and not all. */
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

/** The connection to Redis, and its counters. */
export class SharedCounts {
  readonly #client: Client;
  readonly #log: Log;
  readonly #clock: { now(): number };
  readonly #answerMs: number;
  #isUnavailable = false;
  #retryAt = Number.NEGATIVE_INFINITY;

  /**
   * @param url `redis://user:password@host:port/database`, or `rediss:` for TLS; never logged
   * @param answerMs how long a start or a count waits for Redis
   */
  constructor(url: string, log: Log, clock: { now(): number } = performance, answerMs = ANSWER_MS) {
    this.#log = log;
    this.#answerMs = answerMs;
    this.#clock = clock;
    this.#client = newClient(url);
    // Every failed attempt is reported here; #failed logs the first one.
    this.#client.on('error', () => {});
  }

  /** Connects, for a limited time, so that an unavailable Redis does not delay a start. */
  async open(): Promise<void> {
    const connected = this.#client.connect().then(
      () => {},
      (error: unknown) => this.#failed(error),
    );
    await within(this.#answerMs, connected).catch((error: unknown) => this.#failed(error));
  }

  /** True while the shared counts are in use. */
  get connected(): boolean {
    return !this.#isUnavailable;
  }

  /** Checks whether Redis answers again, at most as often as a count would. */
  async probe(): Promise<void> {
    await this.#call(() => this.#client.ping());
  }

  /**
   * Returns a counter shared by all nodes that use the same name.
   * @param local counts as well, for when Redis is unavailable; must follow the same rules
   */
  counter(name: string, rules: WindowRules, local: LocalCounter): WindowCounter {
    const count = async (key: string, add: 0 | 1, localCount: Count): Promise<Count> => {
      const shared = await this.#call(() =>
        this.#client.count(`cardea:${name}:${key}`, rules, add),
      );
      return shared ?? localCount;
    };
    return {
      add: (key) => count(key, 1, local.add(key)),
      read: (key) => count(key, 0, local.read(key)),
    };
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** Runs a command; null if Redis did not answer. */
  async #call<T>(command: () => Promise<T>): Promise<T | null> {
    if (this.#clock.now() < this.#retryAt) return null;
    try {
      const answer = await within(this.#answerMs, command());
      if (this.#isUnavailable) this.#log.info({}, 'Redis answers again: nodes count together');
      this.#isUnavailable = false;
      return answer;
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  #failed(error: unknown): void {
    this.#retryAt = this.#clock.now() + RETRY_MS;
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    const { name, message, code } = error as NodeJS.ErrnoException;
    this.#log.warn(
      { reason: code ?? name, detail: message },
      'Redis does not answer: this node counts requests and wrong secrets for itself',
    );
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms`)), ms);
  });
  // A result after the timeout is ignored.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
