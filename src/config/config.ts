// Reads and validates the settings: flags, environment and defaults become one Config. Nothing else
// reads the environment.
// Invariant: everything works without any setting, and all invalid settings are reported together.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { QueryLimits } from '../query/limits.ts';
import { nearestName } from '../query/mapping/nearest-name.ts';
import type { PerIndex } from '../query/mapping/per-index.ts';
import { InvalidValue, type MemorySize, type Quota, type StoreAddress } from './config-values.ts';
import { exposure, type ReachSettings } from './exposure.ts';
import { fileFault } from './file-fault.ts';
import { type OpenIdClient, openIdClient, openIdFaults } from './openid-settings.ts';
import { ISC_RATE } from './settings/access.ts';
import { SETTINGS, type SettingKey, type Values } from './settings/settings.ts';

/** The validated settings. Paths are absolute. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash; null: the listening address. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  readonly store: StoreConfig;
  /** 0: SQLite is not checked in the background. */
  readonly storeCheckSeconds: number;
  /** Seconds between comparisons of the indexes in OpenSearch with the store; 0: none. */
  readonly searchComparisonSeconds: number;
  /**
   * Source of the key that seals secrets in the store; null: nothing is sealed. Never in a message.
   */
  readonly secretsKey:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly path: string }
    | null;
  /** Directory of the embedded index; the holder of its lock feeds the index, embedded or not. */
  readonly indexDir: string;
  /** URL of OpenSearch; null: the embedded engine. */
  readonly searchUrl: string | null;
  readonly searchPrefix: string;
  readonly searchShards: PerIndex<number>;
  /** `auto`: one, if there is a second node. */
  readonly searchReplicas: PerIndex<number | 'auto'>;
  readonly searchOpenIndexes: number;
  readonly searchWorkers: number;
  /** Bytes of all caches of the embedded engine together. */
  readonly memory: number;
  /** PEM texts, and the absolute paths that they were read from. */
  readonly tls: {
    readonly cert: string;
    readonly key: string;
    readonly certFile: string;
    readonly keyFile: string;
  } | null;
  /** null: no limit. */
  readonly rateLimit: Quota | null;
  /** Origins whose pages may call the API; `*` for any, empty for none. */
  readonly corsOrigins: readonly string[];
  readonly tokenAttempts: Values['tokenAttempts'];
  /** May hold a password; never in a message. null: each node counts for itself. */
  readonly redisUrl: string | null;
  readonly tokenPolicy: NonNullable<Values['tokenPolicy']>;
  /** `auto`: on only where no others can reach the server (exposure.ts). */
  readonly secretsInQuery: NonNullable<Values['secretsInQuery']>;
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
  /** Addresses and networks; null: not set, which is none. */
  readonly trustedProxies: readonly string[] | null;
  /** Limits of requests: memory in bytes, shares up to 1, weights by tenant id. */
  readonly capacity: CapacityConfig;
  /** null: off. */
  readonly metrics: Values['metrics'];
  /** null: no traces. */
  readonly otlpUrl: string | null;
  /** Milliseconds; null: documents are kept. */
  readonly eventRetentionMs: number | null;
  /** Absolute path; null: no file. */
  readonly auditFile: string | null;
  /** Bytes. */
  readonly auditFileSize: number;
  readonly auditFiles: number;
  /** null: no collector. */
  readonly auditUrl: string | null;
  /** A secret; never in a message. */
  readonly auditAuthorization: string | null;
  readonly reports: ReportConfig;
  readonly documentation: boolean;
  /** null: there is no console. */
  readonly console: ConsoleConfig | null;
  readonly mcp: boolean;
  readonly collectionEnvelope: 'array' | 'keyed';
  readonly profileTimeZone: string;
  readonly maxDynamicFields: number;
  readonly limits: QueryLimits;
  /** Powers for tests; null: off. */
  readonly testing: TestingConfig | null;
}

/** What the console needs to know; nothing of it is secret. */
export interface ConsoleConfig {
  readonly idleSeconds: number;
  readonly sessionSeconds: number;
  /** null: users do not sign in with an OpenID provider. */
  readonly openid: OpenIdClient | null;
}

/** How saved searches run and are delivered. */
export interface ReportConfig {
  /** IANA name. */
  readonly timeZone: string;
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly runsKept: number;
  /** `url` may hold a password; never in a message. null: no e-mail. */
  readonly smtp: { readonly url: string; readonly from: string } | null;
  /** `secret` is never in a message. null: no webhook. */
  readonly webhook: { readonly url: string; readonly secret: string } | null;
}

/** How a server for tests behaves from its start on. */
export interface TestingConfig {
  readonly faults: Values['faults'];
  readonly clock: NonNullable<Values['now']>;
  /** null: changes are searchable as soon as possible. */
  readonly indexDelay: Values['indexLag'];
}

/** The capacity for concurrent requests, and its division between tenants and callers. */
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
  /** Bytes per second. */
  readonly leastBodyRate: number;
  /** Bytes per second. */
  readonly leastAnswerRate: number;
  readonly stallMs: number;
  readonly tenantShare: number;
  readonly callerShare: number;
  readonly tenantWeights: ReadonlyMap<string, number>;
}

/** Location and connection settings of the store. Paths are absolute. */
export type StoreConfig =
  | {
      readonly kind: 'sqlite';
      readonly path: string;
      readonly busyMs: number;
      /** False for data that is thrown away; true by default. */
      readonly durable?: boolean;
    }
  | {
      readonly kind: 'postgres';
      /** May hold a password; never in a message. */
      readonly url: string;
      readonly poolSize: number;
      readonly waitMs: number;
      readonly statementMs: number;
    };

/** Invalid settings, one sentence each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/**
 * Reads the settings: a flag wins over the environment, which wins over the default. An empty
 * variable counts as not set.
 * @param flags by key, as text
 * @param readFile reads a file, or throws
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
  checkPairs(values, reader, faults);
  faults.push(...openIdFaults(values));
  for (const key of ['faults', 'now', 'indexLag'] as const) {
    const source = reader.source(key);
    if (source === null || source.text === SETTINGS[key].byDefault || values.testing) continue;
    faults.push(`${source.where} is for tests: set CARDEA_TESTING=on, too.`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return assemble(values as { [K in SettingKey]: NonNullable<Values[K]> }, values, tls);
}

/** The settings that only make sense together. */
const PAIRS = [
  ['smtpUrl', 'smtpFrom', 'e-mails need a sender'],
  ['smtpFrom', 'smtpUrl', 'a sender needs a mail server'],
  ['webhookUrl', 'webhookSecret', 'what is posted to a webhook is signed'],
  ['webhookSecret', 'webhookUrl', 'a secret needs a webhook'],
  ['consoleOpenidIssuer', 'consoleOpenidClient', 'a sign-in needs a client'],
  ['consoleOpenidClient', 'consoleOpenidIssuer', 'a client needs an issuer'],
] as const;

function checkPairs(values: Values, reader: Reader, faults: string[]): void {
  for (const [key, other, why] of PAIRS) {
    // A setting that is present but invalid has its own fault already.
    if (values[key] === null || reader.source(other) !== null) continue;
    faults.push(`${SETTINGS[other].env} is missing: ${why}.`);
  }
}

/** Settings whose value is JSON or the name of a file with it. */
const IN_FILES: readonly SettingKey[] = ['externalIssuers', 'faults'];

/** Reads single settings and collects their faults. */
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

  /** The text of a setting, and the name of its flag or variable. */
  source(key: SettingKey): { readonly text: string; readonly where: string } | null {
    const { env, flag, byDefault } = SETTINGS[key];
    const flagText = this.#flags[key];
    if (flagText !== undefined) return { text: flagText, where: `--${flag}` };
    const envText = this.#env[env];
    if (envText !== undefined && envText !== '') return { text: envText, where: env };
    return byDefault === null ? null : { text: byDefault, where: env };
  }

  value(key: SettingKey): unknown {
    const source = this.source(key);
    if (source === null) return null;
    const { text, where } = source;
    try {
      // JSON starts with a bracket; any other value is the name of a file.
      const inFile = IN_FILES.includes(key) && !/^\s*[[{]/.test(text);
      return SETTINGS[key].parse(inFile ? this.file(text) : text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const masked = text.replace(/:\/\/.*@/s, '://…@'); // no password in messages
      if (key === 'secretsKey' || key === 'webhookSecret') {
        this.#faults.push(`${where} ${error.message}.`);
        return null;
      }
      const excerpt = masked.length > 60 ? `${masked.slice(0, 60)}…` : masked;
      this.#faults.push(`${where} ${error.message} (it is ${JSON.stringify(excerpt)}).`);
      return null;
    }
  }

  /** @throws InvalidValue */
  file(path: string): string {
    try {
      return this.#readFile(path);
    } catch (error) {
      throw new InvalidValue(`names a file that cannot be read: ${fileFault(error)}`);
    }
  }
}

/** Prefix of the environment variables of all settings. */
const PREFIX = 'CARDEA_';

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const settingNames = Object.values(SETTINGS).map((entry) => entry.env.slice(PREFIX.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !settingNames.includes(name))
    .sort()
    .map((name) => {
      const near = nearestName(name, settingNames);
      const hint = near === null ? '.' : `; did you mean ${PREFIX}${near}?`;
      return `${PREFIX}${name} is not a setting${hint}`;
    });
}

function readTls(values: Values, reader: Reader, faults: string[]): Config['tls'] {
  const { tlsCert, tlsKey } = values;
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null) {
    const missing = tlsCert === null ? SETTINGS.tlsCert : SETTINGS.tlsKey;
    // A setting that is present but invalid has its own fault already.
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
  required: { readonly [K in SettingKey]: NonNullable<Values[K]> },
  values: Values,
  tls: Config['tls'],
): Config {
  const dataDir = resolve(required.dataDir);
  return {
    port: required.port,
    host: required.host,
    baseUrl: values.baseUrl,
    dataDir,
    store: storeConfig(required, values.storeUrl, dataDir),
    storeCheckSeconds: required.storeCheckSeconds,
    searchComparisonSeconds: required.searchComparisonSeconds,
    secretsKey: secretsKeyOf(values, dataDir),
    indexDir: join(dataDir, 'index'),
    searchUrl: required.searchUrl.url,
    searchPrefix: required.searchPrefix,
    searchShards: required.searchShards,
    searchReplicas: required.searchReplicas,
    searchOpenIndexes: required.searchOpenIndexes,
    searchWorkers: values.searchWorkers ?? defaultSearchWorkers(),
    memory: memoryBytes(required.memory),
    tls,
    rateLimit: rateLimitOf(required.rateLimit, { ...values, host: required.host }),
    tokenAttempts: values.tokenAttempts,
    redisUrl: values.redisUrl,
    tokenPolicy: required.tokenPolicy,
    secretsInQuery: required.secretsInQuery,
    externalIssuers: required.externalIssuers,
    refuseExclusivePairs: required.refuseExclusivePairs,
    allowPrivateUrls: required.allowPrivateUrls,
    logLevel: required.logLevel,
    refreshMs: required.refreshMs,
    queryTimeoutMs: required.queryTimeoutMs,
    bodyLimit: required.bodyLimit,
    documentLimit: required.documentLimit,
    headerLimit: required.headerLimit,
    headersTimeoutMs: required.headersTimeoutMs,
    bodyTimeoutMs: required.bodyTimeoutMs,
    responseTimeoutMs: required.responseTimeoutMs,
    stopTimeoutMs: required.stopTimeoutMs,
    maxConnections: required.maxConnections,
    maxConnectionsPerAddress: required.maxConnectionsPerAddress,
    trustedProxies: values.trustedProxies,
    capacity: {
      maxSearches: required.maxSearches,
      maxProfileSearches: required.maxProfileSearches,
      maxWrites: required.maxWrites,
      queueWaitMs: required.queueWaitMs,
      anonymousBodyLimitBytes: required.anonymousBodyLimit,
      bodyMemoryBytes: required.bodyMemory,
      answerMemoryBytes: required.answerMemory,
      anonymousMemoryBytes: required.anonymousMemory,
      importTimeoutMs: required.importTimeoutMs,
      leastBodyRate: required.leastBodyRate,
      leastAnswerRate: required.leastAnswerRate,
      stallMs: required.stallMs,
      tenantShare: required.tenantShare,
      callerShare: required.callerShare,
      tenantWeights: required.tenantWeights,
    },
    metrics: values.metrics,
    otlpUrl: values.otlpUrl,
    eventRetentionMs: values.eventRetention,
    auditFile: values.auditFile === null ? null : resolve(values.auditFile),
    auditFileSize: required.auditFileSize,
    auditFiles: required.auditFiles,
    auditUrl: values.auditUrl,
    auditAuthorization: values.auditAuthorization,
    reports: {
      timeZone: required.reportTimeZone,
      rows: required.reportRows,
      bytes: required.reportBytes,
      seconds: required.reportSeconds,
      runsKept: required.reportRunsKept,
      smtp:
        values.smtpUrl === null || values.smtpFrom === null
          ? null
          : { url: values.smtpUrl, from: values.smtpFrom },
      webhook:
        values.webhookUrl === null || values.webhookSecret === null
          ? null
          : { url: values.webhookUrl, secret: values.webhookSecret },
    },
    documentation: required.documentation,
    console: required.console
      ? {
          idleSeconds: required.consoleIdleSeconds,
          sessionSeconds: required.consoleSessionSeconds,
          openid: openIdClient(values),
        }
      : null,
    mcp: required.mcp,
    collectionEnvelope: required.collectionEnvelope,
    corsOrigins: required.corsOrigins,
    profileTimeZone: required.profileTimeZone,
    maxDynamicFields: required.maxDynamicFields,
    limits: {
      maxClauses: required.maxClauses,
      maxDepth: required.maxDepth,
      maxQueryLength: required.maxQueryLength,
      maxTerms: required.maxTerms,
      maxRegexLength: required.maxRegexLength,
      maxSortKeys: required.maxSortKeys,
      maxWindow: required.maxWindow,
      maxAggregationDepth: required.maxAggregationDepth,
      maxBuckets: required.maxBuckets,
    },
    testing: required.testing
      ? { faults: values.faults, clock: required.now, indexDelay: values.indexLag }
      : null,
  };
}

/** With PostgreSQL there is no default key file, since nodes do not share a data directory. */
function secretsKeyOf(values: Values, dataDir: string): Config['secretsKey'] {
  const { secretsKey: text, secretsKeyFile: file, storeUrl } = values;
  if (text !== null) return { kind: 'text', text };
  if (file !== null) return { kind: 'file', path: resolve(file) };
  if (storeUrl?.kind === 'postgres') return null;
  return { kind: 'file', path: join(dataDir, 'secrets.key') };
}

/** By default, a server that others can reach has the rate limit of the public service. */
function rateLimitOf(rate: Quota | 'auto' | 'off', reach: ReachSettings): Quota | null {
  if (rate === 'auto') return exposure(reach) === null ? null : ISC_RATE;
  return rate === 'off' ? null : rate;
}

/** A share is that of the memory that the process may use: the limit of a container if it has one. */
function memoryBytes(size: MemorySize): number {
  if ('bytes' in size) return size.bytes;
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(memory * size.share);
}

/** One worker per core, at most 4: more would only wait for the main thread. */
function defaultSearchWorkers(): number {
  return Math.min(availableParallelism(), 4);
}

function storeConfig(
  pool: { storePool: number; storeWaitMs: number; storeTimeoutMs: number },
  address: StoreAddress | null,
  dataDir: string,
): StoreConfig {
  const { storePool: poolSize, storeWaitMs: waitMs, storeTimeoutMs: statementMs } = pool;
  if (address?.kind === 'postgres') return { ...address, poolSize, waitMs, statementMs };
  const path = address === null ? join(dataDir, 'cardea.db') : resolve(address.path);
  return { kind: 'sqlite', path, busyMs: waitMs };
}
