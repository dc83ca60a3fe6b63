// The client address of requests that come through proxies. Each proxy appends the address of its
// peer to X-Forwarded-For or Forwarded (RFC 7239), and only entries of trusted proxies count: the
// client is the right-most address that is not a trusted proxy. This file normalises the headers to
// the X-Forwarded-For that Fastify reads for `request.ip`, and the X-Forwarded-Proto and -Host of
// trusted proxies, which it reads for `request.protocol` and `request.host`.
// Invariant: nothing that a client sends directly changes the address it is counted by.
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isHost } from '../requests/request-url.ts';

/** Most addresses that are read of a header. */
const HOPS_MAX = 64;

/** The networks of trusted proxies. */
export class TrustedProxies {
  readonly #networks = new BlockList();

  /** @param networks addresses and networks: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8` */
  constructor(networks: readonly string[]) {
    for (const text of networks) {
      const { address, prefix, family } = parseNetwork(text);
      this.#networks.addSubnet(address, prefix, family);
    }
  }

  has(address: string | undefined): boolean {
    const bare = address?.split('%', 1)[0] ?? '';
    const version = isIP(bare);
    return version !== 0 && this.#networks.check(bare, version === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * Writes the addresses forwarded by a trusted proxy to `x-forwarded-for`, without ports, and
   * removes both headers from all other requests. If the two headers disagree, one of them came
   * from the client, and neither counts. A forwarded protocol other than http and https, and a
   * forwarded host that is none, are removed.
   * @param peer the address of the connection
   */
  normalise(headers: IncomingHttpHeaders, peer: string | undefined): void {
    keepLast(headers, 'x-forwarded-proto', (protocol) => /^https?$/.test(protocol));
    keepLast(headers, 'x-forwarded-host', (host) => host !== '' && isHost(host));
    const { 'x-forwarded-for': listed, forwarded } = headers;
    if (listed === undefined && forwarded === undefined) return;
    const hops = this.has(peer) ? agreedHops(listedHops(listed), forwardedHops(forwarded)) : [];
    if (hops.length === 0) delete headers['x-forwarded-for'];
    else headers['x-forwarded-for'] = hops.join(', ');
    delete headers.forwarded;
  }
}

/** Keeps the last entry of a header, the one that Fastify takes, in lower case, if it is valid. */
function keepLast(
  headers: IncomingHttpHeaders,
  name: string,
  isValid: (entry: string) => boolean,
): void {
  const value = headers[name];
  if (value === undefined) return;
  const last = String(value).split(',').at(-1)?.trim().toLowerCase() ?? '';
  if (isValid(last)) headers[name] = last;
  else delete headers[name];
}

/** Parses an address, or a network in CIDR notation. */
function parseNetwork(text: string) {
  const [address = '', prefix] = text.split('/');
  const family = isIP(address) === 6 ? ('ipv6' as const) : ('ipv4' as const);
  const all = family === 'ipv6' ? 128 : 32;
  return { address, family, prefix: prefix === undefined ? all : Number(prefix) };
}

/** Parses X-Forwarded-For: comma-separated addresses, the nearest last. */
function listedHops(header: string | string[] | undefined): string[] | null {
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(',') : header;
  return addresses(text.split(','));
}

/** Parses Forwarded: `for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"`. */
function forwardedHops(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  const elements = header.split(',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for=/i.test(part));
    return pair?.replace(/^\s*for=/i, '').replace(/^"(.*)"$/, '$1') ?? '';
  });
  return addresses(elements);
}

/** The last addresses, without ports, after the right-most entry that is not an address. */
function addresses(entries: readonly string[]): string[] {
  const hops: string[] = [];
  for (const entry of entries.slice(-HOPS_MAX).reverse()) {
    const text = entry.trim();
    const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
    if (isIP(bare) === 0) break;
    hops.unshift(bare);
  }
  return hops;
}

/** The hops of the header that is present; of both, only if they agree. */
function agreedHops(listed: string[] | null, forwarded: string[] | null): string[] {
  if (listed === null || forwarded === null) return listed ?? forwarded ?? [];
  return listed.join() === forwarded.join() ? listed : [];
}
