// Every fault that a caller can cause, or must be told of, by name. Layers below http/ throw ServiceError and
// know nothing of status codes; http/responses/error-handler.ts alone maps a code to the wire. Anything that is not a
// ServiceError is a defect of ours and ends as a 500.

/** The names of all faults; `http/responses/error-handler.ts` has one wire entry for each (the compiler checks it). */
export type ErrorCode =
  // Bodies and parameters
  | 'body_malformed' // not JSON, wrong JSON type of a member: 400.0
  | 'body_too_large' // 413
  | 'body_too_slow' // 408, and the connection is closed
  | 'media_type_unsupported' // 415
  | 'not_acceptable' // Accept asks for a form that the answer does not have: 406
  | 'request_invalid' // parses, but its content is wrong: 400.1
  | 'query_malformed' // a query text that does not parse: 400.1, with an offset
  | 'limit_exceeded' // a named bound was passed (clauses, depth, page window): 400.1
  | 'deadline_exceeded' // the query ran out of its time: 400.1, see docs/differences.md
  | 'parameter_malformed' // broken percent-encoding, control characters: 400
  // Patches and writes
  | 'illegal_update' // 400.1.1
  | 'illegal_value' // 400.1.3
  | 'limit_violation' // 400.1.4
  | 'precondition_failed' // 412
  // Access
  | 'token_missing' // 401
  | 'token_invalid' // 401
  | 'forbidden' // 403
  | 'rate_limited' // 429
  // Resources
  | 'not_found' // 404
  | 'route_not_found' // 404
  | 'method_not_allowed' // 405
  // OAuth (RFC 6749 section 5.2)
  | 'oauth_invalid_request'
  | 'oauth_invalid_client'
  | 'oauth_invalid_grant'
  | 'oauth_unauthorized_client'
  | 'oauth_unsupported_grant_type'
  // The service itself
  | 'unavailable' // 503 with Retry-After
  | 'cancelled' // the client went away: 499 in the log, never seen on the wire
  | 'internal'; // 500

/** What goes with a fault beyond its sentence. */
export interface ErrorDetails {
  /** What and where, one sentence each; becomes `causes` on the wire. */
  readonly causes?: readonly string[];
  /** Zero-based UTF-16 offset into the query text. */
  readonly offset?: number;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds?: number;
  /** The methods a path does allow, for `method_not_allowed`. */
  readonly allow?: readonly string[];
  /** What is wrong with each member of a record, by its wire name; the dialect of profile management tells it. */
  readonly errors?: Readonly<Record<string, readonly unknown[]>>;
}

/** A fault with a name: thrown anywhere below http/, told to the caller in the caller's dialect. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /**
   * @param code which fault
   * @param message one sentence for a person: what is wrong and, where it helps, how to mend it
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
