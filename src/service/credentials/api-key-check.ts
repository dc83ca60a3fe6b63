// Checks the keys of profile management, which are sent with each request.
// Invariant: a key that was deleted, has expired, whose parent has ended or (under the policy `strict`)
// whose owner is disabled or deleted is rejected from the next request on, and may do no more than its
// owner may do then.
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { TokenPolicy } from '../../auth/confinement.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { ApiKey, Store, TenantCredential } from '../ports/store.ts';
import { viewsInForce } from '../views/views-in-force.ts';
import { boundsOf } from './credential-bounds.ts';
import { isFirstUseToday, noteUse } from './credential-use.ts';

/** Settings; all have defaults. */
export interface ApiKeyCheckOptions {
  readonly clock?: Clock;
  /** Default `strict`. */
  readonly policy?: TokenPolicy;
}

export class ApiKeyCheck {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #policy: TokenPolicy;
  /** Ids of keys whose last use is being written. */
  readonly #noting = new Set<string>();

  constructor(store: Store, { clock = systemClock, policy = 'strict' }: ApiKeyCheckOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#policy = policy;
  }

  /**
   * Returns the caller that a key authenticates.
   * @throws ServiceError `token_invalid`
   */
  async verify(text: string): Promise<Caller> {
    const { read } = this.#store;
    // Keys have 128 random bits, so a plain hash is safe to look up.
    const key = await read.apiKeyByHash(fingerprint(text));
    if (key === null) throw new ServiceError('token_invalid', 'The API key is unknown.');
    const { id, tenantId } = key;
    // Under `vendor` keys belong to the tenant.
    const ownerId = this.#policy === 'vendor' ? null : key.ownerId;
    const [tenant, { ends, scopes, views, owners }] = await Promise.all([
      read.tenantById(tenantId),
      boundsOf(read, key, ownerId),
    ]);
    if (tenant === null || ends <= this.#clock.now()) {
      throw new ServiceError(
        'token_invalid',
        'The API key has expired or was revoked, or its owner is disabled or deleted.',
      );
    }
    await this.#noteUse(key);
    return {
      tenantId,
      views: await viewsInForce(read, tenantId, views),
      current: () => this.verify(text),
      identityId: null,
      userName: null,
      clientId: id,
      scopes,
      capabilities: [],
      ownerCapabilities: owners,
      personalTokenId: null,
      credentialEnds: ends,
      tokenId: id,
      apiKey: true,
    };
  }

  /** A store that cannot write does not reject the key. */
  async #noteUse(key: TenantCredential<ApiKey>): Promise<void> {
    const now = this.#clock.now();
    if (!isFirstUseToday(key, now) || this.#noting.has(key.id)) return;
    this.#noting.add(key.id);
    try {
      await this.#store.write((records) => noteUse(records, key, now));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
    } finally {
      this.#noting.delete(key.id);
    }
  }
}
