// What to do with a certificate, as lines to paste.
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import { recipePath } from '../demo/credentials.ts';
import { sameData, word } from '../help/suggestion.ts';
import type { Kept } from './keep.ts';
import { LOCAL_NAMES } from './names.ts';

/** The variables by which runtimes are told of an authority. */
const TRUST: readonly (readonly [variable: string, readers: string])[] = [
  ['NODE_EXTRA_CA_CERTS', 'Node'],
  ['REQUESTS_CA_BUNDLE', 'Python with requests'],
  ['SSL_CERT_FILE', 'Python with httpx, aiohttp or urllib; Go; Ruby; PowerShell and .NET on Linux'],
];
const EXAMPLE_NAME = 'acme.api.identitynow.com';

/**
 * How to serve the data of the settings with a certificate, lead its names to the server, and let
 * programs trust it.
 */
export function usageLines(
  { files, names }: Pick<Kept, 'files' | 'names'>,
  config: Config,
): string[] {
  const [certificate, key, authority] = [files.certificate, files.key, files.authority].map(word);
  const hosts = names.filter(
    (name) => isIP(name) === 0 && !name.startsWith('*') && !LOCAL_NAMES.includes(name),
  );
  const wildcard = names.find((name) => name.startsWith('*'));
  const oneHost = hosts[0] ?? wildcard?.replace('*', 'acme') ?? EXAMPLE_NAME;
  return [
    '',
    'Serve with it (443 is the port of https:// addresses without one; it may need sudo):',
    `  ${sameData(config, serverOf(config))} --port 443 --tls-cert ${certificate} --tls-key ${key}`,
    '',
    'Lead the names to this machine, in /etc/hosts (on Windows C:\\Windows\\System32\\drivers\\etc\\hosts):',
    `  127.0.0.1 ${hosts.length > 0 ? hosts.join(' ') : oneHost}`,
    '',
    'Let a program trust the authority, with the variable that its runtime reads:',
    ...TRUST.map(([variable, readers]) => `  export ${variable}=${authority}   # ${readers}`),
    '',
    'A program in a container reaches a server of this machine that has --host 0.0.0.0 with',
    `  docker run --add-host ${oneHost}:host-gateway --volume ${authority}:/ca.pem:ro --env NODE_EXTRA_CA_CERTS=/ca.pem …`,
    `or in a Compose file with extra_hosts: ["${oneHost}:host-gateway"]; examples/fixed-host has one.`,
  ];
}

/** The command that serves the data: the demo would add its company to those of others. */
function serverOf({ dataDir, store }: Config): string {
  const isOfOthers =
    store.kind === 'postgres' || (existsSync(store.path) && !existsSync(recipePath(dataDir)));
  return isOfOthers ? 'cardea serve' : 'cardea demo';
}
