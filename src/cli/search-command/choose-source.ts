// Decides what `cardea search` searches: the server of a flag or of the environment, the local server
// that has the data directory, or the data directory itself.
import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { type ServiceAccess, ServiceClient } from '../../remote/service-client.ts';
import { unrestricted } from '../../service/views/views-in-force.ts';
import { type Context, UsageError } from '../common/context.ts';
import { chooseTenant, withData } from '../common/data.ts';
import { type Credentials, credentialsPath, readCredentials } from '../demo/credentials.ts';
import { sameData } from '../help/suggestion.ts';
import { openSearch } from './offline-search.ts';
import { bytesOf, type RowSource, servedRows } from './row-sources.ts';

export interface SourceFlags {
  readonly server?: URL;
  readonly tenant?: string;
  readonly dataDir?: string;
}

/** Milliseconds in which a local server says that it is there. */
const HEALTH_MS = 2_000;
const OWN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Runs work with the source of rows that flags, environment and data directory determine. */
export async function withSource<T>(
  flags: SourceFlags,
  config: Config,
  context: Context,
  work: (source: RowSource) => Promise<T>,
): Promise<T> {
  const access = await serverOf(flags, config, context);
  if (access !== null) return work(servedRows(openServer(access, context), context));
  const { dataDir, store } = config;
  if (store.kind === 'sqlite' && !existsSync(store.path)) {
    throw new UsageError([
      `There is no data in ${dataDir}: choose a directory with --data-dir, or a server with --server, or start one with ${sameData(config, 'cardea demo')}.`,
    ]);
  }
  return withData(config, context, async (data) => {
    const remedy = `or choose it with --server and SAIL_CLIENT_ID, SAIL_CLIENT_SECRET`;
    const search = await openSearch(data, config, context, remedy);
    const tenant = await chooseTenant(data.store.read, flags.tenant);
    return work({
      async rows({ body, limit, format, count }) {
        const parameters = {
          count: String(count),
          ...(limit !== null && { limit: String(limit) }),
        };
        const { signal } = context.stop;
        const answer = await search.rows(unrestricted(tenant.id), body, parameters, format, {
          signal,
        });
        const warnings = answer.warnings.map(({ text }) => text);
        return { total: answer.total, warnings, pieces: bytesOf(answer.chunks) };
      },
    });
  });
}

function openServer(access: ServiceAccess, { terminal, stop }: Context): ServiceClient {
  const { protocol, hostname } = new URL(access.baseUrl);
  if (protocol === 'http:' && !OWN_HOSTS.has(hostname)) {
    terminal.note(`warning: ${access.baseUrl} is not encrypted, and gets the client secret.`);
  }
  return new ServiceClient(access, {
    ...{ allowPrivateAddresses: true, repeated: 'postponed', signal: stop.signal },
    onRetry: (reason, waitMs) =>
      terminal.note(`${reason}; trying again in ${Math.ceil(waitMs / 1_000)} s`),
  });
}

/** The server to search; null for the data directory. */
async function serverOf(
  { server, tenant, dataDir }: SourceFlags,
  config: Config,
  { env }: Context,
): Promise<ServiceAccess | null> {
  const local = readCredentials(config.dataDir);
  const named = server?.href ?? (dataDir === undefined ? env['SAIL_BASE_URL'] : undefined);
  if (named !== undefined && named !== '') return accessTo(named, env, local, config);
  if (local === null || (tenant !== undefined && tenant !== local.tenant)) return null;
  return (await isServed(local.baseUrl)) ? accessWith(local.baseUrl, local) : null;
}

function accessTo(
  baseUrl: string,
  env: Context['env'],
  local: Credentials | null,
  { dataDir }: Config,
): ServiceAccess {
  const clientId = env['SAIL_CLIENT_ID'] ?? '';
  const clientSecret = env['SAIL_CLIENT_SECRET'] ?? '';
  if (clientId !== '' && clientSecret !== '') {
    return accessWith(baseUrl, { clientId, clientSecret });
  }
  if (local !== null && originOf(local.baseUrl) === originOf(baseUrl)) {
    return accessWith(local.baseUrl, local);
  }
  const missing = { SAIL_CLIENT_ID: clientId, SAIL_CLIENT_SECRET: clientSecret };
  throw new UsageError(
    Object.entries(missing)
      .filter(([, value]) => value === '')
      .map(
        ([name]) =>
          `${name} is not set, and ${credentialsPath(dataDir)} has no credentials of ${baseUrl}.`,
      ),
  );
}

function accessWith(
  baseUrl: string,
  { clientId, clientSecret }: Pick<Credentials, 'clientId' | 'clientSecret'>,
): ServiceAccess {
  return { baseUrl, credentials: { clientId, clientSecret } };
}

function originOf(url: string): string {
  return new URL(url).origin;
}

async function isServed(baseUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
