// The authenticated party of a request: the content of its verified token and the rights of its
// owner.
// Invariant: a Caller is resolved for each request, so a revoked right is gone with the next
// request; what reads or writes for longer resolves it again for each page.

/** Where a request came from, for the audit trail. */
export interface RequestOrigin {
  /** IP address of the client. */
  readonly address: string;
  /** The `trackingId` of the response. */
  readonly requestId: string;
}

/** What a view shows of a tenant; everything else does not exist for who sees through it. */
export interface ViewRules {
  readonly name: string;
  /**
   * By index, the query that a document must match: a text of the query language, or `*`. Of an
   * index without one, no document is visible.
   */
  readonly indices: Readonly<Record<string, string>>;
  /** Dotted names of hidden fields, each with all that is below it. */
  readonly hide: readonly string[];
}

/** Who reads documents, with what rights, and which of them. Nothing reads documents without knowing all three. */
export interface Reader {
  /** UUID of the tenant the token names. */
  readonly tenantId: string;
  /**
   * The views in force: only what all of them show is visible. null: no view restricts the reader;
   * never empty. A view that does not exist any more shows nothing.
   */
  readonly views: readonly ViewRules[] | null;
  /**
   * The same reader as of now, for what reads page after page.
   * @throws ServiceError if the reader may not read any more: `token_invalid`, `forbidden`
   */
  current(): Promise<Reader>;
  /** The person; null for an API client. */
  readonly identityId: string | null;
  /** Scopes as the token spells them. */
  readonly scopes: readonly string[];
  /**
   * Current levels; for an identity that is unknown here, the levels mapped by its issuer's entry.
   */
  readonly capabilities: readonly string[];
  /**
   * The current levels of each auth user on whom the credential depends as its owner or as the owner
   * of a token that created it: it may do only what all of them may do.
   */
  readonly ownerCapabilities: readonly (readonly string[])[];
  /** True for an API key of profile management, which grants that area only. */
  readonly apiKey?: true;
}

/** The authenticated party of a request. */
export interface Caller extends Reader {
  /**
   * The same caller as of now. That of a request to a route must still have the right of the route.
   * @throws ServiceError `token_invalid`, `forbidden`
   */
  current(): Promise<Caller>;
  /** Login name of that person; null for an API client. */
  readonly userName: string | null;
  /** Id of the personal access token or API client the token was issued to. */
  readonly clientId: string;
  /** Id of the personal access token behind the token; null for any other credential. */
  readonly personalTokenId: string | null;
  /**
   * When the credential behind the token ends, or the token itself if another issuer signed it:
   * epoch milliseconds, Infinity for never.
   */
  readonly credentialEnds: number;
  /** `jti` of the token; for an API key, its id. */
  readonly tokenId: string;
  /** Set by the HTTP layer; missing for callers within this process. */
  readonly origin?: RequestOrigin;
}
