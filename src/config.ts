// Every setting: its environment variable, its flag, its default and one sentence. Validation, --help and
// docs/configuration.md all come from this table; nothing else reads the environment.
// Invariant: with nothing set everything works, and faulty settings are told all at once.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  byteCount,
  InvalidValue,
  indexPrefix,
  issuers,
  nearest,
  oneOf,
  onOff,
  type Parser,
  quota,
  type StoreAddress,
  searchAddress,
  someText,
  storeAddress,
  webAddress,
  wholeNumber,
  zoneName,
} from './config-values.ts';
import { DEFAULT_LIMITS, type QueryLimits } from './query/limits.ts';

/** Who takes a setting: every command, or only those that answer HTTP. */
export type SettingScope = 'every command' | 'server';

/** One setting. */
export interface Setting<T = unknown> {
  readonly env: string;
  /** Without the dashes. */
  readonly flag: string;
  /** What the flag's value is called in help texts. */
  readonly value: string;
  /** As text, so that it takes the way of any other value; null: not set. */
  readonly byDefault: string | null;
  /** Shown where there is no fixed default. */
  readonly otherwise?: string;
  readonly sentence: string;
  readonly scope: SettingScope;
  readonly parse: Parser<T>;
}

type Rest = Omit<Setting, 'env' | 'flag' | 'sentence' | 'parse' | 'byDefault'>;

function setting<T>(
  name: string,
  byDefault: string | number | null,
  sentence: string,
  parse: Parser<T>,
  rest: Partial<Rest> = {},
): Setting<T> {
  return {
    env: `CARDEA_${name.toUpperCase().replaceAll('-', '_')}`,
    flag: name,
    value: 'text',
    byDefault: byDefault === null ? null : String(byDefault),
    scope: 'server',
    sentence,
    parse,
    ...rest,
  };
}

const NUMBER = { value: 'number' };
const MILLISECONDS = { value: 'milliseconds' };
const ANY = { scope: 'every command' } as const;
/** contract/auth-users.md section 5: the rate the public service documents. */
const ISC_RATE = { count: 100, seconds: 10 };
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** All settings, in the order in which they are shown. */
export const SETTINGS = {
  port: setting(
    'port',
    8080,
    'Port to listen on; 0 takes a free one.',
    wholeNumber(0, 65_535),
    NUMBER,
  ),
  host: setting(
    'host',
    '127.0.0.1',
    'Address to listen on; 0.0.0.0 for all.',
    someText('an address'),
    {
      value: 'address',
    },
  ),
  baseUrl: setting('base-url', null, 'Address that clients reach the service by.', webAddress, {
    value: 'url',
    otherwise: 'where it listens',
  }),
  dataDir: setting(
    'data-dir',
    './data',
    'Directory of the store, the search index and the credentials of the demo.',
    someText('a directory'),
    {
      ...ANY,
      value: 'directory',
    },
  ),
  storeUrl: setting(
    'store-url',
    null,
    'The store: the path of an SQLite file, or the address of a PostgreSQL database (postgres://…).',
    storeAddress,
    {
      ...ANY,
      value: 'path|url',
      otherwise: 'cardea.db in the data directory',
    },
  ),
  storePool: setting(
    'store-pool',
    10,
    'Connections for reading from PostgreSQL; writing takes one more.',
    wholeNumber(1, 1_000),
    { ...ANY, ...NUMBER },
  ),
  storeWaitMs: setting(
    'store-wait-ms',
    10_000,
    'How long the store is waited for: a connection, or the writes of others.',
    wholeNumber(1, 600_000),
    { ...ANY, ...MILLISECONDS },
  ),
  storeTimeoutMs: setting(
    'store-timeout-ms',
    30_000,
    'Time a statement may take in PostgreSQL.',
    wholeNumber(100, 3_600_000),
    { ...ANY, ...MILLISECONDS },
  ),
  searchUrl: setting(
    'search-url',
    'embedded',
    'What searches: embedded, or the address of an OpenSearch (http or https).',
    searchAddress,
    { ...ANY, value: 'backend' },
  ),
  searchPrefix: setting(
    'search-prefix',
    'cardea',
    'What index names in OpenSearch begin with; every service that shares a cluster needs its own.',
    indexPrefix,
    { ...ANY, value: 'name' },
  ),
  tlsCert: setting(
    'tls-cert',
    null,
    'File of the certificate chain, PEM; turns TLS on.',
    someText('a file'),
    {
      value: 'file',
      otherwise: 'plain HTTP',
    },
  ),
  tlsKey: setting('tls-key', null, 'File of the private key, PEM.', someText('a file'), {
    value: 'file',
    otherwise: 'plain HTTP',
  }),
  rateLimit: setting(
    'rate-limit',
    'off',
    'Requests per client and API version: off, isc (100 in 10 seconds) or N/SECONDS.',
    quota({ isc: ISC_RATE }),
    {
      value: 'rate',
    },
  ),
  tokenAttempts: setting(
    'token-attempts',
    '20/60',
    'Wrong secrets borne per client id and address at the token endpoint: off or N/SECONDS.',
    quota({}),
    {
      value: 'rate',
    },
  ),
  externalIssuers: setting(
    'external-issuers',
    '[]',
    'Issuers whose tokens are taken too: a JSON array, or the file that holds it.',
    issuers,
    {
      value: 'json|file',
    },
  ),
  refuseExclusivePairs: setting(
    'refuse-exclusive-pairs',
    'off',
    'Refuses to leave an auth user with two capabilities that guides call not assignable together.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  allowPrivateUrls: setting(
    'allow-private-urls',
    'off',
    'Lets configured addresses lead to loopback and private networks.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  logLevel: setting(
    'log-level',
    'info',
    `Least serious log line to write: ${LEVELS.join(', ')}.`,
    oneOf(LEVELS),
    {
      ...ANY,
      value: 'level',
    },
  ),
  refreshMs: setting(
    'refresh-ms',
    200,
    'How often the indexer looks for changes that another process wrote.',
    wholeNumber(10, 60_000),
    { ...ANY, ...MILLISECONDS },
  ),
  queryTimeoutMs: setting(
    'query-timeout-ms',
    30_000,
    'Time a query may take before it ends with an error.',
    wholeNumber(1, 3_600_000),
    MILLISECONDS,
  ),
  bodyLimit: setting(
    'body-limit',
    '1MiB',
    'Longest request body; imports stream and are not bound by it.',
    byteCount(1024, 1024 ** 3),
    { value: 'bytes' },
  ),
  headerLimit: setting(
    'header-limit',
    '16KiB',
    'Longest request headers.',
    byteCount(1024, 1024 ** 2),
    { value: 'bytes' },
  ),
  headersTimeoutMs: setting(
    'headers-timeout-ms',
    10_000,
    'Time in which the headers of a request must have come.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  bodyTimeoutMs: setting(
    'body-timeout-ms',
    30_000,
    'Time in which the body of a request must have come.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  responseTimeoutMs: setting(
    'response-timeout-ms',
    60_000,
    'Time in which a client must have taken an answer.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  stopTimeoutMs: setting(
    'stop-timeout-ms',
    8_000,
    'Time that requests in flight are given when the service stops.',
    wholeNumber(0, 600_000),
    MILLISECONDS,
  ),
  maxConnections: setting(
    'max-connections',
    10_000,
    'Connections at a time.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxSearches: setting(
    'max-searches',
    256,
    'Searches and counts at a time; more are turned away with 503.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  documentation: setting('documentation', 'on', 'Serves the API documentation at /docs.', onOff, {
    value: 'on|off',
  }),
  collectionEnvelope: setting(
    'collection-envelope',
    'array',
    'What collections of profile management are without metadata: array, or keyed as {"users":[…]}.',
    oneOf(['array', 'keyed'] as const),
    { value: 'array|keyed' },
  ),
  profileTimeZone: setting(
    'profile-time-zone',
    'UTC',
    'The zone whose calendar says which day Today is in rules about dates: an IANA name or an offset.',
    zoneName,
    { value: 'ZONE' },
  ),
  maxDynamicFields: setting(
    'max-dynamic-fields',
    2000,
    'Attribute names an index may learn; a document that brings more is refused.',
    wholeNumber(0, 100_000),
    { ...ANY, ...NUMBER },
  ),
  maxClauses: setting(
    'max-clauses',
    DEFAULT_LIMITS.maxClauses,
    'Clauses of a query.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxDepth: setting(
    'max-depth',
    DEFAULT_LIMITS.maxDepth,
    'Levels of a query.',
    wholeNumber(1, 200),
    NUMBER,
  ),
  maxQueryLength: setting(
    'max-query-length',
    DEFAULT_LIMITS.maxQueryLength,
    'Characters of a query text.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxTerms: setting(
    'max-terms',
    DEFAULT_LIMITS.maxTerms,
    'Values of one filter.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxRegexLength: setting(
    'max-regex-length',
    DEFAULT_LIMITS.maxRegexLength,
    'Characters of a regular expression.',
    wholeNumber(1, 100_000),
    NUMBER,
  ),
  maxWindow: setting(
    'max-window',
    DEFAULT_LIMITS.maxWindow,
    'Greatest limit, and greatest offset and limit together.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxAggregationDepth: setting(
    'max-aggregation-depth',
    DEFAULT_LIMITS.maxAggregationDepth,
    'Levels of aggregations.',
    wholeNumber(1, 20),
    NUMBER,
  ),
  maxBuckets: setting(
    'max-buckets',
    DEFAULT_LIMITS.maxBuckets,
    'Buckets that the aggregations of a request may come to.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
} satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;
type Values = { readonly [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]['parse']> | null };

/** The settings as the service uses them. Paths are absolute. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash; null: where it listens. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  readonly store: StoreConfig;
  /** Directory of the embedded search index; its lock says who feeds the index, wherever that is. */
  readonly indexDir: string;
  /** The OpenSearch that searches; null: the embedded engine. */
  readonly searchUrl: string | null;
  readonly searchPrefix: string;
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly rateLimit: Values['rateLimit'];
  readonly tokenAttempts: Values['tokenAttempts'];
  readonly externalIssuers: NonNullable<Values['externalIssuers']>;
  readonly refuseExclusivePairs: boolean;
  readonly allowPrivateUrls: boolean;
  readonly logLevel: (typeof LEVELS)[number];
  readonly refreshMs: number;
  readonly queryTimeoutMs: number;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Bytes. */
  readonly headerLimit: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxSearches: number;
  readonly documentation: boolean;
  readonly collectionEnvelope: 'array' | 'keyed';
  readonly profileTimeZone: string;
  readonly maxDynamicFields: number;
  readonly limits: QueryLimits;
}

/** Where the store is and how it is reached. Paths are absolute. */
export type StoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string; readonly busyMs: number }
  | {
      readonly kind: 'postgres';
      /** May hold a password: it goes into no message. */
      readonly url: string;
      readonly poolSize: number;
      readonly waitMs: number;
      readonly statementMs: number;
    };

/** What is wrong with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Settings that will exist; naming one early deserves more than "unknown". */
const LATER: Readonly<Record<string, string>> = {
  CARDEA_REDIS_URL: 'Counters shared by several nodes come later.',
};

/**
 * Reads the settings: a flag wins over the environment, which wins over the default. An empty variable counts as not set.
 * @param flags by key, as text
 * @param readFile reads a named file; throws where it cannot
 * @throws ConfigError with all faults
 */
export function parseConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingKey, string>>> = {},
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Config {
  const faults = unknownVariables(env);
  const reader = new Reader(env, flags, readFile, faults);
  const values = Object.fromEntries(
    Object.keys(SETTINGS).map((key) => [key, reader.value(key as SettingKey)]),
  ) as Values;
  const tls = readTls(values, reader, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return assemble(values as { [K in SettingKey]: NonNullable<Values[K]> }, values, tls);
}

/** Reads single settings and notes what is wrong. */
class Reader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #flags: Readonly<Partial<Record<SettingKey, string>>>;
  readonly #readFile: (path: string) => string;
  readonly #faults: string[];

  constructor(
    env: Readonly<Record<string, string | undefined>>,
    flags: Readonly<Partial<Record<SettingKey, string>>>,
    readFile: (path: string) => string,
    faults: string[],
  ) {
    this.#env = env;
    this.#flags = flags;
    this.#readFile = readFile;
    this.#faults = faults;
  }

  /** What the caller wrote, and where. */
  source(key: SettingKey): { readonly text: string; readonly where: string } | null {
    const { env, flag, byDefault } = SETTINGS[key];
    const flagged = this.#flags[key];
    if (flagged !== undefined) return { text: flagged, where: `--${flag}` };
    const set = this.#env[env];
    if (set !== undefined && set !== '') return { text: set, where: env };
    return byDefault === null ? null : { text: byDefault, where: env };
  }

  value(key: SettingKey): unknown {
    const source = this.source(key);
    if (source === null) return null;
    const { text, where } = source;
    try {
      // JSON begins with a bracket; anything else names the file that holds it.
      const inFile = key === 'externalIssuers' && !text.trimStart().startsWith('[');
      return SETTINGS[key].parse(inFile ? this.file(text) : text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const open = text.replace(/:\/\/.*@/s, '://…@'); // a password stays out of messages
      const shown = open.length > 60 ? `${open.slice(0, 60)}…` : open;
      this.#faults.push(`${where} ${error.message} (it is ${JSON.stringify(shown)}).`);
      return null;
    }
  }

  /** @throws InvalidValue */
  file(path: string): string {
    try {
      return this.#readFile(path);
    } catch (error) {
      throw new InvalidValue(`names a file that cannot be read: ${(error as Error).message}`);
    }
  }
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(SETTINGS).map((entry) => entry.env);
  return Object.keys(env)
    .filter((name) => name.startsWith('CARDEA_') && !known.includes(name))
    .sort()
    .map((name) => {
      const later = LATER[name];
      if (later !== undefined) return `${name} is not taken yet. ${later}`;
      const near = nearest(name, known);
      return `${name} is not a setting${near === undefined ? '.' : `; did you mean ${near}?`}`;
    });
}

function readTls(values: Values, reader: Reader, faults: string[]): Config['tls'] {
  const { tlsCert, tlsKey } = values;
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null) {
    const missing = tlsCert === null ? SETTINGS.tlsCert : SETTINGS.tlsKey;
    // A key that was given but faulty has its own fault already.
    if (reader.source(tlsCert === null ? 'tlsCert' : 'tlsKey') === null) {
      faults.push(`${missing.env} is missing: TLS needs a certificate and its key.`);
    }
    return null;
  }
  const read = (key: 'tlsCert' | 'tlsKey', path: string): string => {
    try {
      return reader.file(path);
    } catch (error) {
      faults.push(`${reader.source(key)?.where} ${(error as Error).message}.`);
      return '';
    }
  };
  return { cert: read('tlsCert', tlsCert), key: read('tlsKey', tlsKey) };
}

function assemble(
  set: { readonly [K in SettingKey]: NonNullable<Values[K]> },
  values: Values,
  tls: Config['tls'],
): Config {
  const dataDir = resolve(set.dataDir);
  return {
    port: set.port,
    host: set.host,
    baseUrl: values.baseUrl,
    dataDir,
    store: storeConfig(set, values.storeUrl, dataDir),
    indexDir: join(dataDir, 'index'),
    searchUrl: set.searchUrl.url,
    searchPrefix: set.searchPrefix,
    tls,
    rateLimit: values.rateLimit,
    tokenAttempts: values.tokenAttempts,
    externalIssuers: set.externalIssuers,
    refuseExclusivePairs: set.refuseExclusivePairs,
    allowPrivateUrls: set.allowPrivateUrls,
    logLevel: set.logLevel,
    refreshMs: set.refreshMs,
    queryTimeoutMs: set.queryTimeoutMs,
    bodyLimit: set.bodyLimit,
    headerLimit: set.headerLimit,
    headersTimeoutMs: set.headersTimeoutMs,
    bodyTimeoutMs: set.bodyTimeoutMs,
    responseTimeoutMs: set.responseTimeoutMs,
    stopTimeoutMs: set.stopTimeoutMs,
    maxConnections: set.maxConnections,
    maxSearches: set.maxSearches,
    documentation: set.documentation,
    collectionEnvelope: set.collectionEnvelope,
    profileTimeZone: set.profileTimeZone,
    maxDynamicFields: set.maxDynamicFields,
    limits: {
      maxClauses: set.maxClauses,
      maxDepth: set.maxDepth,
      maxQueryLength: set.maxQueryLength,
      maxTerms: set.maxTerms,
      maxRegexLength: set.maxRegexLength,
      maxWindow: set.maxWindow,
      maxAggregationDepth: set.maxAggregationDepth,
      maxBuckets: set.maxBuckets,
    },
  };
}

function storeConfig(
  set: { storePool: number; storeWaitMs: number; storeTimeoutMs: number },
  address: StoreAddress | null,
  dataDir: string,
): StoreConfig {
  const { storePool: poolSize, storeWaitMs: waitMs, storeTimeoutMs: statementMs } = set;
  if (address?.kind === 'postgres') return { ...address, poolSize, waitMs, statementMs };
  const path = address === null ? join(dataDir, 'cardea.db') : resolve(address.path);
  return { kind: 'sqlite', path, busyMs: waitMs };
}
