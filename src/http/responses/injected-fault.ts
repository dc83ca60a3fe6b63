// An error response that a rule for tests asks for instead of the answer.
import { type ErrorCode, ServiceError } from '../../errors.ts';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'request_invalid',
  401: 'token_invalid',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'body_too_slow',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'media_type_unsupported',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable',
};

/** Thrown by the hook that injects faults; answered in the format of the route, and not logged. */
export class InjectedFault extends Error {
  readonly status: number;
  /** Seconds; null: 1 for the statuses whose answers always have the header, else no header. */
  readonly retryAfter: number | null;

  constructor(status: number, retryAfter: number | null) {
    super(`A rule for tests answers with ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** The same as an error of the service; other statuses have the code `unavailable`. */
  toServiceError(): ServiceError {
    const code = CODES[this.status] ?? 'unavailable';
    return new ServiceError(code, 'A rule for tests answers with this error.');
  }
}
