// The searches that the tools of an assistant make. Two implementations: the use cases of this
// process (local-access.ts), and a server over HTTP (remote-access.ts).
// Invariant: everything here reads; nothing writes.

/** The body of a search, as the API takes it. */
export type SearchBody = Readonly<Record<string, unknown>>;

export interface FoundRows {
  readonly rows: readonly unknown[];
  /** Exact. */
  readonly total: number;
  /** Names that no searched index has, one sentence each. */
  readonly warnings: readonly string[];
}

export interface SearchAccess {
  /** @throws RefusedCall */
  search(
    body: SearchBody,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<FoundRows>;
  /** Rows of documents or of their elements, as `POST /search/rows`. @throws RefusedCall */
  rows(body: SearchBody, limit: number): Promise<FoundRows>;
  /** @throws RefusedCall */
  count(body: SearchBody): Promise<Omit<FoundRows, 'rows'>>;
  /** The member `aggregations` of the answer. @throws RefusedCall */
  aggregate(body: SearchBody): Promise<{
    readonly aggregations: unknown;
    readonly warnings: readonly string[];
  }>;
  /** The document. @throws RefusedCall */
  get(index: string, id: string): Promise<unknown>;
  /** @param document to explain; null for the plan alone. @throws RefusedCall */
  explain(
    body: SearchBody,
    document: { readonly index: string; readonly id: string } | null,
  ): Promise<unknown>;
}

/** A call that the service refused, with its reasons: the assistant gets them as they are. */
export class RefusedCall extends Error {
  readonly causes: readonly string[];

  constructor(message: string, causes: readonly string[] = []) {
    super(message);
    this.causes = causes;
  }
}

/** Largest answer of the service that is parsed; tools ask for a few rows. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** The refusal of an answer that is larger. */
export function answerTooLarge(): RefusedCall {
  const found = `The answer has more than ${ANSWER_BYTES_MAX / 1024 / 1024} MiB`;
  return new RefusedCall(
    `${found}: ask for fewer rows with limit, or for fewer members with fields.`,
  );
}
