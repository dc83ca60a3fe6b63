// Counters shared by several nodes. When Redis is unavailable, each node falls back to its local
// counts, logs it, and returns to the shared counts once Redis counts again.
// Invariant: a count waits for a limited time, and Redis is not called for RETRY_MS after a
// failure.
// Invariant: a connection on which a count failed is not used again. It may lead to a Redis that has
// become a replica, and counts that wait on it would be added to a later window.

import { createClient } from '@redis/client';
import type { Count, LocalCounter, WindowCounter, WindowRules } from '../../auth/window-counter.ts';
import { within } from '../../scheduling/abort.ts';
import type { Log } from '../../telemetry/log.ts';
import { countScript } from './redis-counter.ts';

/** Longest time that a request waits for its count. */
const ANSWER_MS = 250;
/** Time without calls after a failure, so that a hanging Redis delays one request and not all. */
const RETRY_MS = 1_000;
const RECONNECT_MS_MAX = 1_000;
/** A connection that is not ready after this time is replaced, such as one to a Redis that is held. */
const CONNECT_MS_MAX = 5_000;
/** How often Redis is probed, so that a node that counts nothing notices its end, too. */
const PROBE_MS = 3_000;
/** The count with which Redis is probed: one that only answers might not count. */
const PROBE = { key: 'cardea:probe', rules: { windowMs: RETRY_MS, start: 'first' } } as const;

type Client = ReturnType<typeof newClient>;

function newClient(url: string) {
  const client = createClient({
    url,
    scripts: { count: countScript },
    // Without a connection a command fails at once.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 2_000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, RECONNECT_MS_MAX),
    },
  });
  // Every failed attempt is reported here; SharedCounts logs the first one.
  client.on('error', () => {});
  return client;
}

/** Ends a client, also one that is connecting, and all that waits for it. */
function discard(client: Client): void {
  client.on('connect', () => client.destroy());
  client.destroy();
}

/** The connection to Redis, and its counters. */
export class SharedCounts {
  readonly #url: string;
  readonly #log: Log;
  readonly #clock: { now(): number };
  readonly #answerMs: number;
  #isUnavailable = false;
  #retryAt = Number.NEGATIVE_INFINITY;
  #client: Client;
  /** When the client was created. */
  #createdAt: number;
  #isClosed = false;
  #probes: NodeJS.Timeout | undefined;

  /**
   * @param url `redis://user:password@host:port/database`, or `rediss:` for TLS; never logged
   * @param answerMs how long a start or a count waits for Redis
   */
  constructor(url: string, log: Log, clock: { now(): number } = performance, answerMs = ANSWER_MS) {
    this.#url = url;
    this.#log = log;
    this.#answerMs = answerMs;
    this.#clock = clock;
    this.#client = newClient(url);
    this.#createdAt = clock.now();
  }

  /**
   * Connects, for a limited time, so that an unavailable Redis does not delay a start, and begins to
   * probe.
   */
  async open(): Promise<void> {
    const connected = this.#client.connect();
    await within(this.#answerMs, connected, this.#late).catch((error: unknown) =>
      this.#failed(error),
    );
    this.#probes = setInterval(() => void this.probe(), PROBE_MS).unref();
  }

  /** True while the shared counts are in use. */
  get connected(): boolean {
    return !this.#isUnavailable;
  }

  /** Checks whether Redis counts again, at most as often as a count would. */
  async probe(): Promise<void> {
    await this.#call((client) => client.count(PROBE.key, PROBE.rules, 1));
  }

  /**
   * Returns a counter shared by all nodes that use the same name.
   * @param local counts as well, for when Redis is unavailable; must follow the same rules
   */
  counter(name: string, rules: WindowRules, local: LocalCounter): WindowCounter {
    const count = async (key: string, add: 0 | 1, localCount: Count): Promise<Count> => {
      const shared = await this.#call((client) =>
        client.count(`cardea:${name}:${key}`, rules, add),
      );
      return shared ?? localCount;
    };
    return {
      add: (key) => count(key, 1, local.add(key)),
      read: (key) => count(key, 0, local.read(key)),
    };
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#probes);
    discard(this.#client);
  }

  readonly #late = () => {
    throw new Error(`No answer within ${this.#answerMs} ms`);
  };

  /** Runs a command; null if Redis did not answer, or with an error. */
  async #call<T>(command: (client: Client) => Promise<T>): Promise<T | null> {
    if (this.#clock.now() < this.#retryAt) return null;
    const client = this.#client;
    try {
      const answer = await within(this.#answerMs, command(client), this.#late);
      if (this.#isUnavailable) this.#log.info({}, 'Redis answers again: nodes count together');
      this.#isUnavailable = false;
      return answer;
    } catch (error) {
      this.#failed(error);
      if (client === this.#client) this.#replaceClient();
      return null;
    }
  }

  /** Connects anew, unless the client is still connecting. */
  #replaceClient(): void {
    const now = this.#clock.now();
    const isConnecting = !this.#client.isReady && now - this.#createdAt < CONNECT_MS_MAX;
    if (isConnecting || this.#isClosed) return;
    discard(this.#client);
    this.#client = newClient(this.#url);
    this.#createdAt = now;
    // Until it is connected, every count fails and reports why.
    this.#client.connect().catch(() => {});
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
