// A lock that one process of all that share a database holds: an advisory lock of a connection kept
// for nothing else. PostgreSQL lets go of it when that connection ends, and it ends connections
// that are silent for too long, so a node that died, froze or was cut off holds it no longer than
// that.
// Invariant: `lost` settles before another process can have the lock for longer than it takes to
// notice.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { clientConfig, LOCK_SPACE, type PostgresAddress } from './postgres-driver.ts';

/** The lock, had. */
export interface PostgresHold {
  /** Settles when it is lost, or released. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

export interface PostgresLockOptions extends PostgresAddress {
  /** How often it is tried, and how often the holder says that it lives. */
  readonly beatMs?: number;
  /** A holder that was silent for so long has lost it. */
  readonly silenceMs?: number;
}

const BEAT_MS = 1_000;
const SILENCE_MS = 10_000;
/** Beside that of migrations, which is LOCK_SPACE itself. */
const FEEDING = LOCK_SPACE + 1;

/** The lock of whoever feeds the search; src/backends/elected-indexer.ts is what it is for. */
export class PostgresLock {
  readonly #options: PostgresLockOptions;
  readonly #beatMs: number;

  constructor(options: PostgresLockOptions) {
    this.#options = options;
    this.#beatMs = options.beatMs ?? BEAT_MS;
  }

  /** Waits for it, also while the database is away; null once `signal` ends the wait. */
  async acquire(signal: AbortSignal): Promise<PostgresHold | null> {
    while (!signal.aborted) {
      const client = await this.#connect();
      try {
        while (client !== null && !signal.aborted) {
          if (await tryLock(client)) return this.#hold(client);
          await this.#pause(signal);
        }
      } catch {
        // The connection broke: the next one tries again.
      }
      await client?.end().catch(() => {});
      await this.#pause(signal);
    }
    return null;
  }

  /** null where the database is away. */
  async #connect(): Promise<Client | null> {
    const { silenceMs = SILENCE_MS } = this.#options;
    // Who hears nothing for half of that time gives it up before the server does.
    const client = new Client({ ...clientConfig(this.#options), query_timeout: silenceMs / 2 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${Math.trunc(silenceMs)}`);
      return client;
    } catch {
      await client.end().catch(() => {});
      return null;
    }
  }

  #hold(client: Client): PostgresHold {
    const released = new AbortController();
    client.once('end', () => released.abort());
    client.once('error', () => released.abort());
    const beating = (async () => {
      while (!released.signal.aborted) {
        await client.query('select 1').catch(() => released.abort());
        await this.#pause(released.signal);
      }
    })();
    const release = async () => {
      released.abort();
      await beating;
      await client.end().catch(() => {});
    };
    return { lost: beating.then(release), release };
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#beatMs, undefined, { signal }).catch(() => {});
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ had: boolean }>(
    'select pg_try_advisory_lock($1::int, hashtext(current_schema())) as had',
    [FEEDING],
  );
  return rows[0]?.had === true;
}
