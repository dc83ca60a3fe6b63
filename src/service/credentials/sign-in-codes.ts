// One-time codes for a credential, so that a link signs a person in without holding a secret:
// `cardea demo` prints one. A code is exchanged at the token endpoint (an extension grant, RFC 6749
// section 4.5).
// Invariant: a code works once, for a limited time, and is kept in memory alone, as a hash.
import { createHash, randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { RandomBytes } from '../../auth/secrets.ts';

/** The grant type of a request with a code. */
export const SIGN_IN_CODE_GRANT = 'urn:cardea:grant:sign-in-code';

const LIFETIME_MS = 12 * 3_600_000;
const CODE_BYTES = 32;

interface Stored {
  readonly credentialId: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** Where the codes are: in this thread or in another one. */
export interface SignInCodeSource {
  /** Whether this service has created any code: otherwise the grant does not exist. */
  isOffered(): boolean | Promise<boolean>;
  /** The credential of a code, which is used up by this; null if it was used or has expired. */
  redeem(code: string): string | null | Promise<string | null>;
}

export class SignInCodes implements SignInCodeSource {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #codes = new Map<string, Stored>();
  #isOffered = false;

  constructor({
    clock = systemClock,
    random = randomBytes,
  }: { clock?: Clock; random?: RandomBytes } = {}) {
    this.#clock = clock;
    this.#random = random;
  }

  isOffered(): boolean {
    return this.#isOffered;
  }

  /** Creates a code for a personal access token. */
  create(credentialId: string): string {
    const code = Buffer.from(this.#random(CODE_BYTES)).toString('base64url');
    this.#codes.set(hashOf(code), { credentialId, expires: this.#clock.now() + LIFETIME_MS });
    this.#isOffered = true;
    return code;
  }

  redeem(code: string): string | null {
    const hash = hashOf(code);
    const stored = this.#codes.get(hash);
    this.#codes.delete(hash);
    return stored === undefined || stored.expires <= this.#clock.now() ? null : stored.credentialId;
  }
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
