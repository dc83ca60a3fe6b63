// Caches the mappings of each tenant: the static fields plus the dynamic fields in the store. An
// entry is valid until the store's field version changes, whichever process changed it; the check
// is one small read, noticeable in small searches.
// Invariant: `mappings` has every field committed before the call; `recent` has every field
// committed by this process, and those of others at most FRESH_MS later.
import { ServiceError } from '../../errors.ts';
import { BoundedMap } from '../../query/bounded-map.ts';
import { byIndex, staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { Field } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import type { Mappings } from '../ports/search-backend.ts';
import type { Records, Store } from '../ports/store.ts';

/** Milliseconds; less than any index takes to make a committed document searchable. */
export const FRESH_MS = 10;

interface Entry {
  readonly version: number;
  readonly mappings: Mappings;
  /** The store's write count before the version was read. */
  writes: number;
  /** Epoch milliseconds of that read. */
  read: number;
}

export class MappingCache {
  readonly #store: Store;
  readonly #clock: { now(): number };
  readonly #entries = new BoundedMap<string, Entry>({ kept: 1_000 });

  constructor(store: Store, clock: { now(): number }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The mappings for planning a search. The index was fed with `mappings`, so a field that is
   * missing here has no documents yet. Throws like `mappings`.
   */
  recent(tenantId: string): Mappings | Promise<Mappings> {
    const entry = this.#entries.get(tenantId);
    if (entry?.writes === this.#store.writes) {
      const age = this.#clock.now() - entry.read;
      if (age >= 0 && age < FRESH_MS) return entry.mappings;
    }
    return this.mappings(tenantId);
  }

  /** @throws ServiceError `not_found` for an unknown tenant */
  async mappings(tenantId: string): Promise<Mappings> {
    const checked = { writes: this.#store.writes, read: this.#clock.now() };
    const records = this.#store.read;
    const version = await records.fieldsVersion(tenantId);
    const entry = this.#entries.get(tenantId);
    if (entry?.version === version) {
      Object.assign(entry, checked);
      return entry.mappings;
    }
    const mappings = await loadMappings(records, tenantId);
    this.#entries.add(tenantId, { version, mappings, ...checked });
    return mappings;
  }
}

/**
 * Reads a tenant's mappings; within a transaction, including its own additions.
 * @throws ServiceError `not_found` for an unknown tenant
 */
export async function loadMappings(records: Records, tenantId: string): Promise<Mappings> {
  const tenant = await records.tenantById(tenantId);
  if (tenant === null) throw new ServiceError('not_found', 'There is no such tenant.');
  const fields = new Map<IndexName, Field[]>();
  for (const { index, field } of await records.dynamicFields(tenantId)) {
    const indexFields = fields.get(index);
    if (indexFields === undefined) fields.set(index, [field]);
    else indexFields.push(field);
  }
  return byIndex((index) => withFields(staticMapping(index, tenant), fields.get(index) ?? []));
}
