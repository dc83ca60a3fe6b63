// The part of the store's port that keeps the records of resources.ts, alike for all kinds.
// Invariant: every method takes the tenant; another tenant's record is no record.
import type { Page, PageQuery } from '../profiles/resources/collection.ts';
import type {
  ReferableKind,
  ResourceKind,
  ResourceTypes,
} from '../profiles/resources/resources.ts';

export interface ReadableResources {
  /** One record by id, or by uid where no id is like that. */
  resource<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    idOrUid: string,
  ): Promise<ResourceTypes[K] | null>;
  /** The id of what has that id or uid. */
  resourceId(tenantId: string, kind: ReferableKind, idOrUid: string): Promise<string | null>;
  resourcePage<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    query: PageQuery,
  ): Promise<Page<ResourceTypes[K]>>;
  /** How many profiles are of that type, archived ones too. */
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
   * Deletes a record with the links and options that hang on it, and takes it out of the values of profiles and of
   * whatever else points to it. Whether there was one.
   */
  deleteResource(tenantId: string, kind: ResourceKind, id: string): Promise<boolean>;
}
