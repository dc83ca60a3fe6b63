// All errors that a caller can cause or receives, by code. Layers below http/ throw ServiceError
// without status codes; only http/responses/error-handler.ts maps codes to responses. Any other
// error is a defect and is answered with 500.

/**
 * All error codes; the compiler checks that the WIRE table of error-handler.ts has a row for each.
 */
export type ErrorCode =
  // Bodies and parameters
  | 'body_malformed' // not JSON, wrong JSON type of a member: 400.0
  | 'body_too_large' // 413
  | 'body_too_slow' // 408, and the connection is closed
  | 'media_type_unsupported' // 415
  | 'not_acceptable' // Accept asks for a media type that the response does not have: 406
  | 'request_invalid' // parses, but its content is wrong: 400.1
  | 'query_malformed' // a query text that does not parse: 400.1, with an offset
  | 'limit_exceeded' // a configured limit was exceeded (clauses, depth, page window): 400.1
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
  | 'oauth_invalid_scope'
  // The service itself
  | 'unavailable' // 503 with Retry-After
  | 'cancelled' // the client disconnected: 499 in the log, never sent
  | 'internal'; // 500

/** Details of an error in addition to its message. */
export interface ErrorDetails {
  /** Reasons and positions, one sentence each; `causes` in the response. */
  readonly causes?: readonly string[];
  /** Zero-based UTF-16 offset into the query text. */
  readonly offset?: number;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds?: number;
  /** The allowed methods of a path, for `method_not_allowed`. */
  readonly allow?: readonly string[];
  /** The media types that a body may have, for `media_type_unsupported`. */
  readonly accept?: readonly string[];
  /** The content codings that a body may have, for `media_type_unsupported`. */
  readonly acceptEncoding?: readonly string[];
  /** Faults by wire name of a record's member, for the error format of profile management. */
  readonly errors?: Readonly<Record<string, readonly unknown[]>>;
}

/** An error with a code: thrown anywhere below http/, answered in the error format of the route. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /**
   * @param code kind of error
   * @param message one sentence for people: what is wrong and, if it helps, how to fix it
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
