// Collects the bytes of a body within its bounds: its size, its share of the memory for bodies, the least rate at which
// it must arrive, and a time in all.
// Invariant: whatever ends a body, its listeners, timers and memory go with it.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { GatheredBytes } from '../../identity/documents/gathered-bytes.ts';
import { clientGone } from '../requests/client-gone.ts';
import type { BodyMemory, BodyPool } from './body-pool.ts';
import type { LeastRate } from './least-rate.ts';
import type { Party } from './shares.ts';

export interface BodyReaderRules {
  readonly pool: BodyPool;
  readonly leastRate: LeastRate;
  /** Milliseconds in which a body must have arrived. */
  readonly timeoutMs: number;
  /** Told of each body that is too slow. */
  onSlow(): void;
}

/** Bodies up to this size give their memory back once they are read: places bound how many of them there are. */
const SMALL_BYTES = 16 * 1024;

export class BodyReader {
  readonly #rules: BodyReaderRules;

  constructor(rules: BodyReaderRules) {
    this.#rules = rules;
  }

  /**
   * Reads a body to its end.
   * @param limitBytes its greatest size
   * @param onHeld given the memory of a body that stays held when it has been read
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
      const tooLate = () => {
        onSlow();
        fail(tooSlow());
      };
      const transfer = leastRate.watch(tooLate);
      const timer = setTimeout(tooLate, timeoutMs);
      payload.on('data', onData).once('end', onEnd).once('close', onClose);
    });
  }

  /** The bytes of a body that has arrived with its headers, as small ones do; null where some are still to come. */
  arrived(payload: IncomingMessage, party: Party, limitBytes: number): Buffer | null {
    const { readableLength: length, headers } = payload;
    if (length === 0 || Number(headers['content-length']) !== length) return null;
    if (length > SMALL_BYTES || length > limitBytes) return null;
    if (!this.#rules.pool.hasRoom(party, length)) return null;
    const bytes = payload.read() as Buffer | null;
    payload.resume();
    return bytes;
  }
}

/** @param limitBytes what the body may hold */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', 'The body is too large.', {
    causes: [`more than ${limitBytes} bytes`],
  });
}

export function tooSlow(): ServiceError {
  return new ServiceError('body_too_slow', 'The body did not arrive in time.');
}
