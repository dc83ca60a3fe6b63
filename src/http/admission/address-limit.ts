// The rate limit of requests that show no valid token, key or client secret: nothing names their client, so they are
// counted by the address they come from. Requests with a valid one are neither counted here nor refused.
// Invariant: exactly as many refusals as the limit allows are answered as what they are, the others as 429.
import { addressKey } from '../../auth/address-key.ts';
import { ServiceError } from '../../errors.ts';
import type { RateLimit } from './rate-limit.ts';

/** Addresses that a process remembers; the one whose window began first is forgotten first. */
export const ADDRESSES_MAX = 10_000;

/** Counts refusals by address. */
export class AddressLimit {
  readonly #limit: RateLimit;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /**
   * Counts a request to what is open to anybody, apart from those that failed to show who they are from.
   * @throws ServiceError `rate_limited`
   */
  async admit(address: string): Promise<void> {
    await this.#limit.admit(`open ${addressKey(address)}`);
  }

  /**
   * Counts a request that failed to show who it is from; other errors are not counted.
   * @param address of the connection
   * @returns the fault to answer with: the given one, or `rate_limited` where the address is over the limit
   */
  async judge(error: unknown, address: string): Promise<Error> {
    const fault = error instanceof Error ? error : new Error(String(error));
    if (!isUnidentified(fault)) return fault;
    try {
      await this.#limit.admit(addressKey(address));
      return fault;
    } catch (refusal) {
      return refusal as Error;
    }
  }
}

/** Whether a request failed for want of a valid token, key or secret. */
function isUnidentified(fault: Error): boolean {
  if (!(fault instanceof ServiceError)) return false;
  const { code } = fault;
  return code === 'token_missing' || code === 'token_invalid' || code.startsWith('oauth_');
}
