// One generation of the indexes in OpenSearch: an index for each tenant and document type, created
// for its first document and extended for new fields. Usually there is one generation; a second one
// is fed beside it to replace it (rebuild-beside.ts).
// Invariant: only indexes with our mark, our prefix and this generation are modified.
import { INDEX_NAMES } from '../../../query/mapping/document-types.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import { forAll, type PerIndex, valueFor } from '../../../query/mapping/per-index.ts';
import type { IndexName } from '../../../query/query.ts';
import { type OpenSearchClient, OpenSearchFault } from '../requests/client.ts';
import { FORMAT, indexMappings, replicaSettings, SETTINGS } from '../requests/index-template.ts';
import { checkMapping } from './changed-mapping.ts';
import { chunksOf, deleteIndexes } from './index-names.ts';
import type { OpenIndexes } from './open-indexes.ts';
import type { Mark, MarkedIndex, RemoteIndex } from './remote-indexes.ts';

const ADMIN_MS = 30_000;

/** How the indexes are laid out over the nodes of the cluster. */
export interface Layout {
  readonly shards: PerIndex<number>;
  /** `auto`: one, if there is a second node. */
  readonly replicas: PerIndex<number | 'auto'>;
}

export const DEFAULT_LAYOUT: Layout = { shards: forAll(1), replicas: forAll('auto') };

export interface IndexSetOptions {
  readonly prefix: string;
  readonly layout: Layout;
}

/** Which of the indexes of the service are in the set. */
export interface Generation {
  readonly generation: string;
  /** All indexes of the service. */
  readonly existing: readonly MarkedIndex[];
  /**
   * Whether its indexes get the aliases of their tenants and types, unless indexes of another
   * generation have them.
   */
  readonly named: boolean;
}

/** Alias of an index: lower case, and only what OpenSearch allows in a name. */
function aliasOf(prefix: string, tenantId: string, index: IndexName): string {
  return `${prefix}-${tenantPart(tenantId)}-${index}`;
}

function tenantPart(tenantId: string): string {
  return tenantId.replace(/[^a-z0-9-]/gu, (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`);
}

/**
 * The alias that documents are written through. With `require_alias` OpenSearch does not create an
 * index that was deleted meanwhile.
 */
export function writeAlias(name: string): string {
  return `${name}-write`;
}

export class IndexSet {
  readonly generation: string;
  readonly #client: OpenSearchClient;
  readonly #options: IndexSetOptions;
  readonly #layout: Layout;
  readonly #open: OpenIndexes;
  /** Aliases of tenants and types that indexes of other generations have; null: all. */
  readonly #taken: ReadonlySet<string> | null;
  readonly #indexes: Map<string, RemoteIndex>;
  /** The mappings put by this process, by alias. */
  readonly #mappings = new Map<string, Mapping>();
  #changes = 0;

  constructor(
    client: OpenSearchClient,
    options: IndexSetOptions,
    open: OpenIndexes,
    { generation, existing, named }: Generation,
  ) {
    this.#client = client;
    this.#options = options;
    this.#open = open;
    const isOwn = ({ mark }: MarkedIndex) =>
      mark.generation === generation && mark.format === FORMAT;
    const others = existing.filter((index) => !isOwn(index));
    this.#taken = named ? new Set(others.map(({ alias }) => alias)) : null;
    this.#layout = byTenantPart(options.layout);
    this.generation = generation;
    this.#indexes = new Map(existing.filter(isOwn).map((index) => [index.alias, index]));
  }

  /** Grows with every index that this process has created in the set. */
  get changes(): number {
    return this.#changes;
  }

  get(tenantId: string, index: IndexName): RemoteIndex | undefined {
    return this.#indexes.get(aliasOf(this.#options.prefix, tenantId, index));
  }

  all(): readonly RemoteIndex[] {
    return [...this.#indexes.values()];
  }

  /** Whether an index has another number of shards than the settings say. */
  isLaidOutOtherwise(): boolean {
    return this.all().some(({ alias, shards }) => shards !== this.#valueOf('shards', alias));
  }

  /**
   * Creates the index if it does not exist, opens it if it is closed, and adds the fields that it
   * lacks.
   * @throws ChangedMapping if it refuses them because another program has changed its mapping
   */
  async ensure(tenantId: string, mapping: Mapping): Promise<RemoteIndex> {
    const alias = aliasOf(this.#options.prefix, tenantId, mapping.index);
    const existing = this.#indexes.get(alias);
    if (existing === undefined) return this.#create(alias, mapping);
    await this.#open.ensureOpen(this, existing, null);
    const put = this.#mappings.get(alias);
    if (put !== mapping) await this.#addFields(existing.name, mapping, put);
    this.#mappings.set(alias, mapping);
    return existing;
  }

  /** @throws ChangedMapping if another program has changed the mapping of an index */
  async checkMapping(name: string, mapping: Mapping): Promise<void> {
    await checkMapping(this.#client, name, indexMappings(mapping));
  }

  /** Deletes all indexes of the generation. */
  async clear(): Promise<void> {
    const names = this.all().map(({ name }) => name);
    await deleteIndexes(this.#client, names);
    this.#open.forget(names);
    this.#indexes.clear();
    this.#mappings.clear();
  }

  /** The batch of changes is written: its indexes may be closed. */
  endBatch(): void {
    this.#open.endBatch(this);
  }

  /** Makes the writes to these indexes searchable. */
  async refresh(names: readonly string[]): Promise<void> {
    for (const some of chunksOf(names)) {
      await this.#client.send(
        { method: 'POST', path: `/${some}/_refresh` },
        { timeoutMs: ADMIN_MS },
      );
    }
  }

  /**
   * Applies the number of replicas to existing indexes.
   * @returns the number of indexes changed
   */
  async applySettings(): Promise<number> {
    const namesOf = new Map<number | 'auto', string[]>();
    for (const { alias, name, replicas } of this.all()) {
      const next = this.#valueOf('replicas', alias);
      if (next !== replicas) namesOf.set(next, [...(namesOf.get(next) ?? []), name]);
    }
    let changed = 0;
    for (const [replicas, names] of namesOf) {
      for (const some of chunksOf(names)) {
        await this.#client.send(
          {
            method: 'PUT',
            path: `/${some}/_settings`,
            query: { expand_wildcards: 'open,closed' },
            body: { index: replicaSettings(replicas) },
          },
          { timeoutMs: ADMIN_MS },
        );
      }
      changed += names.length;
    }
    return changed;
  }

  /**
   * Points the aliases of the tenants at this generation, in one step: for people, and programs
   * that read the indexes themselves.
   */
  async takeAliases(former: readonly RemoteIndex[]): Promise<void> {
    const removals = former.map(({ alias, name }) => ({ remove: { index: name, alias } }));
    const additions = this.all().map(({ alias, name }) => ({ add: { index: name, alias } }));
    const send = async (actions: readonly object[]) => {
      if (actions.length === 0) return;
      await this.#client.send(
        { method: 'POST', path: '/_aliases', body: { actions } },
        { timeoutMs: ADMIN_MS },
      );
    };
    try {
      await send([...removals, ...additions]);
    } catch (error) {
      // An earlier attempt, of a process that was killed, has removed them.
      if (!(error instanceof OpenSearchFault && error.status === 404)) throw error;
      await send(additions);
    }
  }

  #valueOf<Name extends keyof Layout>(name: Name, alias: string): Layout[Name]['all'] {
    const index = INDEX_NAMES.find((one) => alias.endsWith(`-${one}`)) ?? 'identities';
    const tenant = alias.slice(this.#options.prefix.length + 1, -index.length - 1);
    return valueFor<Layout[Name]['all']>(this.#layout[name], tenant, index);
  }

  async #create(alias: string, mapping: Mapping): Promise<RemoteIndex> {
    const { prefix } = this.#options;
    const name = `${alias}-${this.generation}`;
    const mark: Mark = { prefix, alias, format: FORMAT, generation: this.generation };
    const shards = this.#valueOf('shards', alias);
    const replicas = this.#valueOf('replicas', alias);
    const isNamed = this.#taken !== null && !this.#taken.has(alias);
    const settings = { ...SETTINGS, number_of_shards: shards, ...replicaSettings(replicas) };
    const body = {
      settings: { index: settings },
      mappings: { ...indexMappings(mapping), _meta: { cardea: mark } },
      aliases: { [writeAlias(name)]: {}, ...(isNamed ? { [alias]: {} } : {}) },
    };
    const path = `/${encodeURIComponent(name)}`;
    const create = () => this.#client.send({ method: 'PUT', path, body }, { timeoutMs: ADMIN_MS });
    await this.#open.ensureOpen(this, { name, shards, replicas }, async () => {
      try {
        await create();
      } catch (error) {
        if (!isAliasTaken(error)) throw error;
        // Deletions that were sent after the index was lost have created one named like the alias.
        await deleteIndexes(this.#client, [writeAlias(name)]);
        await create();
      }
    });
    const answer = await this.#client.send<
      Record<string, { readonly settings?: { readonly index?: { readonly uuid?: string } } }>
    >({ method: 'GET', path: `${path}/_settings/index.uuid` }, { timeoutMs: ADMIN_MS });
    const uuid = answer[name]?.settings?.index?.uuid ?? '';
    const created = { alias, name, uuid, shards, replicas, open: true };
    this.#changes += 1;
    this.#indexes.set(alias, created);
    this.#mappings.set(alias, mapping);
    return created;
  }

  /** Adds the fields that are new or of another type, or all if the fields of the index are unknown. */
  async #addFields(name: string, mapping: Mapping, put: Mapping | undefined): Promise<void> {
    const fresh = [...mapping.fields].filter(
      ([path, { type }]) => put?.fields.get(path)?.type !== type,
    );
    if (fresh.length === 0) return;
    const { properties } = indexMappings({ ...mapping, fields: new Map(fresh) });
    try {
      await this.#client.send(
        { method: 'PUT', path: `/${encodeURIComponent(name)}/_mapping`, body: { properties } },
        { timeoutMs: ADMIN_MS },
      );
    } catch (error) {
      const isRefused = error instanceof OpenSearchFault && error.status === 400;
      if (isRefused) await this.checkMapping(name, mapping);
      throw error;
    }
  }
}

/** Whether an index has the name of an alias of the index to create. */
function isAliasTaken(error: unknown): boolean {
  return error instanceof OpenSearchFault && error.type === 'invalid_alias_name_exception';
}

/** The layout with tenants as they are written in aliases. */
function byTenantPart({ shards, replicas }: Layout): Layout {
  return { shards: rename(shards), replicas: rename(replicas) };
}

function rename<Value>({ all, exceptions }: PerIndex<Value>): PerIndex<Value> {
  const renamed = [...exceptions].map(([name, value]): [string, Value] => {
    const [tenant = '', type] = name.split('/');
    return [type === undefined ? name : `${tenantPart(tenant)}/${type}`, value];
  });
  return { all, exceptions: new Map(renamed) };
}
