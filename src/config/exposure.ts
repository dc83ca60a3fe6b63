// Decides whether others can reach a server, and checks for settings and file modes that are unsafe
// then. A server logs a warning for each at its start, and `cardea doctor` reports each as a fault.
// Invariant: every default that is convenient on a developer's machine asks `exposure`.
import { chmodSync, readdirSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The settings that decide who can reach a server (config.ts). */
export interface ReachSettings {
  readonly host: string;
  /** null: not set. */
  readonly baseUrl: string | null;
  /** Addresses and networks of trusted proxies; null: not set, undefined: unknown. */
  readonly trustedProxies?: readonly string[] | null;
}

/** The network settings of a server (config.ts). */
export interface Addresses extends ReachSettings {
  readonly port: number;
  /** null: plain HTTP. */
  readonly tls: object | null;
  /** The powers for tests; null or undefined: off. */
  readonly testing?: object | null;
}

/**
 * Returns why others than programs of this machine can reach a server, as a clause; null if they
 * cannot. Behind a proxy they can, whatever address the server listens on.
 */
export function exposure({ host, baseUrl, trustedProxies }: ReachSettings): string | null {
  if (!isLoopback(host)) return `it listens on ${host}`;
  if (baseUrl !== null && !isLoopback(new URL(baseUrl).hostname)) {
    return `CARDEA_BASE_URL is ${baseUrl}`;
  }
  const proxies = trustedProxies ?? [];
  return proxies.length > 0 ? `CARDEA_TRUSTED_PROXIES is ${proxies.join()}` : null;
}

/** True if only programs of this machine can use this host, of a listening address or a URL. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host);
}

/** Returns the faults of the network settings, one sentence each with a remedy. */
export function networkFaults(addresses: Addresses): readonly string[] {
  const { port, tls, baseUrl, trustedProxies, testing = null } = addresses;
  const reason = exposure(addresses);
  if (reason === null) return [];
  const exposed = `Others can reach this server (${reason})`;
  const publicPort = httpsPort(baseUrl);
  const faults: string[] = [];
  if (testing !== null) {
    faults.push(
      `${exposed}, and it has the powers for tests, by which administrators can inject faults and reset their tenant: remove CARDEA_TESTING where data are real.`,
    );
  }
  if (tls === null && publicPort === null) {
    faults.push(
      `${exposed} without TLS, so tokens and secrets cross the network unencrypted: set CARDEA_TLS_CERT and CARDEA_TLS_KEY, or end TLS at a proxy and set CARDEA_BASE_URL to its https address.`,
    );
  }
  const namesNoProxy = trustedProxies === null || trustedProxies?.length === 0;
  if (tls === null && publicPort !== null && namesNoProxy) {
    faults.push(
      'CARDEA_BASE_URL says that a proxy ends TLS, but no proxy is configured, so all clients count as one address: set CARDEA_TRUSTED_PROXIES to its address or network.',
    );
  }
  if (tls !== null && publicPort !== null && publicPort !== port && trustedProxies === null) {
    faults.push(
      `It listens on port ${port} and CARDEA_BASE_URL has port ${publicPort}, so a proxy may be in front of it, and all clients would count as one address: set CARDEA_TRUSTED_PROXIES to the address or network of that proxy, or to none.`,
    );
  }
  if (baseUrl === null) {
    faults.push(
      `${exposed} and CARDEA_BASE_URL is not set, so /oauth/info repeats the Host header of any request: set it to the address that clients use.`,
    );
  }
  return faults;
}

/** The port of an https address; null for another address. */
function httpsPort(url: string | null): number | null {
  if (url?.startsWith('https:') !== true) return null;
  return Number(new URL(url).port || 443);
}

/** Returns the fault of a directory that other users can read; null if they cannot. */
export function directoryFault(path: string): string | null {
  const stats = statsOf(path);
  if (stats === null || !isReadableByOthers(stats)) return null;
  return `${path} can be read by others (mode ${octal(stats)}): chmod 700`;
}

/** The directories of the service that other users can read: the data directory, its index. */
export function readableDirectories(dataDir: string): readonly string[] {
  return [dataDir, join(dataDir, 'index')].filter((path) => {
    const stats = statsOf(path);
    return stats?.isDirectory() === true && isReadableByOthers(stats);
  });
}

/**
 * Makes the data directory and its index private, if they clearly belong to the service: owned by
 * this user, without the sticky bit, and neither a home nor the working directory.
 * @returns the results for the log, one sentence each; empty if they were private already
 */
export function tightenDirectories(dataDir: string): readonly string[] {
  return readableDirectories(dataDir).map((path) => {
    const what = path === dataDir ? 'The data directory' : 'The index directory';
    const stats = statSync(path);
    if (!belongsToService(dataDir, stats)) return `${what} ${directoryFault(path)}`;
    chmodSync(path, 0o700);
    return `${what} ${path} could be read by others (mode ${octal(stats)}); it is 700 now`;
  });
}

/**
 * Where Docker, Compose and Kubernetes mount secrets, mostly with mode 444; a container has no
 * other users.
 */
const MOUNTED_SECRETS = /^(?:\/var)?\/run\/secrets\//;

/**
 * Returns the fault of a secret file that other users can read; null if they cannot, if it is
 * missing, or if it is mounted into a container.
 */
export function secretFileFault(path: string): string | null {
  if (MOUNTED_SECRETS.test(path)) return null;
  const stats = statsOf(path);
  if (stats === null || !isReadableByOthers(stats)) return null;
  return `${path} can be read by others (mode ${octal(stats)}): chmod 600`;
}

/** @param stats of the data directory, or of a directory in it */
function belongsToService(dataDir: string, stats: Stats): boolean {
  const shared = ['/', homedir(), process.cwd()].includes(resolve(dataDir));
  const names = readdirSync(dataDir);
  const holdsData = names.length === 0 || names.some((name) => /^(cardea\.db|index)$/.test(name));
  return stats.uid === process.getuid?.() && !isSticky(stats) && !shared && holdsData;
}

function statsOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

function isReadableByOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function isSticky({ mode }: Stats): boolean {
  return (mode & 0o1000) !== 0;
}

function octal({ mode }: Stats): string {
  return (mode & 0o7777).toString(8);
}
