// Streams the body of an import: NDJSON, one JSON array or CSV, plain or gzip. Its length is unlimited,
// but it must arrive at the least rate and within a total time.
// Invariant: the memory held for an import is that of its unfinished line, inflated, and of the
// lines that wait for their transaction. Both are counted for its party.
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { jsonSource, type SourceLine } from '../../json/json-source.ts';
import type { ReadLines } from '../../service/imports/csv/csv-import.ts';
import { clientGone } from '../requests/client-gone.ts';
import type { BodyPool } from './body-pool.ts';
import { tooSlow } from './body-reader.ts';
import { drain } from './drain.ts';
import type { LeastRate, Transfer } from './least-rate.ts';
import type { Party, Shares } from './shares.ts';

export interface ImportBodyRules {
  readonly pool: BodyPool;
  /** Bytes of the lines that wait for their transaction. */
  readonly waitingLines: Shares;
  readonly leastRate: LeastRate;
  /** Milliseconds that an import may take in total. */
  readonly importTimeoutMs: number;
  onSlow(): void;
}

/** Milliseconds for which the unneeded rest of a body is read. */
const DRAIN_MS = 30_000;
/** The same after a body that was too slow: its sender has this long to read the response. */
export const SLOW_DRAIN_MS = 1_000;

/**
 * Yields the lines of a body.
 * @param read splits the bytes
 * @throws ServiceError `body_malformed` if the gzip data is invalid, `body_too_slow`, `unavailable`
 *   if an unfinished line is larger than its party's share of the memory for bodies, `cancelled`
 */
export async function* importLines(
  body: IncomingMessage,
  encoding: 'gzip' | 'identity',
  party: Party,
  rules: ImportBodyRules,
  read: ReadLines = jsonSource,
): AsyncGenerator<SourceLine> {
  const memory = rules.pool.open(party);
  const source = new ImportSource(body, rules);
  try {
    yield* read(encoding === 'gzip' ? unzipped(source) : source.chunks(), {
      onBuffered: (bytes) => memory.resize(bytes),
    });
  } catch (error) {
    throw source.fault ?? error;
  } finally {
    source.end();
    memory.free();
    // An import may end before its body; draining keeps the connection usable for the response.
    drain(body, source.fault === null ? DRAIN_MS : SLOW_DRAIN_MS);
  }
}

/**
 * Returns a function that counts the lines of an import which wait for their transaction. Called
 * with their bytes, it returns false if their party has no room for them; the count then stays.
 */
export function waitingLinesOf(
  party: Party,
  { waitingLines }: Pick<ImportBodyRules, 'waitingLines'>,
): (bytes: number) => boolean {
  let held = 0;
  return (bytes) => {
    if (bytes > held && waitingLines.take(party, bytes - held) !== null) return false;
    if (bytes < held) waitingLines.give(party, held - bytes);
    held = bytes;
    return true;
  };
}

/** Reads a body and watches its rate. The body flows only while a consumer waits for a chunk. */
class ImportSource {
  /** Why reading failed; null: it has not. */
  fault: ServiceError | null = null;
  readonly #body: IncomingMessage;
  readonly #transfer: Transfer;
  readonly #timer: NodeJS.Timeout;
  readonly #arrived: Buffer[] = [];
  #isEnded: boolean;
  /** Resumes the waiting consumer. */
  #wake: () => void = () => {};

  constructor(body: IncomingMessage, { leastRate, importTimeoutMs, onSlow }: ImportBodyRules) {
    this.#body = body;
    this.#isEnded = body.readableEnded;
    const onTooSlow = () => {
      onSlow();
      this.#fail(tooSlow());
    };
    this.#transfer = leastRate.watch(onTooSlow);
    this.#timer = setTimeout(onTooSlow, importTimeoutMs);
    body.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose).pause();
  }

  /** @throws ServiceError `body_too_slow`, `cancelled` */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#arrived.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.fault !== null) throw this.fault;
      else if (this.#isEnded) return;
      else await this.#waitForChunk();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#transfer.end();
    this.#body.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#isEnded = true;
    this.#wake();
  }

  async #waitForChunk(): Promise<void> {
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
    this.#isEnded = true;
    this.#wake();
  };

  readonly #onClose = () => {
    if (!this.#isEnded) this.#fail(clientGone());
  };

  #fail(fault: ServiceError): void {
    this.fault ??= fault;
    this.#wake();
  }
}

async function* unzipped(source: ImportSource): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feeding = feed(source, gunzip);
  // Errors reach the consumer through the stream, which `feed` destroys.
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

/** Resolves when the stream accepts more, or is closed. */
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
