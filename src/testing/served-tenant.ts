// A tenant of a test server: each method is an order to the process that serves it.
import type { ServerProcess } from './server-process.ts';
import type {
  SdkEnvironment,
  SeedReport,
  TenantOptions,
  TestCredentials,
  TestTenant,
} from './types.ts';

/** The answer of the server to a new tenant. */
interface Created {
  readonly tenantId: string;
  readonly baseUrl: string;
  readonly credentials: TestCredentials;
  readonly env: SdkEnvironment;
}

export class ServedTenant implements TestTenant {
  readonly baseUrl: string;
  readonly credentials: TestCredentials;
  readonly env: SdkEnvironment;
  readonly #server: ServerProcess;
  readonly #tenantId: string;
  readonly #end: () => Promise<void>;

  /** @param end what `close` does */
  static async create(
    server: ServerProcess,
    { identities, seed, profiles, documents }: TenantOptions,
    end: () => Promise<void>,
  ): Promise<ServedTenant> {
    const request = { identities, seed, profiles, documents };
    return new ServedTenant(server, await server.call<Created>('createTenant', request), end);
  }

  private constructor(server: ServerProcess, created: Created, end: () => Promise<void>) {
    this.#server = server;
    this.#tenantId = created.tenantId;
    this.#end = end;
    this.baseUrl = created.baseUrl;
    this.credentials = created.credentials;
    this.env = created.env;
  }

  seed(documents: readonly object[]): Promise<SeedReport> {
    return this.#call('seed', { documents });
  }

  close(): Promise<void> {
    return this.#end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #call<T>(call: string, argument: object = {}): Promise<T> {
    return this.#server.call(call, { tenantId: this.#tenantId, ...argument });
  }
}
