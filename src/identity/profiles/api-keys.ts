// API keys: made, listed and deleted at the machine or by an administrator, judged with each request of profile management.
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

/** A key as it is shown: without itself. */
export type ShownApiKey = Omit<ApiKey, 'hash'>;

/** Judges keys, and administers those of a tenant. Who may administer is judged before (auth/access.ts, `admin`). */
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

  /** The keys of the caller's tenant. */
  async list({ tenantId }: Caller): Promise<readonly ShownApiKey[]> {
    return (await this.#store.read.apiKeys(tenantId)).map(shown);
  }

  /**
   * A new key, itself with it this once.
   * @param body `{"name": …}`; unknown members are ignored
   * @throws ServiceError `request_invalid`, `illegal_value`
   */
  async create(caller: Caller, body: unknown): Promise<ShownApiKey & { readonly apiKey: string }> {
    const name = nameIn(body);
    const { key, kept } = await createApiKey(
      this.#store,
      caller.tenantId,
      { name },
      { actor: actorOf(caller) },
    );
    return { ...shown(kept), apiKey: key };
  }

  /** @throws ServiceError `not_found` for another tenant's key as well */
  async remove(caller: Caller, id: string): Promise<void> {
    await deleteApiKey(this.#store, caller.tenantId, id, { actor: actorOf(caller) });
  }
}

function shown({ id, name, created }: ApiKey): ShownApiKey {
  return { id, name, created };
}

function actorOf({ userName, clientId }: Caller): string {
  return userName ?? clientId;
}

function nameIn(body: unknown): string {
  const name = typeof body === 'object' && body !== null && 'name' in body ? body.name : undefined;
  if (typeof name === 'string') return name;
  throw new ServiceError('request_invalid', 'The API key cannot be made.', {
    causes: ['name: a text is needed, in an object'],
  });
}

/** Who does it, for the audit event, and when. */
interface Deed {
  readonly actor?: string;
  readonly clock?: Clock;
}

/** Whoever is at the machine. */
const OPERATOR = 'cardea';

/**
 * Makes a key with full access to the tenant's profile management.
 * @returns the key, which is not kept, and what is
 * @throws ServiceError `illegal_value` for a name that is blank, too long or unprintable
 */
export async function createApiKey(
  store: Store,
  tenantId: string,
  request: { readonly name: string },
  { actor = OPERATOR, clock = systemClock }: Deed = {},
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
    await record(records, tenantId, kept, { actor, operation: 'CREATE', created: kept.created });
  });
  return { key, kept };
}

/** Deletes a key. @throws ServiceError `not_found` */
export async function deleteApiKey(
  store: Store,
  tenantId: string,
  id: string,
  { actor = OPERATOR, clock = systemClock }: Deed = {},
): Promise<ApiKey> {
  return store.write(async (records) => {
    const key = (await records.apiKeys(tenantId)).find((candidate) => candidate.id === id);
    if (key === undefined) throw new ServiceError('not_found', `There is no API key ${id}.`);
    await records.deleteApiKey(tenantId, id);
    const created = new Date(clock.now()).toISOString();
    await record(records, tenantId, key, { actor, operation: 'DELETE', created });
    return key;
  });
}

function record(
  records: WritableRecords,
  tenantId: string,
  key: ApiKey,
  {
    actor,
    operation,
    created,
  }: { readonly actor: string; readonly operation: 'CREATE' | 'DELETE'; readonly created: string },
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    id: randomUUID().replaceAll('-', ''),
    created,
    actor,
    target: key.name,
    type: 'AUTH',
    action: 'Provision',
    operation,
    status: 'PASSED',
    technicalName: `API_KEY_${operation}_PASSED`,
    attributes: { keyId: key.id },
  });
}
