// Fetching JSON from an address somebody configured, without being turned against the network we stand in: the
// address is judged where the connection is made, so a name that resolves to a private address a moment later
// (DNS rebinding) is refused too. Redirects are not followed.
import { type LookupAddress, lookup } from 'node:dns';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ServiceError } from '../errors.ts';

/** Fetches a JSON document. @throws ServiceError `unavailable` with the reason */
export type FetchJson = (url: URL) => Promise<unknown>;

/** What a fetch may do. */
export interface OutboundOptions {
  /** Allows loopback, link-local and private addresses, and plain http. */
  readonly allowPrivateAddresses: boolean;
  readonly timeoutMs?: number;
  /** Bytes of the body. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/** IANA special-purpose registries (RFC 6890): what is not the public internet. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address lies outside the public internet; an IPv4 address inside IPv6 counts as itself. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** A fetcher that keeps to the options. */
export function outboundJson(options: OutboundOptions): FetchJson {
  return (url) => fetchJson(url, options);
}

function fetchJson(url: URL, options: OutboundOptions): Promise<unknown> {
  const { allowPrivateAddresses, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && !(allowPrivateAddresses && url.protocol === 'http:')) {
    return Promise.reject(failed(url, 'only https is fetched'));
  }
  if (!allowPrivateAddresses && isIP(host) !== 0 && isPrivateAddress(host)) {
    return Promise.reject(failed(url, 'the address is not public'));
  }
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      {
        headers: { accept: 'application/json' },
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
        ...(allowPrivateAddresses ? {} : { lookup: publicLookup }),
      },
      (response) => {
        if (response.statusCode !== 200) {
          response.destroy();
          reject(failed(url, `it answered ${response.statusCode}`));
          return;
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) response.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', (error) => reject(failed(url, error.message)));
        response.on('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
          } catch {
            reject(failed(url, 'the answer is not JSON'));
          }
        });
      },
    );
    request.on('error', (error) => reject(failed(url, error.message)));
  });
}

/** Resolves a name as usual, then refuses the answer if any of its addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const first = found?.[0];
    if (error !== null || first === undefined) {
      callback(error ?? new Error('the name has no address'), '', 0);
    } else if (found.some(({ address }) => isPrivateAddress(address))) {
      callback(new Error('the address is not public'), '', 0);
    } else if (options.all === true) {
      callback(null, found);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

function failed(url: URL, reason: string): ServiceError {
  return new ServiceError('unavailable', `Could not fetch ${url.origin}${url.pathname}: ${reason}`);
}
