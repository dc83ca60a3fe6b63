// The mappings of each tenant: what is static plus the dynamic fields the store has recorded. Kept until the
// store says that a field was added, by whichever process; the check is one small read, which small searches notice.
// Invariant: `mappings` knows every field that was committed before it was asked for; `recent` every one that this process
// committed, and those of others FRESH_MS later.
import { ServiceError } from '../../errors.ts';
import { INDEX_NAMES, staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { Field, Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName } from '../../query/query.ts';
import { writesOf } from '../ports/observed-store.ts';
import type { Records, Store } from '../ports/store.ts';

/** One mapping for each index of a tenant. */
export type Mappings = Readonly<Record<IndexName, Mapping>>;

/** Milliseconds: less than any index takes to show a document after its commit. */
export const FRESH_MS = 10;

interface Entry {
  readonly version: number;
  readonly mappings: Mappings;
  /** The store's count of writes before the version was read. */
  writes: number;
  /** Epoch milliseconds of that. */
  read: number;
}

export class MappingCache {
  readonly #store: Store;
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry>();

  constructor(store: Store, clock: { now(): number }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * For who reads a question. What he finds was built with `mappings`, so a field that he does not hear of has no documents yet.
   * Throws as `mappings`.
   */
  recent(tenantId: string): Mappings | Promise<Mappings> {
    const entry = this.#entries.get(tenantId);
    if (entry?.writes === writesOf(this.#store)) {
      const age = this.#clock.now() - entry.read;
      if (age >= 0 && age < FRESH_MS) return entry.mappings;
    }
    return this.mappings(tenantId);
  }

  /** @throws ServiceError `not_found` for an unknown tenant */
  async mappings(tenantId: string): Promise<Mappings> {
    const checked = { writes: writesOf(this.#store), read: this.#clock.now() };
    const records = this.#store.read;
    const version = await records.fieldsVersion(tenantId);
    const entry = this.#entries.get(tenantId);
    if (entry?.version === version) {
      Object.assign(entry, checked);
      return entry.mappings;
    }
    const mappings = await loadMappings(records, tenantId);
    this.#entries.set(tenantId, { version, mappings, ...checked });
    return mappings;
  }
}

/**
 * Reads a tenant's mappings; inside a transaction, with what that has added.
 * @throws ServiceError `not_found` for an unknown tenant
 */
export async function loadMappings(records: Records, tenantId: string): Promise<Mappings> {
  const tenant = await records.tenantById(tenantId);
  if (tenant === null) throw new ServiceError('not_found', 'There is no such tenant.');
  const fields = new Map<IndexName, Field[]>();
  for (const { index, field } of await records.dynamicFields(tenantId)) {
    const known = fields.get(index);
    if (known === undefined) fields.set(index, [field]);
    else known.push(field);
  }
  const entries = INDEX_NAMES.map((index) => [
    index,
    withFields(staticMapping(index, tenant), fields.get(index) ?? []),
  ]);
  return Object.fromEntries(entries) as Mappings;
}
