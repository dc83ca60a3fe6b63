// The indexes of this service in OpenSearch: one for each tenant and document type, behind an
// alias, created for its first document and extended for new fields.
// Invariant: only indexes with our mark and our prefix are modified.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { OpenSearchClient } from './client.ts';
import { FORMAT, indexMappings, SETTINGS } from './index-template.ts';

const ADMIN_MS = 30_000;
/** Index names in one request: limits the length of the path. */
const NAMES_PER_REQUEST = 20;

/** One index as it is in OpenSearch. */
export interface RemoteIndex {
  readonly alias: string;
  /** The name behind the alias. */
  readonly name: string;
  /** OpenSearch's id of the index; an index created later under the same name has another one. */
  readonly uuid: string;
}

interface Mark {
  readonly prefix: string;
  readonly alias: string;
  readonly format: number;
}

interface IndexAnswer {
  readonly mappings?: { readonly _meta?: { readonly cardea?: Mark } };
  readonly settings?: { readonly index?: { readonly uuid?: string } };
}

/** Alias of an index: lower case, and only what OpenSearch allows in a name. */
export function aliasOf(prefix: string, tenantId: string, index: IndexName): string {
  const tenant = tenantId.replace(
    /[^a-z0-9-]/gu,
    (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`,
  );
  return `${prefix}-${tenant}-${index}`;
}

export class IndexSet {
  readonly #client: OpenSearchClient;
  readonly #prefix: string;
  #indexes = new Map<string, RemoteIndex>();
  /** When this process last created an index, by performance.now(). */
  #lastCreatedAt = Number.NEGATIVE_INFINITY;
  /** The mappings put by this process, by alias. */
  readonly #mappings = new Map<string, Mapping>();

  constructor(client: OpenSearchClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Loads the list of the indexes of the current format. */
  async load(): Promise<void> {
    const answer = await this.#list();
    this.#indexes = new Map(
      answer
        .filter(({ mark }) => mark.format === FORMAT)
        .map(({ name, uuid, mark }) => [mark.alias, { alias: mark.alias, name, uuid }]),
    );
    this.#mappings.clear();
  }

  get lastCreatedAt(): number {
    return this.#lastCreatedAt;
  }

  get(tenantId: string, index: IndexName): RemoteIndex | undefined {
    return this.#indexes.get(aliasOf(this.#prefix, tenantId, index));
  }

  all(): readonly RemoteIndex[] {
    return [...this.#indexes.values()];
  }

  /** Creates the index if it does not exist, and adds the fields that it lacks. */
  async ensure(tenantId: string, mapping: Mapping): Promise<RemoteIndex> {
    const alias = aliasOf(this.#prefix, tenantId, mapping.index);
    const existing = this.#indexes.get(alias);
    if (existing === undefined) return this.#create(alias, mapping);
    const put = this.#mappings.get(alias);
    if (put !== mapping && put?.fields.size !== mapping.fields.size) {
      await this.#addFields(existing.name, mapping, put);
    }
    this.#mappings.set(alias, mapping);
    return existing;
  }

  /** Deletes all our indexes, including those of other formats. */
  async clear(): Promise<void> {
    const names = (await this.#list()).map(({ name }) => name);
    for (let at = 0; at < names.length; at += NAMES_PER_REQUEST) {
      const some = names.slice(at, at + NAMES_PER_REQUEST).map(encodeURIComponent);
      await this.#client.send(
        { method: 'DELETE', path: `/${some.join(',')}`, query: { ignore_unavailable: 'true' } },
        { timeoutMs: ADMIN_MS },
      );
    }
    this.#indexes.clear();
    this.#mappings.clear();
  }

  /** Makes the writes to these indexes searchable. */
  async refresh(aliases: readonly string[]): Promise<void> {
    for (let at = 0; at < aliases.length; at += NAMES_PER_REQUEST) {
      const some = aliases.slice(at, at + NAMES_PER_REQUEST).map(encodeURIComponent);
      await this.#client.send(
        { method: 'POST', path: `/${some.join(',')}/_refresh` },
        { timeoutMs: ADMIN_MS },
      );
    }
  }

  async #create(alias: string, mapping: Mapping): Promise<RemoteIndex> {
    const name = `${alias}-v${FORMAT}`;
    const mark: Mark = { prefix: this.#prefix, alias, format: FORMAT };
    await this.#client.send(
      {
        method: 'PUT',
        path: `/${encodeURIComponent(name)}`,
        body: {
          settings: { index: SETTINGS },
          mappings: { ...indexMappings(mapping), _meta: { cardea: mark } },
          aliases: { [alias]: {} },
        },
      },
      { timeoutMs: ADMIN_MS },
    );
    const answer = await this.#client.send<Record<string, IndexAnswer>>(
      { method: 'GET', path: `/${encodeURIComponent(name)}/_settings/index.uuid` },
      { timeoutMs: ADMIN_MS },
    );
    const created = { alias, name, uuid: answer[name]?.settings?.index?.uuid ?? '' };
    this.#lastCreatedAt = performance.now();
    this.#indexes.set(alias, created);
    this.#mappings.set(alias, mapping);
    return created;
  }

  /** Adds the new fields, or all of them if the fields of the index are unknown. */
  async #addFields(name: string, mapping: Mapping, put: Mapping | undefined): Promise<void> {
    const fresh = [...mapping.fields].filter(([path]) => put?.fields.has(path) !== true);
    const { properties } = indexMappings({ ...mapping, fields: new Map(fresh) });
    await this.#client.send(
      { method: 'PUT', path: `/${encodeURIComponent(name)}/_mapping`, body: { properties } },
      { timeoutMs: ADMIN_MS },
    );
  }

  async #list(): Promise<{ name: string; uuid: string; mark: Mark }[]> {
    const answer = await this.#client.send<Record<string, IndexAnswer>>(
      {
        method: 'GET',
        path: `/${encodeURIComponent(this.#prefix)}-*`,
        query: { filter_path: '*.mappings._meta,*.settings.index.uuid' },
      },
      { timeoutMs: ADMIN_MS },
    );
    return Object.entries(answer).flatMap(([name, { mappings, settings }]) => {
      const mark = mappings?._meta?.cardea;
      if (mark?.prefix !== this.#prefix) return [];
      return [{ name, uuid: settings?.index?.uuid ?? '', mark }];
    });
  }
}
