// HTTP requests to configured addresses, protected against server-side request forgery: addresses
// are checked when the connection is made, so a name that later resolves to a private address (DNS
// rebinding) is refused too. Redirects are not followed.
import { type LookupAddress, lookup } from 'node:dns';
import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../errors.ts';
import { escapeLine } from '../json/escaped-text.ts';
import { withAbort } from '../scheduling/abort.ts';

/** Fetches a JSON document. @throws ServiceError `unavailable` with the reason */
export type FetchJson = (url: URL) => Promise<unknown>;

/** Limits of outbound requests. */
export interface OutboundOptions {
  /** Allows addresses outside the public internet, and plain http. */
  readonly allowPrivateAddresses: boolean;
  readonly timeoutMs?: number;
  /** Maximum bytes of the response body. */
  readonly maxBytes?: number;
  /** A socket of this machine that plain http is spoken on, whatever the host. */
  readonly socketPath?: string | undefined;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/**
 * The part of IPv6 that addresses are allocated from. In the rest, ipaddr.js counts as unicast ::/96
 * (IPv4 in its last 32 bits), 100:0:0:1::/64 (RFC 9780) and what is reserved.
 */
const ALLOCATED_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public internet: in none of IANA's special-purpose blocks (RFC
 * 6890), and no multicast. An IPv4 address mapped into IPv6 is treated as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(ALLOCATED_IPV6);
}

/** Creates a JSON fetcher with these limits. */
export function outboundJson(options: OutboundOptions): FetchJson {
  return (url) => fetchJson(url, options);
}

/** Posts a body. @throws ServiceError `unavailable` with the reason, unless the status is 2xx */
export type PostBody = (
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<void>;

/** Creates a poster with these limits. */
export function outboundPost(options: OutboundOptions): PostBody {
  return async (url, body, headers, signal) => {
    const cancelled = signal === undefined ? {} : { signal };
    const { status } = await request(url, { method: 'POST', body, headers, ...cancelled }, options);
    if (status < 200 || status > 299) throw failed(url, `it answered ${status}`);
  };
}

/** Sends requests, and returns responses whatever their status; `end` closes its connections. */
export interface OutboundSender {
  /**
   * Reads the whole response.
   * @throws ServiceError `unavailable` with the reason; OutboundTooLarge if the response exceeds the
   * limit
   */
  send(url: URL, request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Returns the response when its headers have arrived: its body has no limit of bytes or time.
   * @throws as `send`, also while the body is read
   */
  open(url: URL, request: OutboundRequest): Promise<OutboundStream>;
  end(): void;
}

/** Creates a sender that keeps its connections open between requests. */
export function outboundSender(options: OutboundOptions): OutboundSender {
  const { socketPath } = options;
  const local = socketPath === undefined ? {} : { socketPath };
  const agents = {
    'https:': new HttpsAgent(KEEP_ALIVE),
    'http:': new HttpAgent({ ...KEEP_ALIVE, ...local }),
  };
  const agentOf = ({ protocol }: URL) => agents[protocol === 'https:' ? 'https:' : 'http:'];
  return {
    send: (url, outgoing) => request(url, outgoing, options, agentOf(url)),
    open: (url, outgoing) => exchange(url, outgoing, options, agentOf(url)),
    end() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const KEEP_ALIVE = { keepAlive: true, maxSockets: 8 };

/** The response was longer than the limit of its request. */
export class OutboundTooLarge extends ServiceError {}

/** The address must not be asked, however often. */
export class OutboundRefused extends ServiceError {}

async function fetchJson(url: URL, options: OutboundOptions): Promise<unknown> {
  const accept = { accept: 'application/json' };
  const { status, body } = await request(url, { method: 'GET', headers: accept }, options);
  if (status !== 200) throw failed(url, `it answered ${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw failed(url, 'the answer is not JSON');
  }
}

/** Method, headers and body of a request. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Until its response is read, if that is less than the limit of the sender. */
  readonly timeoutMs?: number;
}

export interface OutboundStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

export type OutboundResponse = Omit<OutboundStream, 'body'> & { readonly body: Buffer };

/** Sends a request and reads the whole response, whatever its status. */
async function request(
  url: URL,
  outgoing: OutboundRequest,
  options: OutboundOptions,
  agent: HttpAgent | false = false,
): Promise<OutboundResponse> {
  const { timeoutMs: limitMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const timeoutMs = Math.min(limitMs, outgoing.timeoutMs ?? limitMs);
  return withAbort({ signal: outgoing.signal, timeoutMs }, async ({ signal }) => {
    try {
      const response = await exchange(url, { ...outgoing, signal }, options, agent);
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(url);
        chunks.push(chunk);
      }
      return { ...response, body: Buffer.concat(chunks) };
    } catch (error) {
      const isLate = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
      if (!isLate || outgoing.signal?.aborted === true) throw error;
      throw failed(url, `no complete answer within ${timeoutMs / 1_000} s`);
    }
  });
}

async function exchange(
  url: URL,
  { method, headers, body, signal }: OutboundRequest,
  { allowPrivateAddresses }: OutboundOptions,
  agent: HttpAgent | false,
): Promise<OutboundStream> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && !(allowPrivateAddresses && url.protocol === 'http:')) {
    throw refused(url, 'only https is fetched');
  }
  if (!allowPrivateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) {
    throw refused(url, 'the address is not public');
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const lookup = allowPrivateAddresses ? {} : { lookup: publicLookup };
  const clientRequest = send(url, { method, headers, agent, signal, ...lookup });
  return new Promise((resolve, reject) => {
    clientRequest.on('response', (response) => {
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, headers: received, body: piecesOf(response, url) });
    });
    clientRequest.on('error', (error) =>
      reject(error === NOT_PUBLIC ? refused(url, error.message) : failed(url, reasonOf(error))),
    );
    clientRequest.end(body);
  });
}

/** The pieces of a body; the connection is closed if they are not read to the end. */
async function* piecesOf(response: IncomingMessage, url: URL): AsyncGenerator<Buffer> {
  try {
    yield* response;
  } catch (error) {
    throw failed(url, reasonOf(error as NodeJS.ErrnoException));
  }
}

/**
 * OpenSSL's message of an answer without TLS names a line of its source. The error of a name whose
 * addresses all failed has none.
 */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EPROTO') return 'the port does not speak TLS; is it http://?';
  return message === '' ? String(code) : escapeLine(message.slice(0, REASON_MAX));
}

/** Characters of a reason: that of a certificate has names that its server chose. */
const REASON_MAX = 300;

const NOT_PUBLIC = new Error('the address is not public');

/** Resolves a name as usual, then fails if any of its addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const first = addresses?.[0];
    if (error !== null || first === undefined) {
      callback(error ?? new Error('the name has no address'), '', 0);
    } else if (!addresses.every(({ address }) => isPublicAddress(address))) {
      callback(NOT_PUBLIC, '', 0);
    } else if (options.all === true) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

function refused(url: URL, reason: string): OutboundRefused {
  const { code, message } = failed(url, reason);
  return new OutboundRefused(code, `${message}. ${MEND}`);
}

const MEND = 'CARDEA_ALLOW_PRIVATE_URLS=on allows http and addresses of your own network.';

function tooLarge(url: URL): OutboundTooLarge {
  const { code, message } = failed(url, 'the answer is too large');
  return new OutboundTooLarge(code, message);
}

/** Names the origin alone: whoever knows the path of some receivers may post to them. */
function failed({ origin }: URL, reason: string): ServiceError {
  return new ServiceError('unavailable', `Could not fetch ${origin}: ${reason}`);
}
