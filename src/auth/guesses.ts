// Limits guessing of secrets at the token endpoint: after too many wrong secrets within a window,
// an address must wait until the window ends. A correct secret is always accepted, so clients are
// not locked out by others behind the same address; with 256 random bits nothing more is needed.
// Counts are kept by address only, so made-up client ids cannot evict them.
// Invariant: of concurrent guesses no more than `attempts` learn that they were wrong.
import { ServiceError } from '../errors.ts';
import { addressKey } from './address-key.ts';
import { type Clock, systemClock } from './clock.ts';
import {
  LocalCounter,
  type WindowCounter,
  type WindowCounts,
  type WindowRules,
} from './window-counter.ts';

/** Limits on wrong secrets. */
export interface GuessLimits {
  /** Wrong secrets allowed per address and window. */
  readonly attempts: number;
  readonly windowMs: number;
}

export const DEFAULT_GUESS_LIMITS: GuessLimits = { attempts: 20, windowMs: 60_000 };

/** The window rules for counting failures. */
export function guessRules({ windowMs }: GuessLimits): WindowRules {
  return { windowMs, start: 'first' };
}

/**
 * A counter of this process for a limited number of addresses.
 * @param counts of all threads; left out: this thread counts alone
 */
export function localGuesses(
  limits: GuessLimits,
  clock: Clock = systemClock,
  counts?: WindowCounts,
): LocalCounter {
  return new LocalCounter(clock, guessRules(limits), counts);
}

/** Counts wrong secrets by client address. */
export class Guesses {
  readonly #attempts: number;
  readonly #counter: WindowCounter;

  constructor(counter: WindowCounter, { attempts }: GuessLimits = DEFAULT_GUESS_LIMITS) {
    this.#attempts = attempts;
    this.#counter = counter;
  }

  /**
   * Records a wrong secret.
   * @throws ServiceError `rate_limited` when the address has sent too many
   */
  async failed(address: string): Promise<void> {
    const result = this.#counter.add(addressKey(address));
    const { count, leftMs } = result instanceof Promise ? await result : result;
    if (count <= this.#attempts) return;
    throw new ServiceError('rate_limited', 'Too many failed attempts from this address.', {
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }
}
