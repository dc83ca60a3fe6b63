// Reads the bytes of a body within limits of size, memory share, least rate and total time.
// Invariant: however a body ends, its listeners, timers and memory are released.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { GatheredBytes } from '../../json/gathered-bytes.ts';
import { clientGone } from '../requests/client-gone.ts';
import type { BodyMemory, BodyPool } from './body-pool.ts';
import type { LeastRate } from './least-rate.ts';
import type { Party } from './shares.ts';

export interface BodyReaderRules {
  readonly pool: BodyPool;
  readonly leastRate: LeastRate;
  /** Milliseconds in which a body must arrive. */
  readonly timeoutMs: number;
  /** Called for each body that is too slow. */
  onSlow(): void;
}

/** Bodies up to this size give back their memory once read: places limit how many there are. */
const SMALL_BYTES = 16 * 1024;

export class BodyReader {
  readonly #rules: BodyReaderRules;

  constructor(rules: BodyReaderRules) {
    this.#rules = rules;
  }

  /**
   * Reads a body to its end.
   * @param limitBytes its maximum size
   * @param onHeld receives the memory of a large body, which stays held after it has been read
   * @throws ServiceError `body_too_large`, `body_too_slow`, `unavailable`, `cancelled`
   */
  read(
    payload: IncomingMessage,
    party: Party,
    limitBytes: number,
    onHeld: (memory: BodyMemory) => void,
  ): Promise<Buffer> {
    const { pool, leastRate, timeoutMs, onSlow } = this.#rules;
    return new Promise((resolve, reject) => {
      const bytes = new GatheredBytes();
      const memory = pool.open(party);
      let length = 0;
      const end = () => {
        clearTimeout(timer);
        transfer.end();
        payload.off('data', onData).off('end', onEnd).off('close', onClose);
      };
      const fail = (error: unknown) => {
        end();
        memory.free();
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      const onData = (chunk: Buffer) => {
        length += chunk.length;
        transfer.received(chunk.length);
        if (length > limitBytes) {
          fail(tooLarge(limitBytes));
          return;
        }
        try {
          memory.resize(length);
        } catch (error) {
          fail(error);
          return;
        }
        bytes.push(chunk);
      };
      const onEnd = () => {
        end();
        if (length <= SMALL_BYTES) memory.free();
        else onHeld(memory);
        const { buffer, byteOffset } = bytes.take();
        resolve(Buffer.from(buffer, byteOffset, length));
      };
      const onClose = () => fail(clientGone());
      const onTooSlow = () => {
        onSlow();
        fail(tooSlow());
      };
      const transfer = leastRate.watch(onTooSlow);
      const timer = setTimeout(onTooSlow, timeoutMs);
      payload.on('data', onData).once('end', onEnd).once('close', onClose);
    });
  }

  /**
   * Takes the bytes of a small body that arrived with its headers; null if more are to come.
   */
  takeArrived(payload: IncomingMessage, party: Party, limitBytes: number): Buffer | null {
    const { readableLength: length, headers } = payload;
    if (length === 0 || Number(headers['content-length']) !== length) return null;
    if (length > SMALL_BYTES || length > limitBytes) return null;
    if (!this.#rules.pool.hasRoom(party, length)) return null;
    const bytes = payload.read() as Buffer | null;
    payload.resume();
    return bytes;
  }
}

/** @param limitBytes maximum size of the body */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', 'The body is too large.', {
    causes: [`more than ${limitBytes} bytes`],
  });
}

export function tooSlow(): ServiceError {
  return new ServiceError('body_too_slow', 'The body did not arrive in time.');
}
