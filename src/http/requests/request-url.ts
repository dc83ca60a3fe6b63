// Normalises and checks request targets: clients send repeated slashes and absolute targets,
// attackers send broken percent-encoding and encoded control characters.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.ts';

const BROKEN_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const ENCODED_CONTROL = /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i;
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Pages whose links are relative to their folder, so that its slash matters. */
const PAGES = /^\/(?:console|docs|docs\/guide)\/(?:\?|$)/;

/** A program puts `/api` before a link of profile management, which begins with it. */
const REPEATED_API = /^(?:\/api){2,}(?=[/?]|$)/;

/**
 * Removes scheme and authority, collapses repeated `/api` at the beginning, collapses repeated slashes of the path, and removes one at its end,
 * but not of pages.
 */
export function normalizeTarget(target: string): string {
  const single = target.includes('//') ? withoutRepeatedSlashes(target) : target;
  const local = single.startsWith('/api/api') ? single.replace(REPEATED_API, '/api') : single;
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

/** The map of an import, in YAML: the one parameter of several lines. */
const MAP_PARAMETER = /[?&]map=[^&]*/;

/** Without line breaks and tabs. */
function withoutLayout(parameter: string): string {
  return parameter.replace(/%0[9ad]/gi, '');
}

/**
 * Rejects escapes that are not `%` and two digits, bytes that are not UTF-8, and control
 * characters, but for line breaks and tabs of a map.
 * @throws ServiceError `parameter_malformed`
 */
export function checkTarget(target: string): void {
  if (!target.includes('%')) return;
  if (BROKEN_ESCAPE.test(target)) throw malformed('A % is not followed by two hexadecimal digits.');
  if (ENCODED_CONTROL.test(target.replace(MAP_PARAMETER, withoutLayout))) {
    throw malformed('Control characters are not allowed.');
  }
  try {
    decodeURIComponent(target);
  } catch {
    throw malformed('The escaped bytes are not UTF-8.');
  }
}

/** Host and port of RFC 3986: a name, which may be empty, or an address, of IPv6 in brackets. */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Whether a text is a host with or without a port, as the header Host has it. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/**
 * Returns the fault of a request that has more than one header Host, one that is no host, or in
 * HTTP/1.1 none (RFC 9112 section 3.2); undefined for any other. Node's `headers` hide repetitions.
 */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return wrongHost('more than one Host header');
    host = rawHeaders[at + 1];
  }
  if (host === undefined) return httpVersion === '1.1' ? wrongHost('no Host header') : undefined;
  return isHost(host) ? undefined : wrongHost('a Host header that is no host');
}

function wrongHost(fault: string): ServiceError {
  return new ServiceError('request_invalid', `The request has ${fault}.`, {
    causes: [`the request has ${fault}: send one, with the name or address of the server`],
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
