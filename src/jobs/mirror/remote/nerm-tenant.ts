// The profile management of a remote tenant. Collections come as bare arrays or as objects, and an
// empty one as an error that says so, depending on the service.

import { ID_CHARACTERS_MAX, PAGE_ITEMS_MAX } from '../../../remote/remote-limits.ts';
import {
  answeredAt,
  BadAnswer,
  jsonOf,
  type ServiceAnswer,
  type ServiceClient,
} from '../../../remote/service-client.ts';
import type { PageItem } from '../../../service/documents/import-pages.ts';
import type { RemoteProfiles, RemoteRecord } from './remote-tenant.ts';

const PAGE = 100;
const TOO_MANY = `more than ${PAGE_ITEMS_MAX} records on a page`;

export class NermTenant implements RemoteProfiles {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  async profiles(page: Parameters<RemoteProfiles['profiles']>[0]): Promise<readonly PageItem[]> {
    const { after, since, idsOnly } = page;
    const query = new URLSearchParams({
      after_id: after ?? '',
      limit: String(PAGE),
      metadata: 'true',
      ...(since === null ? {} : { updated_after: since }),
      ...(idsOnly ? { exclude_attributes: 'true' } : {}),
    });
    const records = await this.#list('profiles', query);
    return records.map(itemOf);
  }

  async profile(id: string): Promise<PageItem | null> {
    const path = `/api/profiles/${encodeURIComponent(id)}`;
    return this.#client.call({ method: 'GET', path, accepts: [404] }, ({ status, body }) => {
      if (status === 404) return null;
      const profile = (jsonOf(body) as { profile?: unknown }).profile;
      const record = recordOf(profile);
      if (record.id !== id) throw new BadAnswer('another profile than the one asked for');
      return itemOf(record);
    });
  }

  count(collection: string): Promise<number | null> {
    const place = collection === 'profiles' ? { after_id: '' } : { offset: '0' };
    const query = new URLSearchParams({ ...place, limit: '1', metadata: 'true' });
    return this.#client.call(listRequest(collection, query), ({ body }) => {
      const metadata = (jsonOf(body) as { _metadata?: { total?: unknown } | null })._metadata;
      const total = metadata?.total;
      return Number.isSafeInteger(total) && Number(total) >= 0 ? Number(total) : null;
    });
  }

  now(): Promise<string> {
    const query = new URLSearchParams({ after_id: '', limit: '1', exclude_attributes: 'true' });
    return this.#client.call(listRequest('profiles', query), answeredAt);
  }

  records(collection: string, offset: number): Promise<readonly RemoteRecord[]> {
    const paging = { limit: String(PAGE), offset: String(offset), order: 'id', metadata: 'true' };
    return this.#list(collection, new URLSearchParams(paging));
  }

  async hasRecord(collection: string, id: string): Promise<boolean> {
    const path = `/api/${collection}/${encodeURIComponent(id)}`;
    return this.#client.call(
      { method: 'GET', path, accepts: [404] },
      ({ status }) => status !== 404,
    );
  }

  #list(collection: string, query: URLSearchParams): Promise<readonly RemoteRecord[]> {
    return this.#client.call(listRequest(collection, query), (answer) =>
      recordsOf(collection, answer),
    );
  }
}

function listRequest(collection: string, query: URLSearchParams) {
  // Some services answer 400 with `no profiles found` for an empty collection.
  return { method: 'GET', path: `/api/${collection}?${query}`, accepts: [400] } as const;
}

function recordsOf(collection: string, { body }: ServiceAnswer): readonly RemoteRecord[] {
  const value = jsonOf(body);
  const list = Array.isArray(value) ? value : (value as Record<string, unknown>)[collection];
  if (Array.isArray(list)) {
    if (list.length > PAGE_ITEMS_MAX) throw new BadAnswer(TOO_MANY);
    return list.map(recordOf);
  }
  const { error } = value as { error?: unknown };
  if (typeof error === 'string' && /^no .*found/i.test(error)) return [];
  throw new BadAnswer(`no ${collection}`);
}

function recordOf(value: unknown): RemoteRecord {
  const record = value as RemoteRecord | null;
  if (typeof record?.id !== 'string' || record.id === '') {
    throw new BadAnswer('a record without id');
  }
  if (record.id.length > ID_CHARACTERS_MAX) throw new BadAnswer('an id that is too long');
  return record;
}

/** The text of a profile, in which a member `profile` would be read as the whole profile. */
function itemOf({ profile: _, ...record }: RemoteRecord): PageItem {
  return { id: String(record.id), text: Buffer.from(JSON.stringify(record)) };
}
