// Who is asking: what a verified token says, with the rights its owner holds at this moment.
// Invariant: a Caller is asked for anew with each request, so a right taken away is gone with the next one.

/** Where a request came from, for the audit trail. */
export interface RequestOrigin {
  /** IP address of the client. */
  readonly address: string;
  /** The `trackingId` of the answer. */
  readonly requestId: string;
}

/** The party behind a request. */
export interface Caller {
  /** UUID of the tenant the token names. */
  readonly tenantId: string;
  /** Identity of the person behind the token; null for an API client. */
  readonly identityId: string | null;
  /** Login name of that person; null for an API client. */
  readonly userName: string | null;
  /** Id of the personal access token or API client the token was issued to. */
  readonly clientId: string;
  /** Scopes as the token spells them. */
  readonly scopes: readonly string[];
  /** Levels as stored now; for an identity that is unknown here, those that the entry of its issuer maps to. */
  readonly capabilities: readonly string[];
  /** Set where an API key of profile management asks, and not a token: it opens that area, and nothing else. */
  readonly apiKey?: true;
  /** Id of the personal access token behind the token; null where another credential is. */
  readonly personalTokenId: string | null;
  /** Epoch milliseconds when the credential behind the token ends, or the token itself where it is another issuer's. Infinity: never. */
  readonly credentialEnds: number;
  /** `jti` of the token; of an API key its id. */
  readonly tokenId: string;
  /** Set by the HTTP layer; missing where the caller acts in this process. */
  readonly origin?: RequestOrigin;
}
