// The part of the store's port for the records of resources.ts, the same for all kinds.
// Invariant: every method takes the tenant; records of another tenant are not found.
import type { Page, PageQuery } from './collection.ts';
import type { ReferableKind, ResourceKind, ResourceTypes } from './resources.ts';

export interface ReadableResources {
  /** One record by id, otherwise by uid. */
  resource<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    idOrUid: string,
  ): Promise<ResourceTypes[K] | null>;
  /** The id of the record with that id or uid. */
  resourceId(tenantId: string, kind: ReferableKind, idOrUid: string): Promise<string | null>;
  resourcePage<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    query: PageQuery,
  ): Promise<Page<ResourceTypes[K]>>;
  /** Number of profiles of that type, including archived ones. */
  countProfilesOfType(tenantId: string, profileTypeId: string): Promise<number>;
}

export interface WritableResources extends ReadableResources {
  addResource<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    record: ResourceTypes[K],
  ): Promise<void>;
  updateResource<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    record: ResourceTypes[K],
  ): Promise<void>;
  /**
   * Deletes a record with its links and options, and removes all references to it, including those
   * in values of profiles. Returns whether it existed.
   */
  deleteResource(tenantId: string, kind: ResourceKind, id: string): Promise<boolean>;
}
