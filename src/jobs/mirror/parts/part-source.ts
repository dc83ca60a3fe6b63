// What the copy and the sweep of a part need: its remote side, walked by ids, and its local side.
// Documents of an index and profiles differ only in these.
import type { ImportPages, PageItem } from '../../../service/documents/import-pages.ts';
import type { WritableRecords } from '../../../service/ports/store.ts';

/** The remote tenant at the beginning of a walk. */
export interface RemoteMoment {
  /** ISO 8601: the clock of the remote tenant. */
  readonly now: string;
  /** ISO 8601: the youngest change; null if there is none or it cannot be told. */
  readonly newest: string | null;
}

export interface PartSource {
  /** Name of the part. */
  readonly name: string;
  moment(): Promise<RemoteMoment>;
  /** A page in ascending order of ids; empty at the end. @param since what changed since then */
  page(after: string | null, since: string | null): Promise<readonly PageItem[]>;
  ids(after: string | null): Promise<readonly string[]>;
  /** Those of the ids that exist, whole. */
  fetch(ids: readonly string[]): Promise<readonly PageItem[]>;
  /** Those of the ids that exist. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many there are, or changed since then; null if it cannot be told. */
  count(since: string | null): Promise<number | null>;
}

/** Stores pages of documents. */
export type PartPages = Pick<ImportPages<unknown>, 'put'>;

export interface PartTarget {
  /** Whether documents refer to others of the part, and are refused before those are here. */
  readonly refersToItself: boolean;
  pages(): Promise<PartPages>;
  /** Documents of the mirror that do not exist there any more, as one of the items has their key. */
  replacedBy(items: readonly PageItem[]): Promise<readonly string[]>;
  /** Those of the ids that exist here. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** False if documents that are missing here are missing on purpose. */
  restoresMissing(): Promise<boolean>;
  /** @returns whether it existed */
  remove(records: WritableRecords, id: string): Promise<boolean>;
}
