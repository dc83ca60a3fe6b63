// Checks client ids and secrets, and the codes of sign-in links, at the token endpoint (RFC 6749
// section 2.3): a personal access token or an API client.
// Invariant: every wrong id or secret gets the same response after the same time.
import { setTimeout } from 'node:timers/promises';
import type { RequestOrigin } from '../../auth/caller.ts';
import type { Clock } from '../../auth/clock.ts';
import type { Guesses } from '../../auth/guesses.ts';
import { NO_SECRET_HASH, verifySecret } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type {
  AuthUser,
  OAuthClient,
  PersonalAccessToken,
  Store,
  TenantCredential,
} from '../ports/store.ts';
import { boundsOf, type CredentialBounds } from './credential-bounds.ts';
import type { SignInCodeSource } from './sign-in-codes.ts';
import type { SignIn, SignIns } from './sign-ins.ts';

/** Id and secret as sent by HTTP Basic. */
export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

/** A credential with which programs and people sign in. */
export type SignInCredential = TenantCredential<PersonalAccessToken | OAuthClient>;

/** A credential that has been authenticated and may be used. */
export interface UsableCredential
  /** What remains to it and to the credentials that created it. */
  extends Pick<CredentialBounds, 'scopes' | 'validFrom'> {
  readonly credential: SignInCredential;
  /**
   * Epoch milliseconds when its tokens are issued: from before its state was read, so that whatever
   * ends tokens later ends them, too.
   */
  readonly issuedMs: number;
}

export interface CredentialCheckParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Counts wrong secrets. */
  readonly guesses: Guesses;
  /** Records refused sign-ins; null: none. */
  readonly signIns: SignIns | null;
  /** Codes of sign-in links; null: none. */
  readonly codes: SignInCodeSource | null;
}

const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;
const MAX_SECRET_LENGTH = 1024;
/** The longest wait for the next second. A token that is accepted even later is issued ahead of time. */
const MAX_WAIT_MS = 1_000;
/** Waits for a next second in a row, each because tokens were ended again. */
const MAX_WAITS = 5;

export class CredentialCheck {
  readonly #parts: CredentialCheckParts;

  constructor(parts: CredentialCheckParts) {
    this.#parts = parts;
  }

  /**
   * Checks the id and secret of a request.
   * @param parameters `client_id` and `client_secret`; they take precedence over `basic`
   * @throws ServiceError `oauth_invalid_request`, `oauth_invalid_client`, `rate_limited`,
   * `unavailable`
   */
  async authenticate(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const id = required('client_id', parameters['client_id'] || basic?.id);
    const secret = required('client_secret', parameters['client_secret'] || basic?.secret);
    const now = this.#parts.clock.now();
    const isWellFormed = CLIENT_ID.test(id) && secret.length <= MAX_SECRET_LENGTH;
    const credential = isWellFormed ? await signInCredential(this.#parts.store.read, id) : null;
    const hash = credential?.secretHash ?? NO_SECRET_HASH;
    const isRight = isWellFormed && verifySecret(secret, hash);
    // Only failures are counted: a correct secret is accepted whatever failed before.
    if (credential === null || !isRight) {
      await this.#parts.guesses.failed(origin.address);
      if (credential !== null) this.queueRefusal(credential, 'secret', origin);
      throw badClient();
    }
    return this.#usable(credential, now, origin);
  }

  /** True if sign-in links work. */
  async takesCodes(): Promise<boolean> {
    return (await this.#parts.codes?.isOffered()) === true;
  }

  /**
   * Uses up the code of a sign-in link, as `cardea demo` prints, and checks its credential.
   * @throws ServiceError `oauth_invalid_grant`, `oauth_invalid_client`, `rate_limited`, `unavailable`
   */
  async redeemCode(code: string, origin: RequestOrigin): Promise<UsableCredential> {
    const now = this.#parts.clock.now();
    const id = (await this.#parts.codes?.redeem(code)) ?? null;
    const pat = id === null ? null : await signInCredential(this.#parts.store.read, id);
    if (pat !== null) return this.#usable(pat, now, origin);
    await this.#parts.guesses.failed(origin.address);
    throw new ServiceError('oauth_invalid_grant', 'The link was used before or has expired.');
  }

  /**
   * Refuses a credential that has ended or whose owner is disabled. Where tokens were ended in this
   * second, waits for the next one, the first that `iat` can tell from it.
   * @param readMs epoch milliseconds before the credential was read
   */
  async #usable(
    first: SignInCredential,
    readMs: number,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const { clock, guesses, store } = this.#parts;
    let credential = first;
    for (let now = readMs, waits = 0; ; waits++) {
      const { ends, scopes, validFrom } = await boundsOf(store.read, credential);
      if (ends <= now) {
        await guesses.failed(origin.address);
        this.queueRefusal(credential, 'ended', origin);
        throw badClient();
      }
      const aheadMs = validFrom * 1000 - now;
      if (aheadMs <= 0 || aheadMs > MAX_WAIT_MS) {
        return { credential, scopes, validFrom, issuedMs: now + Math.max(0, aheadMs) };
      }
      if (waits === MAX_WAITS) {
        throw new ServiceError('unavailable', 'Tokens are being ended. Try again later.');
      }
      await setTimeout(aheadMs);
      now = clock.now();
      const again = await signInCredential(store.read, credential.id);
      if (again === null) throw badClient();
      credential = again;
    }
  }

  /** Queues a refused sign-in for the audit trail, outside the request. */
  queueRefusal(
    credential: SignInCredential,
    reason: SignIn['reason'],
    origin: RequestOrigin,
  ): void {
    this.#parts.signIns?.enqueue(signInOf(credential, null, reason, origin));
  }
}

/** The credential with an id. An API key has none to sign in with. */
async function signInCredential(
  records: Store['read'],
  id: string,
): Promise<SignInCredential | null> {
  const credential = await records.credentialById(id);
  return credential === null || credential.kind === 'key' ? null : credential;
}

/** The sign-in of a credential, for the audit trail. @param reason null: it succeeded */
export function signInOf(
  { tenantId, kind, id, name }: SignInCredential,
  user: AuthUser | null,
  reason: SignIn['reason'],
  origin: RequestOrigin,
): SignIn {
  return { tenantId, kind, name, clientId: id, user, reason, origin };
}

/** @throws ServiceError `oauth_invalid_request` when the parameter is missing or empty */
export function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    throw new ServiceError('oauth_invalid_request', `The parameter ${name} is missing.`);
  }
  return value;
}

/** The one answer to every wrong or ended credential. */
export function badClient(): ServiceError {
  return new ServiceError(
    'oauth_invalid_client',
    'The client id or secret is wrong, or the credential has expired or is disabled.',
  );
}
