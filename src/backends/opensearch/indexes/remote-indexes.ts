// Lists the indexes of this service in OpenSearch: all with our prefix and our mark, open or
// closed, of all generations and formats.
// Invariant: mappings, which may be megabytes for a thousand tenants, are read once per index.
import type { OpenSearchClient } from '../requests/client.ts';

const ADMIN_MS = 30_000;
/** More than this many marks are read by one request for all indexes. */
const MARKS_AT_ONCE = 20;

/** What identifies an index as ours; in the `_meta` of its mapping. */
export interface Mark {
  readonly prefix: string;
  readonly alias: string;
  readonly format: number;
  /** The set of indexes it belongs to. */
  readonly generation: string;
}

/** One index as it is in OpenSearch. */
export interface RemoteIndex {
  readonly alias: string;
  /** The name behind the alias. */
  readonly name: string;
  /** OpenSearch's id of the index; an index created later under the same name has another one. */
  readonly uuid: string;
  readonly shards: number;
  /** `auto`: one, if there is a second node. */
  readonly replicas: number | 'auto';
  readonly open: boolean;
}

export interface MarkedIndex extends RemoteIndex {
  readonly mark: Mark;
}

type Settings = Readonly<Record<string, string>>;
type SettingsAnswer = Record<string, { readonly settings?: Settings }>;
type MappingAnswer = Record<
  string,
  { readonly mappings?: { readonly _meta?: { readonly cardea?: Mark } } }
>;

const SETTINGS = [
  'index.uuid',
  'index.number_of_shards',
  'index.number_of_replicas',
  'index.auto_expand_replicas',
  'index.verified_before_close', // only closed indexes have it
];

export class RemoteIndexes {
  readonly #client: OpenSearchClient;
  readonly #prefix: string;
  /** By uuid; null: not ours. */
  readonly #marks = new Map<string, Mark | null>();

  constructor(client: OpenSearchClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async list(): Promise<MarkedIndex[]> {
    const answer = await this.#client.send<SettingsAnswer>(
      {
        method: 'GET',
        path: `/${this.#pattern}/_settings/${SETTINGS.join(',')}`,
        query: { flat_settings: 'true', expand_wildcards: 'open,closed' },
      },
      { timeoutMs: ADMIN_MS },
    );
    const all = Object.entries(answer).map(([name, { settings = {} }]) => ({ name, settings }));
    await this.#readMarks(all.filter(({ settings }) => !this.#marks.has(uuidOf(settings))));
    const uuids = new Set(all.map(({ settings }) => uuidOf(settings)));
    for (const uuid of this.#marks.keys()) if (!uuids.has(uuid)) this.#marks.delete(uuid);
    return all.flatMap(({ name, settings }) => {
      const mark = this.#marks.get(uuidOf(settings)) ?? null;
      return mark === null ? [] : [{ ...indexOf(name, mark.alias, settings), mark }];
    });
  }

  get #pattern(): string {
    return `${encodeURIComponent(this.#prefix)}-*`;
  }

  async #readMarks(
    indexes: readonly { readonly name: string; readonly settings: Settings }[],
  ): Promise<void> {
    if (indexes.length === 0) return;
    const names = indexes.map(({ name }) => encodeURIComponent(name)).join(',');
    const path = indexes.length > MARKS_AT_ONCE ? this.#pattern : names;
    const answer = await this.#client.send<MappingAnswer>(
      {
        method: 'GET',
        path: `/${path}/_mapping`,
        query: {
          filter_path: '*.mappings._meta',
          expand_wildcards: 'open,closed',
          ignore_unavailable: 'true', // deleted since
        },
      },
      { timeoutMs: ADMIN_MS },
    );
    for (const { name, settings } of indexes) {
      const mark = answer[name]?.mappings?._meta?.cardea;
      const isOurs = mark?.prefix === this.#prefix;
      this.#marks.set(uuidOf(settings), isOurs ? mark : null);
    }
  }
}

function uuidOf(settings: Settings): string {
  return settings['index.uuid'] ?? '';
}

function indexOf(name: string, alias: string, settings: Settings): RemoteIndex {
  const expands = (settings['index.auto_expand_replicas'] ?? 'false') !== 'false';
  return {
    alias,
    name,
    uuid: uuidOf(settings),
    shards: Number(settings['index.number_of_shards'] ?? 1),
    replicas: expands ? 'auto' : Number(settings['index.number_of_replicas'] ?? 0),
    open: settings['index.verified_before_close'] === undefined,
  };
}
