// The key that rate limits and guess limits use for a client address.
import { isIPv6 } from 'node:net';

/** Groups in the network part of an IPv6 address: a host owns a /64 (RFC 4291 section 2.5.4). */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Returns the key of an address: an IPv4 address as it is, also when it is mapped into IPv6 (RFC
 * 4291 section 2.5.5.2), and the /64 network of any other IPv6 address.
 */
export function addressKey(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = [], tail = []] = bare
    .toLowerCase()
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  const zeros = bare.includes('::') ? Math.max(0, GROUPS - head.length - tail.length) : 0;
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
