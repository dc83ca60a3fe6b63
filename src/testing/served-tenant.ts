// A tenant of a test server: each method is an order to the process that serves it.
import type { ServerProcess } from './server-process.ts';
import type {
  Advice,
  Faults,
  RecordedRequest,
  SdkEnvironment,
  SeedReport,
  Snapshot,
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
  #ending: Promise<void> | null = null;
  readonly faults: Faults = {
    set: (plan) => this.#call('setFaults', { plan }),
    clear: () => this.#call('setFaults', { plan: [] }),
    list: () => this.#call('faults'),
  };

  /** @param end what `close` does, if not only let go of the tenant */
  static async create(
    server: ServerProcess,
    { identities, seed, profiles, documents, fixture }: TenantOptions,
    end?: () => Promise<void>,
  ): Promise<ServedTenant> {
    const request = { identities, seed, profiles, documents, fixture };
    const created = await server.call<Created>('createTenant', request);
    const { tenantId } = created;
    const letGo = () => server.call<void>('closeTenant', { tenantId });
    return new ServedTenant(server, created, end ?? letGo);
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

  reset(): Promise<void> {
    return this.#call('reset');
  }

  snapshot(): Promise<Snapshot> {
    return this.#call('snapshot');
  }

  restore({ id }: Snapshot): Promise<void> {
    return this.#call('restore', { id });
  }

  async setNow(now: string | Date): Promise<void> {
    await this.#call('setNow', { now: now instanceof Date ? now.toISOString() : now });
  }

  requests(): Promise<readonly RecordedRequest[]> {
    return this.#call('requests');
  }

  forgetRequests(): Promise<void> {
    return this.#call('forgetRequests');
  }

  advice(): Promise<readonly Advice[]> {
    return this.#call('advice');
  }

  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #call<T>(call: string, argument: object = {}): Promise<T> {
    return this.#server.call(call, { tenantId: this.#tenantId, ...argument });
  }
}
