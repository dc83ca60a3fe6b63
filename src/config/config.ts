// Reads and validates the settings: flags, environment and defaults become one Config. Nothing else
// reads the environment.
// Invariant: everything works without any setting, and all invalid settings are reported together.
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { QueryLimits } from '../query/limits.ts';
import { nearestName } from '../query/mapping/nearest-name.ts';
import { availableCores } from './available-cores.ts';
import { exposure, type ReachSettings } from './exposure.ts';
import { fileFault, readRegularFile } from './file-fault.ts';
import { ISC_RATE } from './settings/access.ts';
import { InvalidValue, type MemorySize, type Quota } from './settings/config-values.ts';
import { type OpenIdClient, openIdClient, openIdFaults } from './settings/openid-settings.ts';
import { QUERY_LIMITS } from './settings/query-limits.ts';
import { valuesOf } from './settings/setting.ts';
import { SETTINGS, type SettingKey, type Values } from './settings/settings.ts';

/** What settings become that are not taken as they are. Paths are absolute. */
interface Derived {
  readonly dataDir: string;
  readonly store: StoreConfig;
  /**
   * Source of the key that seals secrets in the store; null: nothing is sealed. Never in a message.
   */
  readonly secretsKey:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly path: string }
    | null;
  /** Directory of the embedded index; the holder of its lock feeds the index, embedded or not. */
  readonly indexDir: string;
  readonly threads: number;
  /** Bytes of all caches of the embedded engine together. */
  readonly memory: number;
  /** PEM texts, and the paths that they were read from. */
  readonly tls: {
    readonly cert: string;
    readonly key: string;
    readonly certFile: string;
    readonly keyFile: string;
  } | null;
  /** null: no limit. */
  readonly rateLimit: Quota | null;
  readonly auditFile: string | null;
  readonly backupDir: string | null;
  /** `url` may hold a password; never in a message. null: no e-mail. */
  readonly smtp: { readonly url: string; readonly from: string } | null;
  /** `secret` is never in a message. null: no webhook. */
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  /** null: there is no console. */
  readonly console: ConsoleConfig | null;
  readonly limits: QueryLimits;
  /** Powers for tests; null: off. */
  readonly testing: TestingConfig | null;
}

/** The validated settings: the values of their rows (settings/settings.ts), but for what is derived. */
export interface Config extends Omit<Values, keyof Derived>, Derived {}

/** What the console needs to know; nothing of it is secret. */
export interface ConsoleConfig {
  readonly idleSeconds: number;
  readonly sessionSeconds: number;
  /** null: users do not sign in with an OpenID provider. */
  readonly openid: OpenIdClient | null;
  /** Whether runs of saved searches are sent by e-mail. */
  readonly sendsEmail: boolean;
}

/** How a server for tests behaves from its start on. */
export interface TestingConfig {
  readonly faults: Values['faults'];
  readonly clock: Values['now'];
  /** null: changes are searchable as soon as possible. */
  readonly indexDelay: Values['indexLag'];
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
  readFile: (path: string) => string = readRegularFile,
): Config {
  const faults = unknownVariables(env);
  const reader = new Reader(env, flags, readFile, faults);
  const values = Object.fromEntries(
    Object.keys(SETTINGS).map((key) => [key, reader.value(key as SettingKey)]),
  ) as Values; // if there are no faults
  const tls = readTls(values, reader, faults);
  if (values.secretsKey !== null && values.secretsKeyFile !== null) {
    faults.push('CARDEA_SECRETS_KEY and CARDEA_SECRETS_KEY_FILE are both set: leave one out.');
  }
  checkPairs(values, reader, faults);
  if (values.backupDir !== null && values.storeUrl?.kind === 'postgres') {
    const where = reader.source('backupDir')?.where;
    faults.push(
      `${where} is for SQLite, and the store is in PostgreSQL: leave it out, and schedule PostgreSQL's own tools, such as pg_dump --format=custom --file=cardea.dump "$CARDEA_STORE_URL".`,
    );
  }
  faults.push(...openIdFaults(values));
  for (const key of ['faults', 'now', 'indexLag'] as const) {
    const source = reader.source(key);
    if (source === null || source.text === SETTINGS[key].byDefault || values.testing) continue;
    faults.push(`${source.where} is for tests: set CARDEA_TESTING=on, too.`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...values, ...derived(values, tls) };
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

function derived(values: Values, tls: Config['tls']): Derived {
  const { smtpUrl, smtpFrom, webhookUrl, webhookSecret, auditFile, backupDir } = values;
  const dataDir = resolve(values.dataDir);
  return {
    dataDir,
    store: storeConfig(values, dataDir),
    secretsKey: secretsKeyOf(values, dataDir),
    indexDir: join(dataDir, 'index'),
    // The faults and the clock of tests belong to one thread.
    threads: values.testing ? 1 : (values.threads ?? availableCores()),
    memory: memoryBytes(values.memory),
    tls,
    rateLimit: rateOf(values.rateLimit, values),
    auditFile: auditFile === null ? null : resolve(auditFile),
    backupDir: backupDir === null ? null : resolve(backupDir),
    smtp: smtpUrl === null || smtpFrom === null ? null : { url: smtpUrl, from: smtpFrom },
    webhook:
      webhookUrl === null || webhookSecret === null
        ? null
        : { url: webhookUrl, secret: webhookSecret },
    console: values.console
      ? {
          idleSeconds: values.consoleIdleSeconds,
          sessionSeconds: values.consoleSessionSeconds,
          openid: openIdClient(values),
          sendsEmail: smtpUrl !== null && smtpFrom !== null,
        }
      : null,
    limits: valuesOf(QUERY_LIMITS, values),
    testing: values.testing
      ? { faults: values.faults, clock: values.now, indexDelay: values.indexLag }
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
function rateOf(rate: Quota | 'auto' | 'off', reach: ReachSettings): Quota | null {
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

function storeConfig(values: Values, dataDir: string): StoreConfig {
  const { storeUrl: address, storePool: poolSize, storeWaitMs: waitMs } = values;
  if (address?.kind === 'postgres') {
    return { ...address, poolSize, waitMs, statementMs: values.storeTimeoutMs };
  }
  const path = address === null ? join(dataDir, 'cardea.db') : resolve(address.path);
  return { kind: 'sqlite', path, busyMs: waitMs };
}
