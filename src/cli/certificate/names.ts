// The names and addresses of a certificate, checked before anything is written.
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** In every certificate, so that a server answers on its own machine too. */
export const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const NAME_MAX = 253;

/**
 * Checks a host name or an IP address.
 * @returns the name in ASCII and lower case, or the address in its shortest form
 * @throws Error with the rest of a sentence that begins with the name
 */
export function certificateName(text: string): string {
  if (isIP(text) !== 0) return shortestAddress(text);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    throw new Error(`is a URL: give its host alone${hostOf(text)}.`);
  }
  const ascii = text.startsWith('*.') ? `*.${domainToASCII(text.slice(2))}` : domainToASCII(text);
  const labels = ascii.toLowerCase().split('.');
  const isWildcard = labels[0] === '*';
  const named = isWildcard ? labels.slice(1) : labels;
  const isName = ascii.length <= NAME_MAX && named.every((label) => LABEL.test(label));
  if (!isName || /^\d+$/.test(named.at(-1) ?? '')) {
    throw new Error('is no host name and no IP address.');
  }
  if (isWildcard && named.length < 2) {
    throw new Error('covers a whole top-level domain, which clients refuse.');
  }
  return labels.join('.');
}

/** The host in a URL as a hint; '' if it has none. */
function hostOf(url: string): string {
  const { hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  return hostname === '' ? '' : `, ${hostname}`;
}

/** The shortest form of an address, as RFC 5952 writes IPv6. */
function shortestAddress(address: string): string {
  if (isIP(address) === 4) return address;
  return new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
}

/**
 * The names of a certificate, as `certificateName` returns them.
 * @param subjectAltName as node:crypto prints it: `DNS:localhost, IP Address:127.0.0.1`
 */
export function namesIn(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((entry) => {
    const [, kind, value = ''] = /^(DNS|IP Address):(.+)$/.exec(entry) ?? [];
    if (kind === undefined) return [];
    return [kind === 'DNS' ? value : shortestAddress(value)];
  });
}
