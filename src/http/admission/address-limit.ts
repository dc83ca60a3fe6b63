// The rate limit of requests without a valid token, key or client secret, counted by address
// because no client is known. Requests with a valid credential are neither counted nor refused
// here.
// Invariant: in each window, exactly as many failures as the limit allows keep their own error; the
// rest get 429.
import { addressKey } from '../../auth/address-key.ts';
import { ServiceError } from '../../errors.ts';
import type { RateLimit } from './rate-limit.ts';

/** Counts authentication failures by address. */
export class AddressLimit {
  readonly #limit: RateLimit;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /**
   * Counts a request to a public route, separately from authentication failures.
   * @throws ServiceError `rate_limited`
   */
  async admit(address: string): Promise<void> {
    await this.#limit.admit(`open ${addressKey(address)}`);
  }

  /**
   * Counts an authentication failure; other errors are not counted.
   * @param address of the connection
   * @returns the fault to answer with: `error`, or `rate_limited` if the address is over the limit
   */
  async judge(error: unknown, address: string): Promise<Error> {
    const fault = error instanceof Error ? error : new Error(String(error));
    if (!isAuthenticationFailure(fault)) return fault;
    try {
      await this.#limit.admit(addressKey(address));
      return fault;
    } catch (refusal) {
      return refusal as Error;
    }
  }
}

/** True for the errors of a missing or invalid token, key or secret. */
function isAuthenticationFailure(fault: Error): boolean {
  if (!(fault instanceof ServiceError)) return false;
  const { code } = fault;
  return code === 'token_missing' || code === 'token_invalid' || code.startsWith('oauth_');
}
