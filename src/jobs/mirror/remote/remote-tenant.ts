// What a mirror reads of a remote tenant, and of its profile management. remote/isc-tenant.ts and
// remote/nerm-tenant.ts ask for it over HTTP.

import type { IndexName } from '../../../query/query.ts';
import type { PageItem } from '../../../service/documents/import-pages.ts';

/** A page of the documents of one index that a query finds, in ascending order of their ids. */
export interface RemotePage {
  readonly index: IndexName;
  readonly query: string;
  /** The last id of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit?: number;
}

export interface RemoteTenant {
  /** Name and pod, as the tenant calls itself; null if it does not say. */
  identity(): Promise<{ readonly name: string | null; readonly pod: string | null }>;
  /** Empty after the last page, and only then. */
  page(page: RemotePage): Promise<readonly PageItem[]>;
  /** As `page`, ids alone. */
  ids(page: RemotePage): Promise<readonly string[]>;
  /** The documents with these ids, those that exist. */
  documents(index: IndexName, ids: readonly string[]): Promise<readonly PageItem[]>;
  /** Those of the ids that exist. */
  existing(index: IndexName, ids: readonly string[]): Promise<ReadonlySet<string>>;
  count(index: IndexName, query: string): Promise<number>;
  /** The youngest value of a date field, and the time, ISO 8601. */
  youngest(
    index: IndexName,
    field: string,
  ): Promise<{ readonly at: string | null; readonly now: string }>;
  /** null if it does not exist. */
  authUser(id: string): Promise<PageItem | null>;
}

/** A record of profile management as the API shows it. */
export type RemoteRecord = Readonly<Record<string, unknown>> & { readonly id: string };

export interface RemoteProfiles {
  /** Profiles in ascending order of their ids. @param since a date: changed since then */
  profiles(page: {
    readonly after: string | null;
    readonly since: string | null;
    readonly idsOnly: boolean;
  }): Promise<readonly PageItem[]>;
  /** null if it does not exist. */
  profile(id: string): Promise<PageItem | null>;
  /** How many records a collection has; null if the service does not say. */
  count(collection: string): Promise<number | null>;
  /** The time by the clock of the service, ISO 8601. */
  now(): Promise<string>;
  /** Records of another collection, such as `profile_types`; empty at its end. */
  records(collection: string, offset: number): Promise<readonly RemoteRecord[]>;
  /** Whether a record of another collection exists. */
  hasRecord(collection: string, id: string): Promise<boolean>;
}
