// `cardea/testing`: throw-away tenants for the tests of an integration. docs/testing.md explains it.

import { ServedTenant } from './served-tenant.ts';
import { ServerProcess } from './server-process.ts';
import type {
  ServerOptions,
  StartOptions,
  TenantOptions,
  TestServer,
  TestTenant,
} from './types.ts';

export type * from './types.ts';

/**
 * Starts a process that serves one new tenant.
 * @throws Error with the reason if it does not start, or an option is wrong
 */
export async function startTenant(options: StartOptions = {}): Promise<TestTenant> {
  const server = await startProcess(options);
  try {
    return await ServedTenant.create(server, options, () => server.close());
  } catch (error) {
    await server.close();
    throw error;
  }
}

/**
 * Starts a process that serves any number of tenants: for tests that run at the same time, each
 * with a tenant of its own.
 * @throws Error with the reason if it does not start, or an option is wrong
 */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const server = await startProcess(options);
  return {
    baseUrl: server.baseUrl,
    createTenant: (tenant: TenantOptions = {}) => ServedTenant.create(server, tenant),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function startProcess({
  rateLimit,
  now,
  indexLag,
  faults,
  settings = {},
  startTimeoutMs,
}: ServerOptions): Promise<ServerProcess> {
  const flags: Readonly<Record<string, string | undefined>> = {
    'rate-limit': rateLimit,
    now,
    'index-lag': indexLag,
    faults: faults === undefined ? undefined : JSON.stringify(faults),
  };
  const args = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  return ServerProcess.start(args, settings, startTimeoutMs);
}
