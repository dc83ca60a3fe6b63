// The settings of this process, read and checked: flags, environment and defaults become one Config. Nothing else reads
// the environment.
// Invariant: with nothing set everything works, and faulty settings are told all at once.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidValue, nearest, type StoreAddress } from './config-values.ts';
import type { QueryLimits } from './query/limits.ts';
import { SETTINGS, type SettingKey, type Values } from './settings.ts';

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
  readonly searchWorkers: number;
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly rateLimit: Values['rateLimit'];
  readonly tokenAttempts: Values['tokenAttempts'];
  /** May hold a password: it goes into no message. null: each node counts for itself. */
  readonly redisUrl: string | null;
  readonly externalIssuers: NonNullable<Values['externalIssuers']>;
  readonly refuseExclusivePairs: boolean;
  readonly allowPrivateUrls: boolean;
  readonly logLevel: NonNullable<Values['logLevel']>;
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
  readonly maxWrites: number;
  /** null: off. */
  readonly metrics: Values['metrics'];
  /** null: no traces. */
  readonly otlpUrl: string | null;
  readonly documentation: boolean;
  readonly console: boolean;
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
    searchWorkers: values.searchWorkers ?? defaultSearchWorkers(),
    tls,
    rateLimit: values.rateLimit,
    tokenAttempts: values.tokenAttempts,
    redisUrl: values.redisUrl,
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
    maxWrites: set.maxWrites,
    metrics: values.metrics,
    otlpUrl: values.otlpUrl,
    documentation: set.documentation,
    console: set.console,
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

/** The main thread needs a core of its own; more than a few would wait for it. */
function defaultSearchWorkers(): number {
  return Math.min(Math.max(availableParallelism() - 1, 0), 4);
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
