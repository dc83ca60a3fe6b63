// Normalises and checks request targets: clients send repeated slashes and absolute targets,
// attackers send broken percent-encoding and encoded control characters.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.ts';

const BROKEN_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const ENCODED_CONTROL = /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i;
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Pages whose links are relative to their folder, so that its slash matters. */
const PAGES = /^\/(?:console|docs)\/(?:\?|$)/;

/**
 * Removes scheme and authority, collapses repeated slashes of the path, and removes one at its end,
 * but not of pages.
 */
export function normalizeTarget(target: string): string {
  const local = target.includes('//') ? withoutRepeatedSlashes(target) : target;
  const query = local.indexOf('?');
  const end = query === -1 ? local.length : query;
  if (end < 2 || local[end - 1] !== '/' || PAGES.test(local)) return local;
  return local.slice(0, end - 1) + local.slice(end);
}

function withoutRepeatedSlashes(target: string): string {
  const local = target.replace(ABSOLUTE, '');
  const query = local.indexOf('?');
  const path = query === -1 ? local : local.slice(0, query);
  const rest = query === -1 ? '' : local.slice(query);
  return (path.replace(/\/{2,}/g, '/') || '/') + rest;
}

/**
 * Rejects escapes that are not `%` and two digits, bytes that are not UTF-8, and control
 * characters.
 * @throws ServiceError `parameter_malformed`
 */
export function checkTarget(target: string): void {
  if (!target.includes('%')) return;
  if (BROKEN_ESCAPE.test(target)) throw malformed('A % is not followed by two hexadecimal digits.');
  if (ENCODED_CONTROL.test(target)) throw malformed('Control characters are not allowed.');
  try {
    decodeURIComponent(target);
  } catch {
    throw malformed('The escaped bytes are not UTF-8.');
  }
}

/**
 * Rejects a request of HTTP/1.1 without the header Host (RFC 9112 section 3.2).
 * @throws ServiceError `request_invalid`
 */
export function checkHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersion !== '1.1') return;
  throw new ServiceError('request_invalid', 'The request has no Host header.', {
    causes: ['a request of HTTP/1.1 needs the header Host'],
  });
}

/** The target without its query, which may hold secrets and must not be logged. */
export function loggablePath(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

function malformed(cause: string): ServiceError {
  return new ServiceError('parameter_malformed', 'The URL is malformed.', { causes: [cause] });
}
