// A lock that one of all processes with the same database holds: an advisory lock on a connection
// of its own. PostgreSQL releases it when the connection ends, and ends connections that are silent
// for too long, so a node that died, froze or was disconnected holds it no longer than that.
// Invariant: `lost` resolves before another process holds the lock, except for the time it takes to
// notice.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LOCK_SPACE } from './postgres-driver.ts';
import { clientConfig, type PostgresAddress } from './postgres-pool.ts';

/** A lock that is held. */
export interface PostgresHold {
  /** Resolves when it is lost or released. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

/**
 * The feeder of a search index, by the number of its format: nodes of another version feed another
 * one. Or the mirror of a tenant, by the name of the tenant; or the check of all records.
 */
export type LockPurpose =
  | { readonly feederOf: number }
  | { readonly mirrorOf: string }
  | { readonly checkOf: 'records' };

export interface PostgresLockOptions extends PostgresAddress {
  /** Interval of attempts, and of the heartbeat of the holder. */
  readonly beatMs?: number;
  /** A holder that was silent for this long has lost it. */
  readonly silenceMs?: number;
  /** Which lock; that of the feeder of the search if omitted. */
  readonly purpose?: LockPurpose;
}

const BEAT_MS = 1_000;
const SILENCE_MS = 10_000;
/** They differ from the lock of migrations, which is LOCK_SPACE itself. */
const MIRRORING = LOCK_SPACE - 1;
const CHECKING = LOCK_SPACE - 2;
/** Of the first format; the others follow. */
const FEEDING = LOCK_SPACE + 1;

/**
 * The lock of the node that feeds the search (src/backends/elected-indexer.ts) or checks all records
 * (src/jobs/store-checks.ts), or of the process that mirrors a tenant (src/compose/mirror.ts).
 */
export class PostgresLock {
  readonly #options: PostgresLockOptions;
  readonly #beatMs: number;

  constructor(options: PostgresLockOptions) {
    this.#options = options;
    this.#beatMs = options.beatMs ?? BEAT_MS;
  }

  /** Waits for the lock, even while the database is down; null once `signal` aborts. */
  async acquire(signal: AbortSignal): Promise<PostgresHold | null> {
    while (!signal.aborted) {
      const client = await this.#connect();
      try {
        while (client !== null && !signal.aborted) {
          if (await tryLock(client, this.#options.purpose)) return this.#hold(client);
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

  /** Returns null if the database is down. */
  async #connect(): Promise<Client | null> {
    const { silenceMs = SILENCE_MS } = this.#options;
    // A client without an answer for half of that time gives up before the server does.
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
    const heartbeat = (async () => {
      while (!released.signal.aborted) {
        await client.query('select 1').catch(() => released.abort());
        await this.#pause(released.signal);
      }
    })();
    const release = async () => {
      released.abort();
      await heartbeat;
      await client.end().catch(() => {});
    };
    return { lost: heartbeat.then(release), release };
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#beatMs, undefined, { signal }).catch(() => {});
  }
}

async function tryLock(client: Client, purpose: LockPurpose = { feederOf: 0 }): Promise<boolean> {
  const [space, name] =
    'feederOf' in purpose
      ? [FEEDING + purpose.feederOf, '']
      : 'mirrorOf' in purpose
        ? [MIRRORING, purpose.mirrorOf]
        : [CHECKING, purpose.checkOf];
  const { rows } = await client.query<{ had: boolean }>(
    'select pg_try_advisory_lock($1::int, hashtext(current_schema() || $2)) as had',
    [space, name],
  );
  return rows[0]?.had === true;
}
