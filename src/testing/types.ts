// The public types of `cardea/testing`. The build copies this file into the package's declarations,
// so it imports nothing.

/** The process that serves tenants. */
export interface ServerOptions {
  /** Rate limit: `isc` (100 requests in 10 s for each client), `off`, or `N/SECONDS`. */
  readonly rateLimit?: string;
  /** Further settings of the server as environment variables, such as `CARDEA_MAX_WINDOW`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Milliseconds in which the server must start; 30,000 by default. */
  readonly startTimeoutMs?: number;
}

/** A tenant. */
export interface TenantOptions {
  /** Number of identities of the generated company; 0 for an empty tenant. 50 by default. */
  readonly identities?: number;
  /** Seed of the company: the same one gives the same people, ids and rights. 1 by default. */
  readonly seed?: number;
  /** Number of profiles in profile management; 0 by default. */
  readonly profiles?: number;
  /** Documents to add, in the form of the public search API. */
  readonly documents?: readonly object[];
}

/** A tenant and the process that serves it. */
export interface StartOptions extends ServerOptions, TenantOptions {}

/** Credentials of an ORG_ADMIN of a tenant. */
export interface TestCredentials {
  readonly tenant: string;
  /** A personal access token that never expires, with all scopes. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Key of profile management. */
  readonly apiKey: string;
}

/** The variables that the official SDKs and the `sail` command line read. */
export interface SdkEnvironment {
  readonly SAIL_BASE_URL: string;
  readonly SAIL_CLIENT_ID: string;
  readonly SAIL_CLIENT_SECRET: string;
}

/** What adding documents changed. */
export interface SeedReport {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** A throw-away tenant. */
export interface TestTenant {
  readonly baseUrl: string;
  readonly credentials: TestCredentials;
  readonly env: SdkEnvironment;
  /**
   * Adds or replaces documents in the form of the public search API, and waits until they are
   * searchable.
   */
  seed(documents: readonly object[]): Promise<SeedReport>;
  /** Ends the tenant, and its process if `startTenant` started it. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A process that serves several tenants, for tests that run at the same time. */
export interface TestServer {
  readonly baseUrl: string;
  /** Creates a tenant; no other one sees its data. */
  createTenant(options?: TenantOptions): Promise<TestTenant>;
  /** Ends the process and removes its data. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
