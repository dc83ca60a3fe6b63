// API keys: made, listed and deleted at the machine, judged with each request of profile management.
// Invariant: a key is kept as its hash alone and shown once; one that is deleted is refused with the next request.
import { randomUUID } from 'node:crypto';
import { newApiKey } from '../../auth/api-key.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { recordAuditEvent } from '../audit-event.ts';
import type { Store, WritableRecords } from '../store.ts';
import type { ApiKey } from './resource-records.ts';

const NAME_LENGTH_MAX = 255;
/** Control characters and lone surrogates: no store keeps both as they are. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** Judges keys. */
export class ApiKeys {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Who asks with a key.
   * @throws ServiceError `token_invalid`
   */
  async verify(key: string): Promise<Caller> {
    // Keys are 128 random bits: what is compared is a hash of what cannot be guessed.
    const found = await this.#store.read.apiKeyByHash(fingerprint(key));
    if (found === null) throw new ServiceError('token_invalid', 'The API key is unknown.');
    const { id } = found.key;
    return {
      tenantId: found.tenantId,
      identityId: null,
      userName: null,
      clientId: id,
      scopes: [],
      capabilities: [],
      tokenId: id,
      apiKey: true,
    };
  }
}

/**
 * Makes a key with full access to the tenant's profile management, for an operator at the machine.
 * @returns the key, which is not kept, and what is
 * @throws ServiceError `illegal_value` for a name that is blank, too long or unprintable
 */
export async function createApiKey(
  store: Store,
  tenantId: string,
  request: { readonly name: string },
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<{ key: string; kept: ApiKey }> {
  const name = request.name.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX || UNPRINTABLE.test(name)) {
    throw new ServiceError('illegal_value', 'The API key cannot be made.', {
      causes: [`name: 1 to ${NAME_LENGTH_MAX} printable characters are needed`],
    });
  }
  const key = newApiKey();
  const kept: ApiKey = {
    id: randomUUID(),
    name,
    hash: fingerprint(key),
    created: new Date(clock.now()).toISOString(),
  };
  await store.write(async (records) => {
    await records.addApiKey(tenantId, kept);
    await record(records, tenantId, kept, 'CREATE', kept.created);
  });
  return { key, kept };
}

/** Deletes a key. @throws ServiceError `not_found` */
export async function deleteApiKey(
  store: Store,
  tenantId: string,
  id: string,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<ApiKey> {
  return store.write(async (records) => {
    const key = (await records.apiKeys(tenantId)).find((candidate) => candidate.id === id);
    if (key === undefined) throw new ServiceError('not_found', `There is no API key ${id}.`);
    await records.deleteApiKey(tenantId, id);
    await record(records, tenantId, key, 'DELETE', new Date(clock.now()).toISOString());
    return key;
  });
}

function record(
  records: WritableRecords,
  tenantId: string,
  key: ApiKey,
  operation: 'CREATE' | 'DELETE',
  created: string,
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    id: randomUUID().replaceAll('-', ''),
    created,
    actor: 'cardea',
    target: key.name,
    type: 'AUTH',
    action: 'Provision',
    operation,
    status: 'PASSED',
    technicalName: `API_KEY_${operation}_PASSED`,
    attributes: { keyId: key.id },
  });
}
