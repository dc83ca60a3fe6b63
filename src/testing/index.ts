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
  refuseUnknown('startTenant', options, [...SERVER_OPTIONS, ...TENANT_OPTIONS]);
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
  refuseUnknown('startServer', options, SERVER_OPTIONS);
  const server = await startProcess(options);
  return {
    baseUrl: server.baseUrl,
    async createTenant(tenant: TenantOptions = {}) {
      refuseUnknown('createTenant', tenant, TENANT_OPTIONS);
      return ServedTenant.create(server, tenant);
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const SERVER_OPTIONS = namesOf<ServerOptions>({
  ...{ rateLimit: 1, now: 1, indexLag: 1, faults: 1, settings: 1, startTimeoutMs: 1 },
});
const TENANT_OPTIONS = namesOf<TenantOptions>({
  ...{ identities: 1, seed: 1, profiles: 1, fixture: 1, documents: 1 },
});

/** The names of all options; one that is missing here does not compile. */
function namesOf<Options>(names: Readonly<Record<keyof Options, 1>>): readonly string[] {
  return Object.keys(names);
}

/** JavaScript has no compiler that finds a misspelt option. @throws Error that names it */
function refuseUnknown(caller: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new Error(`${caller} has no option ${unknown.join(', ')}: it has ${names.join(', ')}.`);
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
