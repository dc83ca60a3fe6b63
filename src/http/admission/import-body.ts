// The body of an import, which is worked on while it arrives: NDJSON or one JSON array, gzip or not. Its length has no
// bound, so memory is held for what has arrived, is inflated and has not come to the end of a line yet; and it must
// arrive at the least rate and within a time in all.
// Invariant: what is held for an import is what its unfinished line holds.
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { jsonSource } from '../../identity/json/json-source.ts';
import { clientGone } from '../requests/client-gone.ts';
import type { ImportLine } from '../services.ts';
import type { BodyPool } from './body-pool.ts';
import { tooSlow } from './body-reader.ts';
import { drain } from './drain.ts';
import type { LeastRate, Transfer } from './least-rate.ts';
import type { Party } from './shares.ts';

export interface ImportRules {
  readonly pool: BodyPool;
  readonly leastRate: LeastRate;
  /** Milliseconds that an import may take in all. */
  readonly importTimeoutMs: number;
  onSlow(): void;
}

/** Milliseconds in which the rest of a body that nobody needs must have come. */
const DRAIN_MS = 30_000;
/** The same behind a body that was too slow: so long its sender has to read the answer. */
export const SLOW_DRAIN_MS = 1_000;

/**
 * The JSON texts of a body.
 * @throws ServiceError `body_malformed` where it is not gzip though it says so, `body_too_slow`, `unavailable` where an
 *   unfinished line is larger than its party's share of the memory for bodies, `cancelled`
 */
export async function* importLines(
  body: IncomingMessage,
  isGzip: boolean,
  party: Party,
  rules: ImportRules,
): AsyncGenerator<ImportLine> {
  const memory = rules.pool.open(party);
  const source = new ImportSource(body, rules);
  try {
    yield* jsonSource(isGzip ? unzipped(source) : source.chunks(), {
      onBuffered: (bytes) => memory.resize(bytes),
    });
  } catch (error) {
    throw source.fault ?? error;
  } finally {
    source.end();
    memory.free();
    // An import may end before its body does; the connection is then still good for the answer and what follows.
    drain(body, source.fault === null ? DRAIN_MS : SLOW_DRAIN_MS);
  }
}

/** The bytes of a body, watched. The body is read only while somebody waits for it. */
class ImportSource {
  /** Why the body was given up; null: it was not. */
  fault: ServiceError | null = null;
  readonly #body: IncomingMessage;
  readonly #transfer: Transfer;
  readonly #timer: NodeJS.Timeout;
  readonly #arrived: Buffer[] = [];
  #isOver: boolean;
  /** Called when something has changed for who waits. */
  #wake: () => void = () => {};

  constructor(body: IncomingMessage, { leastRate, importTimeoutMs, onSlow }: ImportRules) {
    this.#body = body;
    this.#isOver = body.readableEnded;
    const tooLate = () => {
      onSlow();
      this.#giveUp(tooSlow());
    };
    this.#transfer = leastRate.watch(tooLate);
    this.#timer = setTimeout(tooLate, importTimeoutMs);
    body.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose).pause();
  }

  /** @throws ServiceError `body_too_slow`, `cancelled` */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#arrived.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.fault !== null) throw this.fault;
      else if (this.#isOver) return;
      else await this.#more();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#transfer.end();
    this.#body.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#isOver = true;
    this.#wake();
  }

  async #more(): Promise<void> {
    this.#transfer.resume();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#body.resume();
    });
    this.#transfer.pause();
  }

  readonly #onData = (chunk: Buffer) => {
    this.#body.pause();
    this.#transfer.received(chunk.length);
    this.#arrived.push(chunk);
    this.#wake();
  };

  readonly #onEnd = () => {
    this.#isOver = true;
    this.#wake();
  };

  readonly #onClose = () => {
    if (!this.#isOver) this.#giveUp(clientGone());
  };

  #giveUp(fault: ServiceError): void {
    this.fault ??= fault;
    this.#wake();
  }
}

async function* unzipped(source: ImportSource): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feeding = feed(source, gunzip);
  // Told through the stream, which it destroys.
  feeding.catch(() => {});
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('body_malformed', 'The request could not be parsed.', {
      causes: ['the body is not gzip, or is cut off'],
    });
  } finally {
    gunzip.destroy();
  }
}

async function feed(source: ImportSource, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  try {
    for await (const chunk of source.chunks()) {
      if (gunzip.destroyed) return;
      if (!gunzip.write(chunk)) await drained(gunzip);
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Resolves when the stream takes more, or is closed. */
function drained(stream: ReturnType<typeof createGunzip>): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) {
      resolve();
      return;
    }
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.once('drain', done).once('close', done);
  });
}
