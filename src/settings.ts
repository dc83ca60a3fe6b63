// The table of settings: environment variable, flag, default, description and parser of each. It is
// the only source for --help, docs/configuration.md and config.ts.
import { TOKEN_POLICIES } from './auth/confinement.ts';
import {
  byteCount,
  indexPrefix,
  issuers,
  memorySize,
  metricsAddress,
  networkList,
  oneOf,
  onOff,
  originList,
  type Parser,
  percent,
  period,
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
import { perIndex, replicaCount } from './index-settings.ts';
import { DEFAULT_LIMITS } from './query/limits.ts';
import { ianaZone, mailSender, mailServer, sharedSecret } from './report-settings.ts';
import { clockSetting, faultPlan, indexLag } from './test-settings.ts';

/** The commands that have a setting: all, or only those that serve HTTP. */
export type SettingScope = 'every command' | 'server';

/** One setting. */
export interface Setting<T = unknown> {
  readonly env: string;
  /** Without the dashes. */
  readonly flag: string;
  /** Name of the value in help texts. */
  readonly value: string;
  /** As text, parsed like any other value; null: not set. */
  readonly byDefault: string | null;
  /** Description of a default that is not fixed. */
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
/** The documented rate of the public service (contract/auth-users.md section 5). */
export const ISC_RATE = { count: 100, seconds: 10 };
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** All settings, in the order of help texts. */
export const SETTINGS = {
  port: setting(
    'port',
    8080,
    'Port to listen on; 0 picks a free one.',
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
  baseUrl: setting('base-url', null, 'Public address of the service.', webAddress, {
    value: 'url',
    otherwise: 'the address it listens on',
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
    'Time to wait for the store: for a connection, or for the writes of others.',
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
  storeCheckSeconds: setting(
    'store-check-seconds',
    86_400,
    'Time between checks of every page of the SQLite store in the background; 0: none.',
    wholeNumber(0, 31_536_000),
    { value: 'seconds' },
  ),
  secretsKey: setting(
    'secrets-key',
    null,
    'Key that seals the signing keys in the store: 64 hexadecimal digits or 32 bytes in base64. Prefer the file.',
    secretsKeyText,
    { ...ANY, value: 'key', otherwise: 'the content of CARDEA_SECRETS_KEY_FILE' },
  ),
  secretsKeyFile: setting(
    'secrets-key-file',
    null,
    'File of that key; created if missing. Nodes that share a PostgreSQL database need the same key.',
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
    'Search backend: embedded, or the address of an OpenSearch (http or https).',
    searchAddress,
    { ...ANY, value: 'backend' },
  ),
  searchPrefix: setting(
    'search-prefix',
    'cardea',
    'Prefix of index names in OpenSearch; services that share a cluster need different ones.',
    indexPrefix,
    { ...ANY, value: 'name' },
  ),
  searchShards: setting(
    'search-shards',
    '1',
    'Shards of each index in OpenSearch: a number for all, and others by document type, tenant id or both, such as 1,events=3,ID/events=6,ID/*=2. A change feeds the documents into new indexes beside the old ones, which answer meanwhile.',
    perIndex(wholeNumber(1, 64), '1,events=3'),
    { ...ANY, value: 'numbers' },
  ),
  searchReplicas: setting(
    'search-replicas',
    'auto',
    'Copies of each shard in OpenSearch beside the first: auto (one, if there is a second node) or a number, and others by document type, tenant id or both, such as auto,events=2,ID/*=0. A change applies to existing indexes at the start.',
    perIndex(replicaCount, 'auto,events=2'),
    { ...ANY, value: 'numbers' },
  ),
  searchOpenIndexes: setting(
    'search-open-indexes',
    500,
    'Indexes that are open in OpenSearch for each of its data nodes; more are closed, those first that were not used for longest, and opened again by a search or change.',
    wholeNumber(20, 100_000),
    { ...ANY, ...NUMBER },
  ),
  searchWorkers: setting(
    'search-workers',
    null,
    'Threads for long searches of the embedded search; 0: the main thread runs all.',
    wholeNumber(0, 64),
    { ...NUMBER, otherwise: 'one per core, at most 4' },
  ),
  memory: setting(
    'memory',
    '25%',
    'Memory for the caches of the embedded search, most of it for documents: bytes, or a share of the memory of the machine or container.',
    memorySize(16 * 2 ** 20),
    { ...ANY, value: 'bytes|percent' },
  ),
  tlsCert: setting(
    'tls-cert',
    null,
    'File of the certificate chain, PEM; enables TLS.',
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
    'Wrong secrets that an address may send to the token endpoint before it must wait: off or N/SECONDS. Correct ones are always accepted.',
    quota({}),
    {
      value: 'rate',
    },
  ),
  trustedProxies: setting(
    'trusted-proxies',
    'none',
    'Proxies whose X-Forwarded-For or Forwarded header names the client: none, or comma-separated addresses and networks.',
    networkList,
    { value: 'networks' },
  ),
  tokenPolicy: setting(
    'token-policy',
    'strict',
    'Credentials that a token may create: strict (no more scope and no longer lifetime than its own, and deleted with it) or vendor (any, like the public service, which also accepts secrets in the query of a token request).',
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
    'Origins whose pages may call the API from browsers: off, * for any, or a comma-separated list.',
    originList,
    { value: 'origins' },
  ),
  externalIssuers: setting(
    'external-issuers',
    '[]',
    'External issuers whose tokens are accepted: a JSON array, or a file that holds one.',
    issuers,
    {
      value: 'json|file',
    },
  ),
  refuseExclusivePairs: setting(
    'refuse-exclusive-pairs',
    'off',
    'Rejects changes that give an auth user two capabilities that guides call not assignable together.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  allowPrivateUrls: setting(
    'allow-private-urls',
    'off',
    'Allows configured addresses in loopback and private networks.',
    onOff,
    {
      value: 'on|off',
    },
  ),
  logLevel: setting(
    'log-level',
    'info',
    `Least severe level that is logged: ${LOG_LEVELS.join(', ')}.`,
    oneOf(LOG_LEVELS),
    {
      ...ANY,
      value: 'level',
    },
  ),
  refreshMs: setting(
    'refresh-ms',
    200,
    'How often the indexer checks for changes written by other processes.',
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
    'Largest request body; imports are streamed and not limited by it.',
    byteCount(1024, 1024 ** 3),
    { value: 'bytes' },
  ),
  documentLimit: setting(
    'document-limit',
    '2MiB',
    'Largest document, auth user or profile of an import.',
    byteCount(1024, 16 * 1024 ** 2),
    { ...ANY, value: 'bytes' },
  ),
  anonymousBodyLimit: setting(
    'anonymous-body-limit',
    '16KiB',
    'Largest request body of routes without a token, such as the token endpoint.',
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
    'Memory for responses that clients have not read yet.',
    byteCount(1024 ** 2, 1024 ** 4),
    { value: 'bytes' },
  ),
  anonymousMemory: setting(
    'anonymous-memory',
    '16MiB',
    'Memory for bodies, and the same for responses, of requests without a valid token.',
    byteCount(1024 ** 2, 1024 ** 4),
    { value: 'bytes' },
  ),
  headerLimit: setting(
    'header-limit',
    '16KiB',
    'Largest request headers.',
    byteCount(1024, 1024 ** 2),
    { value: 'bytes' },
  ),
  headersTimeoutMs: setting(
    'headers-timeout-ms',
    10_000,
    'Time in which the headers of a request must arrive.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  bodyTimeoutMs: setting(
    'body-timeout-ms',
    30_000,
    'Time in which the body of a request must arrive.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  importTimeoutMs: setting(
    'import-timeout-ms',
    3_600_000,
    'Time in which an import must arrive.',
    wholeNumber(1_000, 86_400_000),
    MILLISECONDS,
  ),
  leastBodyRate: setting(
    'least-body-rate',
    '1KiB',
    'Bytes per second at which a body must arrive, measured over the stall time; a slower one is refused with 408.',
    byteCount(1, 1024 ** 3),
    { value: 'bytes' },
  ),
  leastAnswerRate: setting(
    'least-answer-rate',
    '256KiB',
    'Bytes per second at which a response must be read when its memory is needed; a slower one is cut off.',
    byteCount(1, 1024 ** 3),
    { value: 'bytes' },
  ),
  stallMs: setting(
    'stall-ms',
    5_000,
    'Time that a body or a response may stall before its rate counts.',
    wholeNumber(100, 600_000),
    MILLISECONDS,
  ),
  responseTimeoutMs: setting(
    'response-timeout-ms',
    60_000,
    'Time in which a client must read a response.',
    wholeNumber(100, 3_600_000),
    MILLISECONDS,
  ),
  stopTimeoutMs: setting(
    'stop-timeout-ms',
    8_000,
    'Time for requests in flight to finish when the service stops.',
    wholeNumber(0, 600_000),
    MILLISECONDS,
  ),
  maxConnections: setting(
    'max-connections',
    10_000,
    'Most open connections.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxConnectionsPerAddress: setting(
    'max-connections-per-address',
    1_000,
    'Most open connections per address (IPv6: per /64); trusted proxies are exempt.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxSearches: setting(
    'max-searches',
    256,
    'Most concurrent searches, counts, aggregations and lists of profiles; an eighth of it: most concurrent streams of rows.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxProfileSearches: setting(
    'max-profile-searches',
    32,
    'Most concurrent advanced searches of profiles; more are refused with 503.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxWrites: setting(
    'max-writes',
    256,
    'Most concurrent changes, including imports.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  queueWaitMs: setting(
    'queue-wait-ms',
    1_000,
    'Time a request waits for a place before it is refused with 503.',
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
    'Tenants with larger or smaller shares than others: none, or tenant ids with weights, such as ID=2,ID=0.5.',
    tenantWeights,
    { value: 'weights' },
  ),
  metrics: setting(
    'metrics',
    'off',
    'Serves metrics for Prometheus at /metrics: off, on (on the port of the API), or a separate PORT or ADDRESS:PORT.',
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
  eventRetention: setting(
    'event-retention',
    'off',
    'Age at which documents of events and account activities are deleted from the store and the search: off keeps all; a number of days or hours, such as 90d, at least one day. The recorded audit trail and its export keep all events.',
    period,
    { value: 'period' },
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
    'Authorization header of requests to the audit URL, such as Bearer and a token.',
    someText('the value of a header'),
    { value: 'text', otherwise: 'no header' },
  ),
  reportTimeZone: setting(
    'report-time-zone',
    'UTC',
    'Time zone of scheduled searches that name none: an IANA name.',
    ianaZone,
    { value: 'zone' },
  ),
  reportRows: setting(
    'report-rows',
    50_000,
    'Most rows of the results of one run of a saved search.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  reportBytes: setting(
    'report-bytes',
    '16MiB',
    'Largest results of one run of a saved search, as CSV.',
    byteCount(1024, 1024 ** 3),
    { value: 'bytes' },
  ),
  reportSeconds: setting(
    'report-seconds',
    600,
    'Time that one run of a saved search may take.',
    wholeNumber(1, 86_400),
    { value: 'seconds' },
  ),
  reportRunsKept: setting(
    'report-runs-kept',
    10,
    'Runs of each saved search that are kept with their results and deliveries.',
    wholeNumber(1, 1_000),
    NUMBER,
  ),
  smtpUrl: setting(
    'smtp-url',
    null,
    'Mail server that results of scheduled searches are sent through, such as smtp://user:password@mail.example.org:587, or smtps:// for TLS from the start.',
    mailServer,
    { value: 'url', otherwise: 'no e-mail' },
  ),
  smtpFrom: setting(
    'smtp-from',
    null,
    'Sender of these e-mails, such as Cardea <cardea@example.org>.',
    mailSender,
    { value: 'address', otherwise: 'needed with CARDEA_SMTP_URL' },
  ),
  webhookUrl: setting(
    'webhook-url',
    null,
    'Address that the end of each run of a saved search is posted to, signed.',
    webAddress,
    { value: 'url', otherwise: 'no webhook' },
  ),
  webhookSecret: setting(
    'webhook-secret',
    null,
    'Secret that signs what is posted to the webhook: at least 16 characters.',
    sharedSecret,
    { value: 'text', otherwise: 'needed with CARDEA_WEBHOOK_URL' },
  ),
  documentation: setting('documentation', 'on', 'Serves the API documentation at /docs.', onOff, {
    value: 'on|off',
  }),
  console: setting('console', 'on', 'Serves the web console at /console.', onOff, {
    value: 'on|off',
  }),
  mcp: setting(
    'mcp',
    'off',
    'Serves assistants that speak the Model Context Protocol at /mcp; see docs/assistants.md.',
    onOff,
    { value: 'on|off' },
  ),
  collectionEnvelope: setting(
    'collection-envelope',
    'array',
    'Form of collections of profile management without metadata: array, or keyed as {"users":[…]}.',
    oneOf(['array', 'keyed'] as const),
    { value: 'array|keyed' },
  ),
  profileTimeZone: setting(
    'profile-time-zone',
    'UTC',
    'Time zone of Today in rules about dates: an IANA name or an offset.',
    zoneName,
    { value: 'ZONE' },
  ),
  maxDynamicFields: setting(
    'max-dynamic-fields',
    2000,
    'Most dynamic fields of an index; a document that adds more is refused.',
    wholeNumber(0, 100_000),
    { ...ANY, ...NUMBER },
  ),
  maxClauses: setting(
    'max-clauses',
    DEFAULT_LIMITS.maxClauses,
    'Most clauses of a query.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxDepth: setting(
    'max-depth',
    DEFAULT_LIMITS.maxDepth,
    'Most nesting levels of a query.',
    wholeNumber(1, 200),
    NUMBER,
  ),
  maxQueryLength: setting(
    'max-query-length',
    DEFAULT_LIMITS.maxQueryLength,
    'Most characters of a query text.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxTerms: setting(
    'max-terms',
    DEFAULT_LIMITS.maxTerms,
    'Most values of one filter.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxRegexLength: setting(
    'max-regex-length',
    DEFAULT_LIMITS.maxRegexLength,
    'Most characters of a regular expression.',
    wholeNumber(1, 100_000),
    NUMBER,
  ),
  maxSortKeys: setting(
    'max-sort-keys',
    DEFAULT_LIMITS.maxSortKeys,
    'Most sort keys of a search.',
    wholeNumber(1, 1_000),
    NUMBER,
  ),
  maxWindow: setting(
    'max-window',
    DEFAULT_LIMITS.maxWindow,
    'Largest limit, and largest sum of offset and limit.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxAggregationDepth: setting(
    'max-aggregation-depth',
    DEFAULT_LIMITS.maxAggregationDepth,
    'Most nesting levels of aggregations.',
    wholeNumber(1, 20),
    NUMBER,
  ),
  maxBuckets: setting(
    'max-buckets',
    DEFAULT_LIMITS.maxBuckets,
    'Most buckets of all aggregations of a request.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  testing: setting(
    'testing',
    'off',
    'Powers for tests: administrators may inject faults, read requests and advice, set the clock, take snapshots and reset. Never for real data.',
    onOff,
    { value: 'on|off' },
  ),
  faults: setting(
    'faults',
    null,
    'Faults for all tenants, with --testing on: a JSON list of rules, or a file of one; see docs/testing.md.',
    faultPlan,
    { value: 'json|file' },
  ),
  now: setting(
    'now',
    'real',
    'The clock, with --testing on: an instant at which it stands still, or a shift such as +90d.',
    clockSetting,
    { value: 'instant|shift' },
  ),
  indexLag: setting(
    'index-lag',
    'off',
    'Time after which a search sees a change, with --testing on: such as 5s, or 2s-30s for a random time.',
    indexLag,
    { value: 'time' },
  ),
} satisfies Readonly<Record<string, Setting>>;

export type SettingKey = keyof typeof SETTINGS;
/** The parsed values of the settings; null: not set. */
export type Values = {
  readonly [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]['parse']> | null;
};
