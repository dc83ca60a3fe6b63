// Decides what `cardea search` searches: the server of a flag or of the environment, or the data
// directory, by the server that runs on it if there is one.
import type { Config } from '../../config/config.ts';
import { type ServiceAccess, ServiceClient } from '../../remote/service-client.ts';
import { type Context, UsageError } from '../common/context.ts';
import { chooseTenant, lacksStore, withData } from '../common/data.ts';
import { sameData } from '../help/suggestion.ts';
import { type RowSource, servedRows } from './row-sources.ts';
import { openSearch } from './searches.ts';

export interface SourceFlags {
  readonly server?: URL;
  readonly tenant?: string;
  readonly dataDir?: string;
}

const OWN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Runs work with the source of rows that flags, environment and data directory determine. */
export async function withSource<T>(
  { server, tenant: name, dataDir: directory }: SourceFlags,
  config: Config,
  context: Context,
  work: (source: RowSource) => Promise<T>,
): Promise<T> {
  const { env } = context;
  const baseUrl = server?.href ?? (directory === undefined ? env['SAIL_BASE_URL'] : undefined);
  if (baseUrl !== undefined && baseUrl !== '') {
    return work(servedRows(openServer(accessTo(baseUrl, env), context), context));
  }
  const { dataDir } = config;
  if (lacksStore(config)) {
    throw new UsageError([
      `There is no data in ${dataDir}: choose a directory with --data-dir, or a server with --server, or start one with ${sameData(config, 'cardea demo')}.`,
    ]);
  }
  return withData(config, context, async (data) => {
    const tenant = await chooseTenant(data.store.read, name);
    return work(await openSearch(data, { tenant }, config, context));
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

/** @throws UsageError if the environment has no credentials */
function accessTo(baseUrl: string, env: Context['env']): ServiceAccess {
  const clientId = env['SAIL_CLIENT_ID'] ?? '';
  const clientSecret = env['SAIL_CLIENT_SECRET'] ?? '';
  const variables = { SAIL_CLIENT_ID: clientId, SAIL_CLIENT_SECRET: clientSecret };
  const missing = Object.entries(variables).filter(([, value]) => value === '');
  if (missing.length === 0) return { baseUrl, credentials: { clientId, clientSecret } };
  throw new UsageError(
    missing.map(([name]) => `${name} is not set: ${baseUrl} needs credentials.`),
  );
}
