// Maps errors to responses: the only place with status codes. Each error code has one row; the
// route selects one of four error formats. Anything but a ServiceError is a defect: logged in full,
// answered with a tracking id.
// Invariant: no response holds a stack, a file name or a secret.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type ErrorCode, type ErrorDetails, ServiceError } from '../../errors.ts';
import { type Dialect, dialectOf } from '../requests/endpoint.ts';
import { loggablePath } from '../requests/request-url.ts';
import { type ErrorBody, iscBody, nermBody, oauthBody } from './error-body.ts';
import { InjectedFault } from './injected-fault.ts';

/** The response to a fault. */
export interface Wire {
  readonly status: number;
  readonly detailCode: string;
  /** The message of the public service; the fault's own if absent. */
  readonly text?: string;
  /** The OAuth error code (RFC 6749 section 5.2). */
  readonly oauth?: string;
}

const BAD_CONTENT: Wire = {
  status: 400,
  detailCode: '400.1 Bad Request Content',
  text: 'The request was syntactically correct but its content is semantically invalid.',
};
const NOT_FOUND: Wire = {
  status: 404,
  detailCode: '404 Not found',
  text: 'The server did not find a current representation for the target resource.',
};
const UNAUTHORIZED: Wire = { status: 401, detailCode: '401 Unauthorized', oauth: 'invalid_client' };

/** Every error code. A missing row does not compile. */
export const WIRE: Readonly<Record<ErrorCode, Wire>> = {
  body_malformed: {
    status: 400,
    detailCode: '400.0 Bad request syntax error',
    text: 'The request could not be parsed.',
  },
  body_too_large: { status: 413, detailCode: '413 Payload too large' },
  body_too_slow: { status: 408, detailCode: '408 Request timeout' },
  media_type_unsupported: { status: 415, detailCode: '415 Unsupported media type' },
  not_acceptable: { status: 406, detailCode: '406 Not acceptable' },
  request_invalid: BAD_CONTENT,
  query_malformed: BAD_CONTENT,
  limit_exceeded: BAD_CONTENT,
  deadline_exceeded: BAD_CONTENT,
  parameter_malformed: { ...BAD_CONTENT, text: 'The URL of the request is malformed.' },
  illegal_update: { status: 400, detailCode: '400.1.1 Illegal update attempt' },
  illegal_value: { status: 400, detailCode: '400.1.3 Illegal value' },
  limit_violation: { status: 400, detailCode: '400.1.4 Limit violation' },
  precondition_failed: { status: 412, detailCode: '412 Precondition failed' },
  token_missing: UNAUTHORIZED,
  token_invalid: UNAUTHORIZED,
  forbidden: {
    status: 403,
    detailCode: '403 Forbidden',
    text: 'The server understood the request but refuses to authorize it.',
  },
  rate_limited: { status: 429, detailCode: '429 Too many requests' },
  not_found: NOT_FOUND,
  route_not_found: NOT_FOUND,
  method_not_allowed: { status: 405, detailCode: '405 Method not allowed' },
  oauth_invalid_request: { ...BAD_CONTENT, oauth: 'invalid_request' },
  oauth_invalid_client: UNAUTHORIZED,
  oauth_invalid_grant: { ...BAD_CONTENT, oauth: 'invalid_grant' },
  oauth_unauthorized_client: { ...BAD_CONTENT, oauth: 'unauthorized_client' },
  oauth_unsupported_grant_type: { ...BAD_CONTENT, oauth: 'unsupported_grant_type' },
  oauth_invalid_scope: { ...BAD_CONTENT, oauth: 'invalid_scope' },
  unavailable: {
    status: 503,
    detailCode: '503 Service unavailable',
    oauth: 'temporarily_unavailable',
  },
  cancelled: { status: 499, detailCode: '499 Client closed request' },
  internal: {
    status: 500,
    detailCode: '500.0 Internal Fault',
    text: 'An internal fault occurred.',
    oauth: 'server_error',
  },
};

/** The detail code of syntax errors in search, which differs from the rest of the API. */
const SEARCH_SYNTAX = '400.0 Bad request syntax';

/** Error codes for Fastify's own errors. */
const FRAMEWORK: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
  FST_ERR_CTP_EMPTY_TYPE: 'media_type_unsupported',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_BAD_URL: 'parameter_malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/** Converts any error to a ServiceError. */
export function faultOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const mappedCode = typeof code === 'string' ? FRAMEWORK[code] : undefined;
  if (mappedCode !== undefined) return new ServiceError(mappedCode, sentenceOf(mappedCode));
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('body_malformed', 'The request could not be parsed.');
  }
  return new ServiceError('internal', 'An internal fault occurred.');
}

/** Sends the response to an error. */
export function sendFault(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): void {
  if (error instanceof InjectedFault) {
    sendInjected(error, request, reply);
    return;
  }
  const fault = faultOf(error);
  const wire = WIRE[fault.code];
  logFault(error, fault, wire, request, log);
  const dialect = dialectOf(request);
  const { raw } = reply;
  // Set on Node's response, since Fastify would write these names in lower case.
  if (fault.details.retryAfterSeconds !== undefined) {
    raw.setHeader('Retry-After', String(fault.details.retryAfterSeconds));
  } else if (wire.status === 503) raw.setHeader('Retry-After', '1');
  if (fault.details.allow !== undefined) raw.setHeader('Allow', fault.details.allow.join(', '));
  writeHelp(request, reply, fault.code);
  writeAccepted(raw, request.method, fault.details);
  // RFC 9110 section 15.5.9: close instead of waiting for the rest of the body.
  if (wire.status === 408) raw.setHeader('Connection', 'close');
  if (wire.status === 401) raw.setHeader('WWW-Authenticate', challenge(dialect, request));
  reply
    .code(wire.status)
    .type('application/json; charset=utf-8')
    .send(bodyOf(fault, wire, dialect, request));
}

/** Leads to what the guide says of an error: the relation `help` of RFC 8288. */
function writeHelp({ server }: FastifyRequest, { raw }: FastifyReply, code: ErrorCode): void {
  if (server.life.servesGuide) raw.setHeader('Link', `</docs/guide/errors#${code}>; rel="help"`);
}

/** The types and codings that a refused body may have: RFC 9110 section 15.5.16, RFC 5789 section 2.2. */
function writeAccepted(
  raw: FastifyReply['raw'],
  method: string,
  { accept, acceptEncoding }: ErrorDetails,
): void {
  if (acceptEncoding !== undefined) raw.setHeader('Accept-Encoding', acceptEncoding.join(', '));
  if (accept === undefined) return;
  raw.setHeader('Accept', accept.join(', '));
  if (method !== 'PATCH') return;
  // It lists media types, not ranges of them.
  raw.setHeader('Accept-Patch', accept.filter((type) => !type.includes('*')).join(', '));
}

/** Sends the error that a rule for tests asks for. */
function sendInjected(injected: InjectedFault, request: FastifyRequest, reply: FastifyReply): void {
  const { status, retryAfter } = injected;
  const fault = injected.toServiceError();
  const known = WIRE[fault.code];
  const wire = known.status === status ? known : { status, detailCode: `${status} Injected fault` };
  if (retryAfter !== null || status === 429 || status === 503) {
    reply.raw.setHeader('Retry-After', String(retryAfter ?? 1));
  }
  writeHelp(request, reply, fault.code);
  const dialect = dialectOf(request);
  if (status === 401) reply.raw.setHeader('WWW-Authenticate', challenge(dialect, request));
  reply.code(status).type('application/json; charset=utf-8');
  reply.send(bodyOf(fault, wire, dialect, request));
}

function bodyOf(
  fault: ServiceError,
  wire: Wire,
  dialect: Dialect,
  request: FastifyRequest,
): ErrorBody {
  if (dialect === 'nerm') return nermBody(fault);
  if (wire.status === 429) return { message: 'Rate Limit Exceeded' };
  if (dialect === 'oauth') return oauthBody(fault, wire.oauth ?? 'invalid_request');
  if (wire.status === 401) return { error: fault.message };
  const dialectWire =
    dialect === 'search' && fault.code === 'body_malformed'
      ? { ...wire, detailCode: SEARCH_SYNTAX }
      : wire;
  return iscBody(fault, dialectWire, request.id, request.headers['accept-language']);
}

function challenge(dialect: Dialect, request: FastifyRequest): string {
  if (dialect !== 'oauth') return 'Bearer';
  return request.headers.authorization === undefined ? 'Bearer' : 'Basic realm="token endpoint"';
}

function logFault(
  error: unknown,
  fault: ServiceError,
  wire: Wire,
  request: FastifyRequest,
  log: Logger,
): void {
  const line = lineOf(fault, request);
  if (fault.code === 'internal') log.error({ ...line, err: error }, 'request failed');
  else if (wire.status >= 500) log.warn({ ...line, reason: fault.message }, 'request refused');
  else log.debug({ ...line, reason: fault.message }, 'request refused');
}

/**
 * Logs the error that cuts off a response. Its status was sent before, so nothing else tells of the
 * error.
 */
export function logCutOff(error: unknown, request: FastifyRequest, log: Logger): void {
  const fault = faultOf(error);
  const line = { ...lineOf(fault, request), err: error };
  if (fault.code === 'internal') log.error(line, 'response cut off');
  else if (fault.code === 'cancelled') log.debug(line, 'response cut off');
  else log.warn(line, 'response cut off');
}

function lineOf({ code }: ServiceError, request: FastifyRequest) {
  const { id: trackingId, method, url } = request;
  return { trackingId, method, path: loggablePath(url), code };
}

function sentenceOf(code: ErrorCode): string {
  switch (code) {
    case 'media_type_unsupported':
      return 'The media type of the body is not supported here.';
    case 'body_too_large':
      return 'The body is too large.';
    case 'parameter_malformed':
      return 'The path has invalid percent-encoding.';
    case 'not_found':
      return 'There is no record with this id.';
    default:
      return 'The request could not be parsed.';
  }
}
