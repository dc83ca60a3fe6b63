// Parsers for the values of settings, one per kind of value. An error says what was expected;
// config.ts adds the name of the setting.
// Invariant: a parser returns a value or throws InvalidValue, without side effects.
import { isIP } from 'node:net';
import { parseJson } from '../../json/json-syntax.ts';
import { timeZone } from '../../query/dates/time-zone.ts';

/** An invalid value; the message follows the name of the setting: `must be …`. */
export class InvalidValue extends Error {}

/** Parses the text of a setting. @throws InvalidValue */
export type Parser<T> = (text: string) => T;

/** A whole number in a range. */
export function wholeNumber(least: number, most: number): Parser<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidValue(`must be a whole number from ${least} to ${most}`);
  };
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** A number of bytes: `1048576`, `64KiB`, `1MiB`. */
export function byteCount(least: number, most: number): Parser<number> {
  return (text) => {
    const [, digits = '', unit = ''] = /^(\d{1,15}) ?(KiB|MiB|GiB)?$/.exec(text) ?? [];
    const value = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN);
    if (value >= least && value <= most) return value;
    throw new InvalidValue(`must be a number of bytes from ${least} to ${most}, such as 1MiB`);
  };
}

/** A number of bytes, or a share of a memory that is not known yet. */
export type MemorySize = { readonly bytes: number } | { readonly share: number };

/** A number of bytes such as `512MiB`, or a percentage such as `25%`. @param least in bytes */
export function memorySize(least: number): Parser<MemorySize> {
  const bytes = byteCount(least, Number.MAX_SAFE_INTEGER);
  return (text) => {
    const percentage = Number(/^(\d{1,3}) ?%$/.exec(text)?.[1]);
    if (percentage >= 1 && percentage <= 90) return { share: percentage / 100 };
    try {
      return { bytes: bytes(text) };
    } catch {
      throw new InvalidValue(
        `must be at least ${least / 2 ** 20}MiB, such as 512MiB, or a percentage from 1% to 90%`,
      );
    }
  };
}

/** Text that is not blank. */
export function someText(what: string): Parser<string> {
  return (text) => {
    if (text.trim() !== '' && !text.includes('\0')) return text;
    throw new InvalidValue(`must be ${what}`);
  };
}

export function oneOf<T extends string>(values: readonly T[]): Parser<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    throw new InvalidValue(`must be one of ${values.join(', ')}`);
  };
}

export const onOff: Parser<boolean> = (text) => oneOf(['on', 'off'])(text) === 'on';

/** A time zone, as an IANA name or an offset from UTC. */
export const zoneName: Parser<string> = (text) => {
  // The default, without loading the time zones of Intl, which takes 20 ms.
  if (text === 'UTC' || timeZone(text) !== undefined) return text;
  throw new InvalidValue('must be a time zone such as Europe/Berlin');
};

/** An http or https URL, without a trailing slash. */
export const webAddress: Parser<string> = (text) => {
  if (isWebAddress(text)) return text.replace(/\/+$/, '');
  throw new InvalidValue(
    'must be an http or https address without query, such as https://id.example.org',
  );
};

function isWebAddress(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
}

/** `off`, `*`, or comma-separated origins as browsers send them. Empty: off. */
export const originList: Parser<readonly string[]> = (text) => {
  if (text === 'off') return [];
  const origins = text.split(',').map((part) => part.trim());
  if (origins.length === 1 && origins[0] === '*') return origins;
  for (const origin of origins) {
    const isAddress = isWebAddress(origin) && !origin.includes('*');
    if (isAddress && new URL(origin).origin === origin) continue;
    const hint = isAddress ? `write ${new URL(origin).origin}` : 'that is not an origin';
    throw new InvalidValue(
      `must be off, * alone, or origins such as https://app.example.org,http://localhost:3000; for ${JSON.stringify(origin)}, ${hint}`,
    );
  }
  return [...new Set(origins)];
};

/** Where metrics are served: on the main port or on a separate one. */
export type MetricsSetting =
  | { readonly kind: 'main' }
  | { readonly kind: 'own'; readonly host: string; readonly port: number };

/** `off`, `on`, `PORT` (on the loopback address) or `ADDRESS:PORT`. */
export const metricsAddress: Parser<MetricsSetting | null> = (text) => {
  if (text === 'off') return null;
  if (text === 'on') return { kind: 'main' };
  const [, host = '127.0.0.1', digits = ''] = /^(?:(\S+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = digits === '' ? Number.NaN : Number(digits);
  if (port <= 65_535) return { kind: 'own', host: host.replace(/^\[(.*)\]$/, '$1'), port };
  throw new InvalidValue('must be off, on, PORT or ADDRESS:PORT, such as 9464');
};

/** A number of events per period. */
export interface Quota {
  readonly count: number;
  readonly seconds: number;
}

/** `auto`, or any value of `onOff`. */
export const onOffOrAuto: Parser<boolean | 'auto'> = (text) =>
  text === 'auto' ? 'auto' : onOff(text);

/** `auto`, or any value of `quota`. */
export function quotaOrAuto(
  names: Readonly<Record<string, Quota>>,
): Parser<Quota | 'auto' | 'off'> {
  const parse = quota(names);
  return (text) => (text === 'auto' ? 'auto' : (parse(text) ?? 'off'));
}

/** `off`, `N/SECONDS`, or the name of a quota. */
export function quota(names: Readonly<Record<string, Quota>>): Parser<Quota | null> {
  return (text) => {
    if (text === 'off') return null;
    const namedQuota = Object.hasOwn(names, text) ? names[text] : undefined;
    if (namedQuota !== undefined) return namedQuota;
    const [, count = '0', seconds = '0'] = /^(\d{1,9})\/(\d{1,6})$/.exec(text) ?? [];
    if (Number(count) > 0 && Number(seconds) > 0) {
      return { count: Number(count), seconds: Number(seconds) };
    }
    throw new InvalidValue(`must be ${['off', ...Object.keys(names), 'N/SECONDS'].join(', ')}`);
  };
}

/** The location of the store. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  /** May hold a password. */
  | { readonly kind: 'postgres'; readonly url: string };

/** An SQLite path, also as `sqlite:PATH`, or a PostgreSQL URL. */
export const storeAddress: Parser<StoreAddress> = (text) => {
  const [, scheme = '', rest = text] = /^([a-z][a-z0-9+]+):(?:\/\/)?(.*)$/i.exec(text) ?? [];
  if (/^postgres(ql)?$/i.test(scheme)) {
    if (URL.canParse(text) && /^\/[^/]+$/.test(new URL(text).pathname)) {
      return { kind: 'postgres', url: text };
    }
    throw new InvalidValue(
      'must name a database, as in postgres://user:password@127.0.0.1:5432/cardea',
    );
  }
  if (scheme !== '' && !/^(sqlite|file)$/i.test(scheme)) {
    throw new InvalidValue(
      `must be the path of an SQLite file or a postgres address, not a ${scheme} address`,
    );
  }
  return { kind: 'sqlite', path: someText('the path of an SQLite file')(rest) };
};

/**
 * The URL of OpenSearch, without a trailing slash; may hold a password. null: the embedded engine.
 */
export const searchAddress: Parser<string | null> = (text) => {
  if (text === 'embedded') return null;
  if (URL.canParse(text)) {
    const { protocol, search, hash } = new URL(text);
    if (/^https?:$/.test(protocol) && search === '' && hash === '') {
      return text.replace(/\/+$/, '');
    }
  }
  throw new InvalidValue(
    'must be embedded, or the http or https address of an OpenSearch, such as http://127.0.0.1:9200',
  );
};

/** The URL of Redis; may hold a password. */
export const redisAddress: Parser<string> = (text) => {
  if (URL.canParse(text) && /^rediss?:\/\/./i.test(text) && new URL(text).hostname !== '')
    return text;
  throw new InvalidValue('must be the address of a Redis, such as redis://127.0.0.1:6379');
};

/** 32 bytes in one of the two forms of src/store/sealing/secrets-key.ts. */
export const secretsKeyText: Parser<string> = (text) => {
  if (/^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i.test(text)) return text;
  throw new InvalidValue('must be 64 hexadecimal digits or 32 bytes in base64');
};

/** A prefix of index names. */
export const indexPrefix: Parser<string> = (text) => {
  if (/^[a-z][a-z0-9_]{0,49}$/.test(text)) return text;
  throw new InvalidValue('must be lower-case letters, digits and _, a letter first, 50 at most');
};

/** An external issuer whose tokens are accepted. */
export interface IssuerSetting {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: readonly string[];
  readonly tenants: readonly string[];
  readonly claims?: Readonly<Record<string, string>>;
  readonly levels?: Readonly<Record<string, readonly string[]>>;
  readonly clients?: boolean;
  readonly maxTokenAgeSeconds?: number;
}

/** A JSON array of issuers; `audience` may be one string. */
export const issuers: Parser<readonly IssuerSetting[]> = (text) => {
  const value = parseJson(text, (clause) => new InvalidValue(`is not valid JSON ${clause}`));
  if (!Array.isArray(value)) throw new InvalidValue('must be a JSON array of issuers');
  return value.map((entry, index) => issuer(entry, `issuer ${index + 1}`));
};

/** The parts of a token with configurable claim names (src/auth/claims.ts). */
const CLAIMS = ['tenant', 'identity', 'userName', 'scope', 'authorities'];
const MEMBERS = [
  'issuer',
  'jwksUrl',
  'audience',
  'tenants',
  'claims',
  'levels',
  'clients',
  'maxTokenAgeSeconds',
];
/** Bounds of maxTokenAgeSeconds: a minute and 30 days. */
const TOKEN_AGE_SECONDS = { min: 60, max: 2_592_000 };

function issuer(value: unknown, which: string): IssuerSetting {
  if (typeof value !== 'object' || value === null) {
    throw new InvalidValue(`must hold objects, which ${which} is not`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of members.keys()) {
    if (!MEMBERS.includes(name)) {
      throw new InvalidValue(
        `has a member "${name}" in ${which}; it may have ${MEMBERS.join(', ')}`,
      );
    }
  }
  const name = members.get('issuer');
  const jwksUrl = members.get('jwksUrl');
  const audience = texts(members.get('audience'));
  if (typeof name !== 'string' || name === '') throw new InvalidValue(`lacks "issuer" in ${which}`);
  if (!isWebAddress(jwksUrl))
    throw new InvalidValue(`lacks a web address as "jwksUrl" in ${which}`);
  if (audience === null || audience.length === 0) {
    throw new InvalidValue(`lacks "audience", one text or several, in ${which}`);
  }
  const tenants = texts(members.get('tenants'));
  if (tenants === null || tenants.length === 0) {
    throw new InvalidValue(
      `lacks "tenants" in ${which}: name the tenants it may speak for, such as "tenants": ["acme"]`,
    );
  }
  const claims = members.get('claims');
  if (claims !== undefined && !isClaimMap(claims)) {
    throw new InvalidValue(`must have texts by ${CLAIMS.join(', ')} as "claims" in ${which}`);
  }
  const levels = members.get('levels');
  if (levels !== undefined && !isLevelMap(levels)) {
    throw new InvalidValue(
      `must have lists of levels by values of the claim as "levels" in ${which}, such as {"cardea-admins": ["ORG_ADMIN"]}`,
    );
  }
  const clients = members.get('clients');
  if (clients !== undefined && typeof clients !== 'boolean') {
    throw new InvalidValue(`must have true or false as "clients" in ${which}`);
  }
  return {
    issuer: name,
    jwksUrl,
    audience,
    tenants,
    ...(claims === undefined ? {} : { claims }),
    ...(levels === undefined ? {} : { levels }),
    ...(clients === undefined ? {} : { clients }),
    ...tokenAge(members.get('maxTokenAgeSeconds'), which),
  };
}

function texts(value: unknown): readonly string[] | null {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.every((entry): entry is string => typeof entry === 'string' && entry !== '')
    ? list
    : null;
}

function isLevelMap(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((levels) => Array.isArray(levels) && texts(levels) !== null);
}

function tokenAge(seconds: unknown, which: string): { readonly maxTokenAgeSeconds?: number } {
  if (seconds === undefined) return {};
  const { min, max } = TOKEN_AGE_SECONDS;
  if (
    typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= min &&
    seconds <= max
  ) {
    return { maxTokenAgeSeconds: seconds };
  }
  throw new InvalidValue(
    `must have a whole number from ${min} to ${max} as "maxTokenAgeSeconds" in ${which}`,
  );
}

function isClaimMap(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, entry]) => CLAIMS.includes(name) && typeof entry === 'string',
  );
}

const DAY_MS = 86_400_000;
const PERIOD_MS: Readonly<Record<string, number>> = { d: DAY_MS, h: DAY_MS / 24 };
/** A hundred years, so that an instant minus a period is a date. */
const PERIOD_MS_MAX = 36_500 * DAY_MS;

/** `off`, or a period of at least a day in days or hours (`90d`, `36h`), in milliseconds. */
export const period: Parser<number | null> = (text) => {
  if (text === 'off') return null;
  const [, digits = '', unit = ''] = /^(\d{1,6}) ?([dh])$/.exec(text) ?? [];
  const ms = digits === '' ? Number.NaN : Number(digits) * (PERIOD_MS[unit] ?? Number.NaN);
  if (ms >= DAY_MS && ms <= PERIOD_MS_MAX) return ms;
  throw new InvalidValue('must be off, or a period of at least one day, such as 90d or 36h');
};

const INTERVAL_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, ...PERIOD_MS };

/** A period such as `20s`, `30m`, `24h` or `7d`, in milliseconds. @param least in milliseconds */
export function interval(least: number): Parser<number> {
  return (text) => {
    const [, digits = '', unit = ''] = /^(\d{1,8}) ?([smhd])$/.exec(text) ?? [];
    const ms = digits === '' ? Number.NaN : Number(digits) * (INTERVAL_MS[unit] ?? Number.NaN);
    if (ms >= least && ms <= PERIOD_MS_MAX) return ms;
    throw new InvalidValue(`must be a period of at least ${least / 1_000}s, such as 30m or 24h`);
  };
}

/** A percentage, returned as a fraction. */
export const percent: Parser<number> = (text) => {
  const value = /^\d{1,3} ?%?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (value >= 1 && value <= 100) return value / 100;
  throw new InvalidValue('must be a percentage from 1 to 100, such as 50');
};

/** `none`, or comma-separated addresses and networks: `10.0.0.1,fd00::/8`. */
export const networkList: Parser<readonly string[]> = (text) => {
  if (text === 'none') return [];
  const networks = text.split(',').map((part) => part.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong === undefined) return networks;
  throw new InvalidValue(
    `must be none, or addresses and networks such as 10.0.0.1,192.168.0.0/16,fd00::/8; ${JSON.stringify(wrong)} is neither`,
  );
};

function isNetwork(text: string): boolean {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  return digits === undefined || Number(digits) <= (version === 6 ? 128 : 32);
}

/** `none`, or weights by tenant id: `ID=2,ID=0.5`. */
export const tenantWeights: Parser<ReadonlyMap<string, number>> = (text) => {
  if (text === 'none') return new Map();
  return new Map(
    text.split(',').map((part) => {
      const [, id = '', digits = ''] =
        /^\s*([\w-]{1,64})=(\d{1,3}(?:\.\d{1,2})?)\s*$/.exec(part) ?? [];
      const weight = Number(digits);
      if (id !== '' && weight >= 0.1 && weight <= 100) return [id, weight] as const;
      throw new InvalidValue(
        `must be none, or ids of tenants with weights from 0.1 to 100, such as 2c91=2,7f3c=0.5; ${JSON.stringify(part)} is not one`,
      );
    }),
  );
};
