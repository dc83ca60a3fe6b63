// The members of `GET /admin/v1/mirror` that the console reads.

/** How current the copy of a remote tenant is. */
export interface MirrorStatus {
  readonly source: string;
  /** ISO 8601: start of the run under way, or that died. */
  readonly running: string | null;
  readonly lagSeconds: number | null;
  readonly error: string | null;
  readonly parts: readonly MirrorPart[];
  readonly runs: readonly MirrorRun[];
  readonly limits: readonly string[];
}

export interface MirrorPart {
  readonly name: string;
  readonly here: number;
  readonly there: number | null;
  readonly copiedAt: string | null;
  readonly sweptAt: string | null;
  readonly walk: {
    readonly kind: string;
    readonly done: number;
    readonly total: number | null;
  } | null;
  readonly refused: number;
}

export interface MirrorRun {
  readonly began: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly counts: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
  };
}
