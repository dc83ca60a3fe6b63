// The public types of `cardea/testing`, and of what the server answers to it. The build copies this
// file into the package's declarations, so it imports nothing.

/** The process that serves tenants. */
export interface ServerOptions {
  /** Rate limit: `isc` (100 requests in 10 s for each client), `off`, or `N/SECONDS`. */
  readonly rateLimit?: string;
  /**
   * The clock: an instant at which it stands still (`2026-01-15T09:00:00Z`), or a shift (`+90d`).
   * The machine's by default.
   */
  readonly now?: string;
  /** Time after which a search sees a change: `5s`, or `2s-30s` for a random time. */
  readonly indexLag?: string;
  /** Faults of all tenants; `tenant.faults.set` sets those of one. */
  readonly faults?: readonly FaultRule[] | FaultPlan;
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
  /**
   * A small company of your own: the name of a YAML or JSON file, or its content; its schema is
   * `cardea/fixture.schema.json`. No other company is generated then, unless `identities` is given.
   */
  readonly fixture?: string | object;
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

/** Which requests get a fault, and which fault. */
export interface FaultRule {
  /** All given members must match; of `probability`, `every` and `first` give one at most. */
  readonly match?: {
    readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** The path without its query; `*` stands for any characters. */
    readonly path?: string;
    /** Client id of the credential. */
    readonly client?: string;
    /** From 0 to 1. */
    readonly probability?: number;
    /** Every n-th request that matches. */
    readonly every?: number;
    /** The first n requests that match. */
    readonly first?: number;
  };
  /** One of `status`, `drop` and `truncate`, or `delayMs` alone or with one of them. */
  readonly then: {
    /** Answers with this status, from 400 to 599. */
    readonly status?: number;
    /** Seconds of the header Retry-After. */
    readonly retryAfter?: number;
    readonly delayMs?: number;
    /** Closes the connection before the request is worked on. */
    readonly drop?: true;
    /** Closes the connection after so many bytes of the body of the answer. */
    readonly truncate?: number;
  };
}

export interface FaultPlan {
  /** Seed of `probability`; 1 by default. */
  readonly seed?: number;
  readonly faults: readonly FaultRule[];
}

/** A rule and what it did so far. */
export interface CountedFaultRule extends FaultRule {
  /** Requests that it matched. */
  readonly matched: number;
  /** Those of them that got the fault. */
  readonly injected: number;
}

/** The faults of a tenant. */
export interface Faults {
  /** Replaces the rules, and starts their counts and random numbers again. */
  set(faults: readonly FaultRule[] | FaultPlan): Promise<void>;
  clear(): Promise<void>;
  list(): Promise<readonly CountedFaultRule[]>;
}

/** A request that a tenant answered. It holds no headers, bodies or secrets. */
export interface RecordedRequest {
  /** 1, 2, 3, … within the tenant. */
  readonly number: number;
  /** When it arrived, ISO 8601, by the clock of the machine. */
  readonly at: string;
  readonly ms: number;
  readonly client: string;
  readonly method: string;
  readonly path: string;
  /** null: the connection was closed without a whole answer. */
  readonly status: number | null;
  /** Seconds of the header Retry-After. */
  readonly retryAfter?: number;
  /** A fault was injected. */
  readonly fault?: true;
  /** Its answer has the header Warning. */
  readonly warned?: true;
  /** It waited until a write was searchable. */
  readonly refreshWait?: true;
  /** It asked for a token with a secret in the query. */
  readonly secretInQuery?: true;
  readonly limit?: number;
  readonly offset?: number;
  readonly search?: {
    readonly indices?: readonly string[];
    readonly sort?: readonly string[];
    readonly limit?: number;
    readonly offset?: number;
    /** Whether the request has `searchAfter`. */
    readonly searchAfter: boolean;
  };
}

/** Something that would go wrong against the public service. */
export interface Advice {
  /** Name of the rule, such as `rate-limit`; docs/testing.md explains each. */
  readonly rule: string;
  /** What was seen. */
  readonly problem: string;
  readonly mend: string;
  /** How many requests it concerns. */
  readonly count: number;
  /** The first of them. */
  readonly request: RecordedRequest;
  /** Their numbers, ten at most. */
  readonly requests: readonly number[];
}

/** A state of a tenant, which only that tenant can restore. */
export interface Snapshot {
  readonly id: string;
  readonly documents: number;
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
  /** Restores the state after the start: data, faults, journal, counted requests and clock. */
  reset(): Promise<void>;
  /** Keeps the present data; 20 snapshots at most. */
  snapshot(): Promise<Snapshot>;
  restore(snapshot: Snapshot): Promise<void>;
  /**
   * Sets the clock: `real`, an instant at which it stands still, or a shift such as `+90d`. Fails on
   * a server with several tenants.
   */
  setNow(now: string | Date): Promise<void>;
  readonly faults: Faults;
  /** The last 1,000 requests since the start, the last reset or the last `forgetRequests`. */
  requests(): Promise<readonly RecordedRequest[]>;
  forgetRequests(): Promise<void>;
  /** What would go wrong against the public service; empty if nothing was found. */
  advice(): Promise<readonly Advice[]>;
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
