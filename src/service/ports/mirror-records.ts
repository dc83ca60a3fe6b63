// What a mirror of a remote tenant keeps in the store: where it copies from, how far each part was
// copied, and which documents and records it brought.
// Invariant: progress is written in the transaction of the page that it counts, so a run that dies
// at any point continues after the last stored page.

/** A tenant that is copied from a remote one. */
export interface Mirror {
  readonly tenantId: string;
  /** Base URL of the remote tenant. */
  readonly source: string;
  /** Base URL of its profile management; null if that is not mirrored. */
  readonly profilesSource: string | null;
  /** Which auth users are mirrored: `all`, `none` or `file`. */
  readonly authUsers: string;
  /** ISO 8601: the start of the run that is under way, or that died; null between runs. */
  readonly running: string | null;
  /** The last runs, newest first. */
  readonly runs: readonly MirrorRun[];
  /** The sums of all parts when the run began, or the last one ended. */
  readonly counted: MirrorCounts;
  /** The sums of all parts that audit events tell of. */
  readonly audited: MirrorCounts;
}

/** What a run changed. */
export interface MirrorCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Documents and records of the remote tenant that cannot be stored here. */
  readonly refused: number;
}

/** One run of the mirror. */
export interface MirrorRun {
  /** ISO 8601, as `ended`. */
  readonly began: string;
  readonly ended: string;
  /** `killed`: the process ended without a word. */
  readonly outcome: 'complete' | 'failed' | 'stopped' | 'killed';
  /** The reason of a failure. */
  readonly error: string | null;
  readonly counts: MirrorCounts;
}

/** A walk through the ids of one part, in ascending order. */
export interface MirrorWalk {
  /** `sweep` compares ids only. */
  readonly kind: 'copy' | 'increment' | 'sweep';
  /** The last id that is done; null at the start. */
  readonly after: string | null;
  /** ISO 8601: when the walk began, by the clock of the remote tenant. */
  readonly began: string;
  /** ISO 8601: an increment copies what changed since; null for everything. */
  readonly since: string | null;
  /** The youngest change that the remote tenant showed when the walk began. */
  readonly newest: string | null;
  /** Documents or ids that the walk has passed. */
  readonly done: number;
  /** How many the remote tenant announced. */
  readonly total: number | null;
  /** Documents that could not be stored. */
  readonly refused: number;
  /** As many at the pass before, of a walk that is repeated because of them; null at the first. */
  readonly refusedBefore: number | null;
  /** True if more documents were refused than the part lists: the walk has to be repeated. */
  readonly repeats?: boolean;
  /**
   * True after a page that no sound tenant sends. The walk stays where it was, so that later runs
   * copy nothing more from such a tenant, unless it is begun again (`full`).
   */
  readonly doubtful?: boolean;
}

/** A document or record that could not be stored. */
export interface MirrorRefusal {
  readonly id: string;
  readonly reason: string;
}

/** The progress of one part: an index, the auth users, or a collection of profile management. */
export interface MirrorPart {
  readonly name: string;
  /** The walk under way; null between walks. */
  readonly walk: MirrorWalk | null;
  /** ISO 8601: the copy holds what the remote tenant showed then; null before the first copy. */
  readonly copiedAt: string | null;
  /** The youngest change seen, and when it was first the youngest one. */
  readonly newest: { readonly at: string; readonly seen: string } | null;
  /** ISO 8601: the start of the last complete sweep. */
  readonly sweptAt: string | null;
  /** How many documents or records the remote tenant has; null if unknown. */
  readonly there: number | null;
  /** Sums over all runs. */
  readonly totals: MirrorCounts;
  /** The last ones. */
  readonly refusals: readonly MirrorRefusal[];
  /** Ids of documents whose last state was refused, which the next run asks for again. */
  readonly refusedIds: readonly string[];
  /** Deletions since the last search for them that found all; null if none has begun since. */
  readonly shrinking: MirrorShrinking | null;
}

/** How far a part shrinks while its deletions are searched for, in one run or in several. */
export interface MirrorShrinking {
  /** Documents that were here when that began, or later if they became more. */
  readonly here: number;
  readonly deleted: number;
}

/** Name of the part of the auth users. */
export const AUTH_USER_PART = 'auth-users';

/** Ids after `after` up to and including `upTo`, in ascending order of their UTF-8 bytes. */
export interface IdRange {
  readonly after: string | null;
  readonly upTo: string | null;
}

export interface MirrorRecords {
  /** null for a tenant that is not a mirror. */
  mirror(tenantId: string): Promise<Mirror | null>;
  /** The mirrors of all tenants. */
  mirrors(): Promise<readonly Mirror[]>;
  mirrorParts(tenantId: string): Promise<readonly MirrorPart[]>;
  /** The first ids of a range that the mirror brought. */
  mirroredIds(
    tenantId: string,
    part: string,
    range: IdRange,
    limit: number,
  ): Promise<readonly string[]>;
  /** How many ids the mirror brought, by part. */
  mirroredCounts(tenantId: string): Promise<Readonly<Record<string, number>>>;
  /** Those of the ids, a few hundred at most, that the index has. */
  existingDocuments(
    tenantId: string,
    index: string,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

export interface WritableMirrorRecords extends MirrorRecords {
  putMirror(mirror: Mirror): Promise<void>;
  putMirrorPart(tenantId: string, part: MirrorPart): Promise<void>;
  /** Records that the mirror brought these; it may have before. */
  addMirrored(tenantId: string, part: string, ids: readonly string[]): Promise<void>;
  removeMirrored(tenantId: string, part: string, ids: readonly string[]): Promise<void>;
}
