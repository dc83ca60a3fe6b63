// A sign-in with the OpenID provider that is under way: what the page has to remember while the
// browser is at the provider. Kept in the sessionStorage of the tab, and removed as soon as the
// browser is back, whatever the outcome.
// Invariant: an answer is only ever compared with a sign-in that this tab began, and only once.

/** A sign-in that this tab began. */
export interface ProviderFlow {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
  /** The fragment to return to. */
  readonly hash: string;
}

/** The members of a Storage that are used. */
export interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const KEY = 'cardea.openid';

/** @param storage the sessionStorage */
export function keepFlow(flow: ProviderFlow, storage: Kept): void {
  storage.setItem(KEY, JSON.stringify(flow));
}

/**
 * Returns the sign-in under way and removes it; null: this tab began none.
 * @param storage the sessionStorage
 */
export function takeFlow(storage: Kept): ProviderFlow | null {
  const text = storage.getItem(KEY);
  storage.removeItem(KEY);
  return text === null ? null : (JSON.parse(text) as ProviderFlow);
}

/** True if the query of an address is the answer to an authorization request (RFC 6749). */
export function isProviderAnswer(query: string): boolean {
  const parameters = new URLSearchParams(query);
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'));
}
