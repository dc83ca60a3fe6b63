// Checks client ids and secrets, and the codes of sign-in links, at the token endpoint (RFC 6749
// section 2.3): a personal access token or an API client.
// Invariant: every wrong id or secret gets the same response after the same time.
import { setTimeout } from 'node:timers/promises';
import type { RequestOrigin } from '../../auth/caller.ts';
import type { Clock } from '../../auth/clock.ts';
import type { Guesses } from '../../auth/guesses.ts';
import { NO_SECRET_HASH, verifySecret } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { AuthUser, OAuthClient, PersonalAccessToken, Store } from '../ports/store.ts';
import { boundsOfClient, boundsOfToken, type CredentialBounds } from './credential-bounds.ts';
import type { SignInCodes } from './sign-in-codes.ts';
import type { SignIn, SignIns } from './sign-ins.ts';

/** Id and secret as sent by HTTP Basic. */
export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

/** A credential as stored. */
export type Credential =
  | { readonly kind: 'pat'; readonly tenantId: string; readonly token: PersonalAccessToken }
  | { readonly kind: 'client'; readonly tenantId: string; readonly client: OAuthClient };

/** A credential that has been authenticated and may be used. */
export type UsableCredential = Credential &
  /** What remains to it and to the credentials that created it. */
  Pick<CredentialBounds, 'scopes' | 'validFrom'> & {
    /**
     * Epoch milliseconds when its tokens are issued: from before its state was read, so that whatever
     * ends tokens later ends them, too.
     */
    readonly issuedMs: number;
  };

/** The result of looking up an id and secret. */
interface Match {
  /** null when the id or secret is wrong. */
  readonly credential: Credential | null;
  /** The credential with that id, whether or not the secret is right. */
  readonly owner: Credential | null;
}

export interface CredentialCheckParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Counts wrong secrets. */
  readonly guesses: Guesses;
  /** Records refused sign-ins; null: none. */
  readonly signIns: SignIns | null;
  /** Codes of sign-in links; null: none. */
  readonly codes: SignInCodes | null;
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
    const { credential, owner } = await this.#match(id, secret);
    // Only failures are counted: a correct secret is accepted whatever failed before.
    if (credential === null) {
      await this.#parts.guesses.failed(origin.address);
      if (owner !== null) this.queueRefusal(owner, 'secret', origin);
      throw badClient();
    }
    return this.#usable(credential, now, origin);
  }

  /** True if sign-in links work. */
  get takesCodes(): boolean {
    return this.#parts.codes?.isOffered === true;
  }

  /**
   * Uses up the code of a sign-in link, as `cardea demo` prints, and checks its credential.
   * @throws ServiceError `oauth_invalid_grant`, `oauth_invalid_client`, `rate_limited`, `unavailable`
   */
  async redeemCode(code: string, origin: RequestOrigin): Promise<UsableCredential> {
    const now = this.#parts.clock.now();
    const id = this.#parts.codes?.redeem(code) ?? null;
    const pat = id === null ? null : await this.#parts.store.read.tokenById(id);
    if (pat !== null) return this.#usable({ kind: 'pat', ...pat }, now, origin);
    await this.#parts.guesses.failed(origin.address);
    throw new ServiceError('oauth_invalid_grant', 'The link was used before or has expired.');
  }

  /**
   * Refuses a credential that has ended or whose owner is disabled. Where tokens were ended in this
   * second, waits for the next one, the first that `iat` can tell from it.
   * @param readMs epoch milliseconds before the credential was read
   */
  async #usable(
    first: Credential,
    readMs: number,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const { clock, guesses, store } = this.#parts;
    let credential = first;
    for (let now = readMs, waits = 0; ; waits++) {
      const { ends, scopes, validFrom } = await boundsOfCredential(store.read, credential);
      if (ends <= now) {
        await guesses.failed(origin.address);
        this.queueRefusal(credential, 'ended', origin);
        throw badClient();
      }
      const aheadMs = validFrom * 1000 - now;
      if (aheadMs <= 0 || aheadMs > MAX_WAIT_MS) {
        return { ...credential, scopes, validFrom, issuedMs: now + Math.max(0, aheadMs) };
      }
      if (waits === MAX_WAITS) {
        throw new ServiceError('unavailable', 'Tokens are being ended. Try again later.');
      }
      await setTimeout(aheadMs);
      now = clock.now();
      credential = await storedAgain(store.read, credential);
    }
  }

  /** Queues a refused sign-in for the audit trail, outside the request. */
  queueRefusal(credential: Credential, reason: SignIn['reason'], origin: RequestOrigin): void {
    this.#parts.signIns?.enqueue(signInOf(credential, null, reason, origin));
  }

  async #match(id: string, secret: string): Promise<Match> {
    if (!CLIENT_ID.test(id) || secret.length > MAX_SECRET_LENGTH) {
      return { credential: null, owner: null };
    }
    const { read } = this.#parts.store;
    const [pat, client] = await Promise.all([read.tokenById(id), read.clientById(id)]);
    const owner: Credential | null =
      pat !== null
        ? { kind: 'pat', ...pat }
        : client !== null
          ? { kind: 'client', ...client }
          : null;
    const hash = pat?.token.secretHash ?? client?.client.secretHash ?? NO_SECRET_HASH;
    return { credential: verifySecret(secret, hash) ? owner : null, owner };
  }
}

/** The sign-in of a credential, for the audit trail. @param reason null: it succeeded */
export function signInOf(
  credential: Credential,
  user: AuthUser | null,
  reason: SignIn['reason'],
  origin: RequestOrigin,
): SignIn {
  const { tenantId, kind } = credential;
  const { id, name } = credential.kind === 'pat' ? credential.token : credential.client;
  return { tenantId, kind, name, clientId: id, user, reason, origin };
}

function boundsOfCredential(
  records: Store['read'],
  credential: Credential,
): Promise<CredentialBounds> {
  const { tenantId } = credential;
  return credential.kind === 'pat'
    ? boundsOfToken(records, tenantId, credential.token, credential.token.ownerId)
    : boundsOfClient(records, tenantId, credential.client);
}

/** The record of a credential as it is now. @throws ServiceError `oauth_invalid_client` for none */
async function storedAgain(records: Store['read'], credential: Credential): Promise<Credential> {
  if (credential.kind === 'pat') {
    const record = await records.tokenById(credential.token.id);
    if (record !== null) return { kind: 'pat', ...record };
  } else {
    const record = await records.clientById(credential.client.id);
    if (record !== null) return { kind: 'client', ...record };
  }
  throw badClient();
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
