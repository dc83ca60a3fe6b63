// Slows down guessing at the token endpoint: an address that has sent so many wrong secrets within a window is told to wait
// for the window to end. Secrets are 256 random bits, which nobody guesses, so a right one is taken whatever was sent
// before: no client is locked out by the wrong secrets of others behind the same address. Counting by address alone also
// means that no number of made-up ids makes a count forgotten.
// Invariant: of guesses made at once no more than `attempts` learn that they were wrong.
import { ServiceError } from '../errors.ts';
import { addressKey } from './address-key.ts';
import { type Clock, systemClock } from './clock.ts';
import { LocalCounter, type WindowCounter, type WindowRules } from './window-counter.ts';

/** How much guessing is borne. */
export interface GuessLimits {
  /** Wrong secrets of one address within a window; the next one is refused as one too many. */
  readonly attempts: number;
  readonly windowMs: number;
}

export const DEFAULT_GUESS_LIMITS: GuessLimits = { attempts: 20, windowMs: 60_000 };
/** Addresses that a process remembers. */
const ADDRESSES_MAX = 10_000;

/** The windows that failures are counted in. */
export function guessRules({ windowMs }: GuessLimits): WindowRules {
  return { windowMs, start: 'first' };
}

/** A counter of this process alone, which remembers a bounded number of addresses. */
export function localGuesses(limits: GuessLimits, clock: Clock = systemClock): LocalCounter {
  return new LocalCounter(clock, guessRules(limits), ADDRESSES_MAX);
}

/** Counts wrong secrets by the address they came from. */
export class Guesses {
  readonly #attempts: number;
  readonly #counter: WindowCounter;

  constructor(counter: WindowCounter, { attempts }: GuessLimits = DEFAULT_GUESS_LIMITS) {
    this.#attempts = attempts;
    this.#counter = counter;
  }

  /**
   * Notes a wrong secret.
   * @throws ServiceError `rate_limited` where the address has sent too many
   */
  async failed(address: string): Promise<void> {
    const counted = this.#counter.add(addressKey(address));
    const { count, leftMs } = counted instanceof Promise ? await counted : counted;
    if (count <= this.#attempts) return;
    throw new ServiceError('rate_limited', 'Too many failed attempts from this address.', {
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }
}
