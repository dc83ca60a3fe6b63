// Slows down guessing at the token endpoint: after so many failures of one client id from one address within a
// window, that pair waits for the window to end. Right answers are never counted.
// Invariant: of guesses made at once no more than `attempts` learn that they were wrong.
import { ServiceError } from '../errors.ts';
import { type Clock, systemClock } from './clock.ts';
import {
  type Count,
  LocalCounter,
  type WindowCounter,
  type WindowRules,
} from './window-counter.ts';

/** How much guessing is borne. */
export interface GuessLimits {
  /** Failures of one pair within a window; the next attempt is refused. */
  readonly attempts: number;
  readonly windowMs: number;
}

export const DEFAULT_GUESS_LIMITS: GuessLimits = { attempts: 20, windowMs: 60_000 };
/** Pairs that a process remembers. */
const PAIRS_MAX = 10_000;

/** Longer ids are cut for the key: no id of ours is as long. */
const KEY_LENGTH = 256;

/** The windows that failures are counted in. */
export function guessRules({ windowMs }: GuessLimits): WindowRules {
  return { windowMs, start: 'first' };
}

/** A counter of this process alone, which holds a bounded number of pairs. */
export function localGuesses(limits: GuessLimits, clock: Clock = systemClock): LocalCounter {
  return new LocalCounter(clock, guessRules(limits), PAIRS_MAX);
}

/** Counts failures by remote address and client id. */
export class Guesses {
  readonly #attempts: number;
  readonly #counter: WindowCounter;

  constructor(counter: WindowCounter, { attempts }: GuessLimits = DEFAULT_GUESS_LIMITS) {
    this.#attempts = attempts;
    this.#counter = counter;
  }

  /** @throws ServiceError `rate_limited` where the pair has failed too often */
  async check(address: string, clientId: string): Promise<void> {
    const counted = this.#counter.read(keyOf(address, clientId));
    const count = counted instanceof Promise ? await counted : counted;
    if (count.count >= this.#attempts) throw tooMany(count);
  }

  /**
   * Notes one failure.
   * @throws ServiceError `rate_limited` where others, made at the same time, have used up what is borne
   */
  async failed(address: string, clientId: string): Promise<void> {
    const counted = this.#counter.add(keyOf(address, clientId));
    const count = counted instanceof Promise ? await counted : counted;
    if (count.count > this.#attempts) throw tooMany(count);
  }
}

function tooMany({ leftMs }: Count): ServiceError {
  return new ServiceError('rate_limited', 'Too many failed attempts with this client id.', {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  });
}

function keyOf(address: string, clientId: string): string {
  return `${address} ${clientId.slice(0, KEY_LENGTH)}`;
}
