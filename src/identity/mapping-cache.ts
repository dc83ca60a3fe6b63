// The mappings of each tenant: what is static plus the dynamic fields the store has recorded. Kept until the
// store says that a field was added, by whichever process; the check is one small read.
// Invariant: a mapping handed out knows every field that was committed before it was asked for.
import { ServiceError } from '../errors.ts';
import { INDEX_NAMES, staticMapping, withFields } from '../query/document-types.ts';
import type { Field, Mapping } from '../query/mapping.ts';
import type { IndexName } from '../query/plan.ts';
import type { Records } from './store.ts';

/** One mapping for each index of a tenant. */
export type Mappings = Readonly<Record<IndexName, Mapping>>;

export class MappingCache {
  readonly #records: Records;
  readonly #entries = new Map<string, { version: number; mappings: Mappings }>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** @throws ServiceError `not_found` for an unknown tenant */
  async mappings(tenantId: string): Promise<Mappings> {
    const version = await this.#records.fieldsVersion(tenantId);
    const entry = this.#entries.get(tenantId);
    if (entry?.version === version) return entry.mappings;
    const mappings = await loadMappings(this.#records, tenantId);
    this.#entries.set(tenantId, { version, mappings });
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
