// The settings of this process, read and checked: flags, environment and defaults become one Config. Nothing else reads
// the environment.
// Invariant: with nothing set everything works, and faulty settings are told all at once.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  InvalidValue,
  isLoopback,
  nearest,
  type Quota,
  type StoreAddress,
} from './config-values.ts';
import type { QueryLimits } from './query/limits.ts';
import { ISC_RATE, SETTINGS, type SettingKey, type Values } from './settings.ts';

/** The settings as the service uses them. Paths are absolute. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash; null: where it listens. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  readonly store: StoreConfig;
  /** Where the key comes from that seals secrets in the store; null: nothing is sealed. Never in a message. */
  readonly secretsKey:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly path: string }
    | null;
  /** Directory of the embedded search index; its lock says who feeds the index, wherever that is. */
  readonly indexDir: string;
  /** The OpenSearch that searches; null: the embedded engine. */
  readonly searchUrl: string | null;
  readonly searchPrefix: string;
  readonly searchWorkers: number;
  /** PEM texts, and the absolute paths that they were read from. */
  readonly tls: {
    readonly cert: string;
    readonly key: string;
    readonly certFile: string;
    readonly keyFile: string;
  } | null;
  /** null: no limit. */
  readonly rateLimit: Quota | null;
  /** Of other sites whose pages may call the API; `*` for any, empty for none. */
  readonly corsOrigins: readonly string[];
  readonly tokenAttempts: Values['tokenAttempts'];
  /** May hold a password: it goes into no message. null: each node counts for itself. */
  readonly redisUrl: string | null;
  readonly tokenPolicy: NonNullable<Values['tokenPolicy']>;
  readonly externalIssuers: NonNullable<Values['externalIssuers']>;
  readonly refuseExclusivePairs: boolean;
  readonly allowPrivateUrls: boolean;
  readonly logLevel: NonNullable<Values['logLevel']>;
  readonly refreshMs: number;
  readonly queryTimeoutMs: number;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly documentLimit: number;
  /** Bytes. */
  readonly headerLimit: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Addresses and networks. */
  readonly trustedProxies: readonly string[];
  /** Of callers and tenants: memory in bytes, shares up to 1, weights by tenant id. */
  readonly capacity: CapacityConfig;
  /** null: off. */
  readonly metrics: Values['metrics'];
  /** null: no traces. */
  readonly otlpUrl: string | null;
  /** Absolute path; null: no file. */
  readonly auditFile: string | null;
  /** Bytes. */
  readonly auditFileSize: number;
  readonly auditFiles: number;
  /** null: no collector. */
  readonly auditUrl: string | null;
  /** A secret: it goes into no message. */
  readonly auditAuthorization: string | null;
  readonly documentation: boolean;
  readonly console: boolean;
  readonly collectionEnvelope: 'array' | 'keyed';
  readonly profileTimeZone: string;
  readonly maxDynamicFields: number;
  readonly limits: QueryLimits;
}

/** What there is for requests at a time, and how it is divided. */
export interface CapacityConfig {
  readonly maxSearches: number;
  readonly maxProfileSearches: number;
  readonly maxWrites: number;
  readonly queueWaitMs: number;
  readonly anonymousBodyLimitBytes: number;
  readonly bodyMemoryBytes: number;
  readonly answerMemoryBytes: number;
  readonly anonymousMemoryBytes: number;
  readonly importTimeoutMs: number;
  /** Bytes a second. */
  readonly leastBodyRate: number;
  /** Bytes a second. */
  readonly leastAnswerRate: number;
  readonly stallMs: number;
  readonly tenantShare: number;
  readonly callerShare: number;
  readonly tenantWeights: ReadonlyMap<string, number>;
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
  if (values.secretsKey !== null && values.secretsKeyFile !== null) {
    faults.push('CARDEA_SECRETS_KEY and CARDEA_SECRETS_KEY_FILE are both set: leave one out.');
  }
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
      if (key === 'secretsKey') {
        this.#faults.push(`${where} ${error.message}.`);
        return null;
      }
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
  return {
    cert: read('tlsCert', tlsCert),
    key: read('tlsKey', tlsKey),
    certFile: resolve(tlsCert),
    keyFile: resolve(tlsKey),
  };
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
    secretsKey: secretsKeyOf(values, dataDir),
    indexDir: join(dataDir, 'index'),
    searchUrl: set.searchUrl.url,
    searchPrefix: set.searchPrefix,
    searchWorkers: values.searchWorkers ?? defaultSearchWorkers(),
    tls,
    rateLimit: rateLimitOf(set.rateLimit, set.host),
    tokenAttempts: values.tokenAttempts,
    redisUrl: values.redisUrl,
    tokenPolicy: set.tokenPolicy,
    externalIssuers: set.externalIssuers,
    refuseExclusivePairs: set.refuseExclusivePairs,
    allowPrivateUrls: set.allowPrivateUrls,
    logLevel: set.logLevel,
    refreshMs: set.refreshMs,
    queryTimeoutMs: set.queryTimeoutMs,
    bodyLimit: set.bodyLimit,
    documentLimit: set.documentLimit,
    headerLimit: set.headerLimit,
    headersTimeoutMs: set.headersTimeoutMs,
    bodyTimeoutMs: set.bodyTimeoutMs,
    responseTimeoutMs: set.responseTimeoutMs,
    stopTimeoutMs: set.stopTimeoutMs,
    maxConnections: set.maxConnections,
    maxConnectionsPerAddress: set.maxConnectionsPerAddress,
    trustedProxies: set.trustedProxies,
    capacity: {
      maxSearches: set.maxSearches,
      maxProfileSearches: set.maxProfileSearches,
      maxWrites: set.maxWrites,
      queueWaitMs: set.queueWaitMs,
      anonymousBodyLimitBytes: set.anonymousBodyLimit,
      bodyMemoryBytes: set.bodyMemory,
      answerMemoryBytes: set.answerMemory,
      anonymousMemoryBytes: set.anonymousMemory,
      importTimeoutMs: set.importTimeoutMs,
      leastBodyRate: set.leastBodyRate,
      leastAnswerRate: set.leastAnswerRate,
      stallMs: set.stallMs,
      tenantShare: set.tenantShare,
      callerShare: set.callerShare,
      tenantWeights: set.tenantWeights,
    },
    metrics: values.metrics,
    otlpUrl: values.otlpUrl,
    auditFile: values.auditFile === null ? null : resolve(values.auditFile),
    auditFileSize: set.auditFileSize,
    auditFiles: set.auditFiles,
    auditUrl: values.auditUrl,
    auditAuthorization: values.auditAuthorization,
    documentation: set.documentation,
    console: set.console,
    collectionEnvelope: set.collectionEnvelope,
    corsOrigins: set.corsOrigins,
    profileTimeZone: set.profileTimeZone,
    maxDynamicFields: set.maxDynamicFields,
    limits: {
      maxClauses: set.maxClauses,
      maxDepth: set.maxDepth,
      maxQueryLength: set.maxQueryLength,
      maxTerms: set.maxTerms,
      maxRegexLength: set.maxRegexLength,
      maxSortKeys: set.maxSortKeys,
      maxWindow: set.maxWindow,
      maxAggregationDepth: set.maxAggregationDepth,
      maxBuckets: set.maxBuckets,
    },
  };
}

/** Nodes that share a database do not share a directory, so there no file is the default. */
function secretsKeyOf(values: Values, dataDir: string): Config['secretsKey'] {
  const { secretsKey: text, secretsKeyFile: file, storeUrl } = values;
  if (text !== null) return { kind: 'text', text };
  if (file !== null) return { kind: 'file', path: resolve(file) };
  if (storeUrl?.kind === 'postgres') return null;
  return { kind: 'file', path: join(dataDir, 'secrets.key') };
}

/** Without a setting, whoever can be reached from outside has the limit of the public service. */
function rateLimitOf(rate: Quota | 'auto' | 'off', host: string): Quota | null {
  if (rate === 'auto') return isLoopback(host) ? null : ISC_RATE;
  return rate === 'off' ? null : rate;
}

/** The main thread needs a core of its own; more than a few would wait for it. */
function defaultSearchWorkers(): number {
  return Math.min(availableParallelism(), 4);
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
