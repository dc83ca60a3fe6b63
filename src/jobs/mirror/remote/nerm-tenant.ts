// The profile management of a remote tenant. Collections come as bare arrays or as objects, and an
// empty one as an error that says so, depending on the service.

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
    return records.map((record) => ({ id: record.id, text: Buffer.from(JSON.stringify(record)) }));
  }

  async profile(id: string): Promise<PageItem | null> {
    const path = `/api/profiles/${encodeURIComponent(id)}`;
    return this.#client.call({ method: 'GET', path, accepts: [404] }, ({ status, body }) => {
      if (status === 404) return null;
      const profile = (jsonOf(body) as { profile?: unknown }).profile;
      const record = recordOf(profile);
      return { id: record.id, text: Buffer.from(JSON.stringify(record)) };
    });
  }

  countProfiles(): Promise<number | null> {
    const query = new URLSearchParams({ after_id: '', limit: '1', metadata: 'true' });
    return this.#client.call(listRequest('profiles', query), ({ body }) => {
      const metadata = (jsonOf(body) as { _metadata?: { total?: unknown } })._metadata;
      return typeof metadata?.total === 'number' ? metadata.total : null;
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
  if (Array.isArray(list)) return list.map(recordOf);
  const { error } = value as { error?: unknown };
  if (typeof error === 'string' && /^no .*found/i.test(error)) return [];
  throw new BadAnswer(`no ${collection}`);
}

function recordOf(value: unknown): RemoteRecord {
  const record = value as RemoteRecord | null;
  if (typeof record?.id === 'string' && record.id !== '') return record;
  throw new BadAnswer('a record without id');
}
