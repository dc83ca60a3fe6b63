// The table of settings: for each its environment variable, its flag, its default, one sentence and how its text is
// read. --help, docs/configuration.md and config.ts all read this table, and nothing else says what can be set.
import { TOKEN_POLICIES } from './auth/confinement.ts';
import {
  byteCount,
  indexPrefix,
  issuers,
  metricsAddress,
  networkList,
  oneOf,
  onOff,
  originList,
  type Parser,
  percent,
  quota,
  quotaOrAuto,
  redisAddress,
  searchAddress,
  secretsKeyText,
  someText,
  storeAddress,
  tenantWeights,
  webAddress,
  wholeNumber,
  zoneName,
} from './config-values.ts';
import { DEFAULT_LIMITS } from './query/limits.ts';

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
export const ISC_RATE = { count: 100, seconds: 10 };
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

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
  secretsKey: setting(
    'secrets-key',
    null,
    'Key that seals the signing keys in the store: 64 hexadecimal digits or 32 bytes in base64. Prefer the file.',
    secretsKeyText,
    { ...ANY, value: 'key', otherwise: 'as CARDEA_SECRETS_KEY_FILE says' },
  ),
  secretsKeyFile: setting(
    'secrets-key-file',
    null,
    'File of that key; it is made where it is missing. Nodes that share a PostgreSQL need the same key.',
    someText('a file'),
    {
      ...ANY,
      value: 'file',
      otherwise: 'secrets.key in the data directory; with PostgreSQL none, and nothing is sealed',
    },
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
  searchWorkers: setting(
    'search-workers',
    null,
    'Threads that run the searches that take long, with the embedded search; 0: the main thread runs them all.',
    wholeNumber(0, 64),
    { ...NUMBER, otherwise: 'one a core, 4 at most' },
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
    'auto',
    'Requests per client, and per address those without a valid token: off, isc (100 in 10 seconds), N/SECONDS, or auto, which is off on a loopback address and isc elsewhere.',
    quotaOrAuto({ isc: ISC_RATE }),
    {
      value: 'rate',
    },
  ),
  tokenAttempts: setting(
    'token-attempts',
    '20/60',
    'Wrong secrets that an address may send to the token endpoint before it is told to wait: off or N/SECONDS. Right ones are always taken.',
    quota({}),
    {
      value: 'rate',
    },
  ),
  trustedProxies: setting(
    'trusted-proxies',
    'none',
    'Proxies whose X-Forwarded-For or Forwarded header names the client: none, or addresses and networks with commas.',
    networkList,
    { value: 'networks' },
  ),
  tokenPolicy: setting(
    'token-policy',
    'strict',
    'What a token may create: strict (no more scope and no longer life than its own, and it ends with it) or vendor (any, as the public service, which also takes secrets in the query of a token request).',
    oneOf(TOKEN_POLICIES),
    { value: TOKEN_POLICIES.join('|') },
  ),
  redisUrl: setting(
    'redis-url',
    null,
    'Redis that counts requests and wrong secrets for several nodes together (redis:// or rediss://).',
    redisAddress,
    { value: 'url', otherwise: 'each node counts for itself' },
  ),
  corsOrigins: setting(
    'cors-origins',
    'off',
    'Origins whose pages may call the API from browsers: off, * for any, or a list with commas.',
    originList,
    { value: 'origins' },
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
    `Least serious log line to write: ${LOG_LEVELS.join(', ')}.`,
    oneOf(LOG_LEVELS),
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
  documentLimit: setting(
    'document-limit',
    '2MiB',
    'Longest document, auth user or profile of an import.',
    byteCount(1024, 16 * 1024 ** 2),
    { ...ANY, value: 'bytes' },
  ),
  anonymousBodyLimit: setting(
    'anonymous-body-limit',
    '16KiB',
    'Longest request body where no token is needed, as at the token endpoint.',
    byteCount(1024, 1024 ** 2),
    { value: 'bytes' },
  ),
  bodyMemory: setting(
    'body-memory',
    '256MiB',
    'Memory for request bodies and the unfinished lines of imports.',
    byteCount(1024 ** 2, 1024 ** 4),
    { value: 'bytes' },
  ),
  answerMemory: setting(
    'answer-memory',
    '256MiB',
    'Memory for answers that clients have not taken yet.',
    byteCount(1024 ** 2, 1024 ** 4),
    { value: 'bytes' },
  ),
  anonymousMemory: setting(
    'anonymous-memory',
    '16MiB',
    'Memory for bodies, and as much for answers, of requests without a valid token.',
    byteCount(1024 ** 2, 1024 ** 4),
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
  importTimeoutMs: setting(
    'import-timeout-ms',
    3_600_000,
    'Time in which an import must have come.',
    wholeNumber(1_000, 86_400_000),
    MILLISECONDS,
  ),
  leastBodyRate: setting(
    'least-body-rate',
    '1KiB',
    'Bytes a second at which a body must come, measured over the stall time; a slower one is refused with 408.',
    byteCount(1, 1024 ** 3),
    { value: 'bytes' },
  ),
  leastAnswerRate: setting(
    'least-answer-rate',
    '256KiB',
    'Bytes a second at which an answer must be taken where its memory is needed; a slower one is cut off.',
    byteCount(1, 1024 ** 3),
    { value: 'bytes' },
  ),
  stallMs: setting(
    'stall-ms',
    5_000,
    'Time that a body or an answer may stall before its rate counts.',
    wholeNumber(100, 600_000),
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
  maxConnectionsPerAddress: setting(
    'max-connections-per-address',
    1_000,
    'Connections at a time of one address (of IPv6: of one /64); trusted proxies are exempt.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxSearches: setting(
    'max-searches',
    256,
    'Searches, counts, aggregations and lists of profiles at a time.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxProfileSearches: setting(
    'max-profile-searches',
    32,
    'Advanced searches of profiles at a time; more are turned away with 503.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxWrites: setting(
    'max-writes',
    256,
    'Changes at a time, imports included.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  queueWaitMs: setting(
    'queue-wait-ms',
    1_000,
    'Time a request waits for its place before it is refused with 503.',
    wholeNumber(0, 60_000),
    MILLISECONDS,
  ),
  tenantShare: setting(
    'tenant-share',
    50,
    'Largest part of the places and memory that one tenant, or one address without a valid token, may hold, in per cent; less while others need them.',
    percent,
    { value: 'percent' },
  ),
  callerShare: setting(
    'caller-share',
    50,
    'Largest part of its tenant’s share that one user or API client may hold, in per cent.',
    percent,
    { value: 'percent' },
  ),
  tenantWeights: setting(
    'tenant-weights',
    'none',
    'Tenants that get more or less than the others: none, or tenant ids with weights, such as ID=2,ID=0.5.',
    tenantWeights,
    { value: 'weights' },
  ),
  metrics: setting(
    'metrics',
    'off',
    'Serves figures for Prometheus at /metrics: off, on (for all who reach the port of the API), or PORT or ADDRESS:PORT of their own.',
    metricsAddress,
    { value: 'off|on|port' },
  ),
  otlpUrl: setting(
    'otlp-url',
    null,
    'Collector that traces are sent to by OTLP over HTTP, such as http://127.0.0.1:4318.',
    webAddress,
    { value: 'url', otherwise: 'no traces' },
  ),
  auditFile: setting(
    'audit-file',
    null,
    'File that events of the audit trail are exported to as JSON lines.',
    someText('a file'),
    { value: 'file', otherwise: 'no file' },
  ),
  auditFileSize: setting(
    'audit-file-size',
    '100MiB',
    'Size at which the file of the audit export is rotated.',
    byteCount(1024, 1024 ** 4),
    { value: 'bytes' },
  ),
  auditFiles: setting(
    'audit-files',
    10,
    'Rotated files of the audit export that are kept.',
    wholeNumber(1, 10_000),
    NUMBER,
  ),
  auditUrl: setting(
    'audit-url',
    null,
    'Collector that events of the audit trail are posted to as JSON lines, such as https://logs.example.org/audit.',
    webAddress,
    { value: 'url', otherwise: 'no collector' },
  ),
  auditAuthorization: setting(
    'audit-authorization',
    null,
    'Header Authorization of what is posted to the audit URL, such as Bearer and a token.',
    someText('the value of a header'),
    { value: 'text', otherwise: 'no header' },
  ),
  documentation: setting('documentation', 'on', 'Serves the API documentation at /docs.', onOff, {
    value: 'on|off',
  }),
  console: setting('console', 'on', 'Serves the web console at /console.', onOff, {
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
  maxSortKeys: setting(
    'max-sort-keys',
    DEFAULT_LIMITS.maxSortKeys,
    'Keys that a search can be sorted by.',
    wholeNumber(1, 1_000),
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
/** What the settings come to; null: not set. */
export type Values = {
  readonly [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]['parse']> | null;
};
