import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { DEFAULT_LIMITS, limitSetting } from '../query/limits.ts';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { SETTINGS, type SettingKey } from './settings/settings.ts';

function faults(
  env: Record<string, string>,
  flags: Partial<Record<SettingKey, string>> = {},
  readFile?: (path: string) => string,
): readonly string[] {
  try {
    parseConfig(env, flags, readFile);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test('errors name the variable of each limit', () => {
  for (const limit of Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]) {
    assert.equal(limitSetting(limit), SETTINGS[limit].env);
  }
});

describe('defaults', () => {
  test('no settings give a complete configuration', () => {
    const config = parseConfig({});
    assert.equal(config.port, 8080);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.dataDir, resolve('data'));
    assert.deepEqual(config.store, {
      ...{ kind: 'sqlite', path: resolve('data/cardea.db'), busyMs: 10_000 },
    });
    assert.equal(config.rateLimit, null);
    assert.equal(config.tls, null);
    assert.equal(config.bodyLimit, 1024 * 1024);
    assert.deepEqual(config.tokenAttempts, { count: 20, seconds: 60 });
    assert.deepEqual(config.limits, DEFAULT_LIMITS);
    assert.deepEqual(config.externalIssuers, []);
  });
  test('every default is a valid value of its setting', () => {
    const env = Object.fromEntries(
      Object.values(SETTINGS).flatMap(({ env, byDefault }) =>
        byDefault === null ? [] : [[env, byDefault]],
      ),
    );
    assert.deepEqual(parseConfig(env), parseConfig({}));
  });
  test('an empty variable counts as not set', () => {
    assert.equal(parseConfig({ CARDEA_PORT: '' }).port, 8080);
  });
  test('a flag wins over a variable', () => {
    assert.equal(parseConfig({ CARDEA_PORT: '1' }, { port: '2' }).port, 2);
  });
  test('variables and flags are named after their keys', () => {
    for (const [key, { env, flag }] of Object.entries(SETTINGS)) {
      assert.equal(
        flag,
        key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      );
      assert.equal(env, `CARDEA_${flag.toUpperCase().replaceAll('-', '_')}`);
    }
  });
});

const SRV = { kind: 'sqlite', path: '/srv/x.db', busyMs: 10_000 };
const ADDRESS = 'postgres://cardea:pass%2Fword@db.example:5433/cardea?sslmode=verify-full';
const POSTGRES = {
  ...{ kind: 'postgres', url: ADDRESS },
  ...{ poolSize: 10, waitMs: 10_000, statementMs: 30_000 },
};

const accepted: readonly [SettingKey, string, (config: Config) => unknown, unknown][] = [
  ['port', '0', ({ port }) => port, 0],
  ['rateLimit', 'isc', ({ rateLimit }) => rateLimit, { count: 100, seconds: 10 }],
  ['rateLimit', '5/2', ({ rateLimit }) => rateLimit, { count: 5, seconds: 2 }],
  ['rateLimit', 'off', ({ rateLimit }) => rateLimit, null],
  ['rateLimit', 'auto', ({ rateLimit }) => rateLimit, null],
  ['secretsInQuery', 'auto', ({ secretsInQuery }) => secretsInQuery, 'auto'],
  ['secretsInQuery', 'on', ({ secretsInQuery }) => secretsInQuery, true],
  ['secretsInQuery', 'off', ({ secretsInQuery }) => secretsInQuery, false],
  ['host', 'localhost', ({ rateLimit }) => rateLimit, null],
  ['host', '::1', ({ rateLimit }) => rateLimit, null],
  ['host', '0.0.0.0', ({ rateLimit }) => rateLimit, { count: 100, seconds: 10 }],
  ['host', '127.0.0.1.example', ({ rateLimit }) => rateLimit, { count: 100, seconds: 10 }],
  ['corsOrigins', 'off', ({ corsOrigins }) => corsOrigins, []],
  ['corsOrigins', '*', ({ corsOrigins }) => corsOrigins, ['*']],
  [
    'corsOrigins',
    'https://app.example.org, http://localhost:3000,https://app.example.org',
    ({ corsOrigins }) => corsOrigins,
    ['https://app.example.org', 'http://localhost:3000'],
  ],
  ['bodyLimit', '64KiB', ({ bodyLimit }) => bodyLimit, 65_536],
  ['bodyLimit', '2048', ({ bodyLimit }) => bodyLimit, 2048],
  ['memory', '512MiB', ({ memory }) => memory, 512 * 2 ** 20],
  ['eventRetention', 'off', ({ eventRetention }) => eventRetention, null],
  ['eventRetention', '90d', ({ eventRetention }) => eventRetention, 90 * 86_400_000],
  ['eventRetention', '36h', ({ eventRetention }) => eventRetention, 36 * 3_600_000],
  ['backupEvery', '20s', ({ backupEvery }) => backupEvery, 20_000],
  ['backupEvery', '7d', ({ backupEvery }) => backupEvery, 7 * 86_400_000],
  ['backupDir', '/backups', ({ backupDir }) => backupDir, '/backups'],
  ['storeUrl', 'sqlite:/srv/x.db', ({ store }) => store, SRV],
  ['storeUrl', 'sqlite:///srv/x.db', ({ store }) => store, SRV],
  ['storeUrl', '/srv/x.db', ({ store }) => store, SRV],
  ['storeUrl', ADDRESS, ({ store }) => store, POSTGRES],
  ['baseUrl', 'https://id.example.org/', ({ baseUrl }) => baseUrl, 'https://id.example.org'],
  ['allowPrivateUrls', 'on', (config) => config.allowPrivateUrls, true],
  ['maxClauses', '5', ({ limits }) => limits.maxClauses, 5],
];
for (const [key, text, read, value] of accepted) {
  test(`${key} accepts ${text}`, () =>
    assert.deepEqual(read(parseConfig({}, { [key]: text })), value));
}

test('a share of the memory is one of what the machine or container has', () => {
  const of = (memory: string) => parseConfig({}, { memory }).memory;
  assert.ok(of('40%') > 0);
  assert.ok(Math.abs(of('40%') - 2 * of('20%')) <= 1);
});

test('the secrets key is by default a file in the data directory, and absent with PostgreSQL', () => {
  const of = (flags: Parameters<typeof parseConfig>[1]) => parseConfig({}, flags).secretsKey;
  const text = 'ab'.repeat(32);
  assert.deepEqual(of({ dataDir: '/d' }), { kind: 'file', path: '/d/secrets.key' });
  assert.equal(of({ storeUrl: ADDRESS }), null);
  assert.deepEqual(of({ storeUrl: ADDRESS, secretsKeyFile: '/k' }), { kind: 'file', path: '/k' });
  assert.deepEqual(of({ secretsKey: text }), { kind: 'text', text });
});

test('no message holds an invalid secrets key', () => {
  assert.throws(
    () => parseConfig({ CARDEA_SECRETS_KEY: 'hunter2' }),
    (error) =>
      error instanceof ConfigError &&
      /CARDEA_SECRETS_KEY must be 64/.test(error.message) &&
      !error.message.includes('hunter2'),
  );
});

const rejected: readonly [Record<string, string>, RegExp][] = [
  [
    { CARDEA_SECRETS_KEY: 'ab'.repeat(32), CARDEA_SECRETS_KEY_FILE: '/k' },
    /CARDEA_SECRETS_KEY and CARDEA_SECRETS_KEY_FILE are both set/,
  ],
  [
    { CARDEA_PORT: 'http' },
    /^CARDEA_PORT must be a whole number from 0 to 65535 \(it is "http"\)\.$/,
  ],
  [{ CARDEA_PORT: '65536' }, /CARDEA_PORT/],
  [{ CARDEA_MEMORY: '1MiB' }, /CARDEA_MEMORY must be at least 16MiB, .* from 1% to 90%/],
  [{ CARDEA_MEMORY: '95%' }, /CARDEA_MEMORY/],
  [{ CARDEA_PORT: '-1' }, /CARDEA_PORT/],
  [{ CARDEA_PORT: '1e3' }, /CARDEA_PORT/],
  [{ CARDEA_STORE_URL: 'postgres://db' }, /CARDEA_STORE_URL must name a database/],
  [{ CARDEA_STORE_URL: 'mysql://db/x' }, /not a mysql address/],
  [{ CARDEA_STORE_URL: 'mysql://db/x' }, /not a mysql address/],
  [{ CARDEA_SEARCH_URL: 'ftp://x' }, /must be embedded, or the http or https address/],
  [{ CARDEA_SEARCH_PREFIX: 'Has-Caps' }, /CARDEA_SEARCH_PREFIX must be lower-case/],
  [{ CARDEA_REDIS_URL: 'http://x' }, /CARDEA_REDIS_URL must be the address of a Redis/],
  [{ CARDEA_REDIS_URL: 'redis://' }, /CARDEA_REDIS_URL must be the address of a Redis/],
  [{ CARDEA_METRICS: '70000' }, /CARDEA_METRICS must be off, on, PORT or ADDRESS:PORT/],
  [{ CARDEA_METRICS: 'yes' }, /CARDEA_METRICS must be off, on, PORT or ADDRESS:PORT/],
  [{ CARDEA_PROT: '1' }, /^CARDEA_PROT is not a setting; did you mean CARDEA_PORT\?$/],
  [{ CARDEA_DATADIR: '1' }, /did you mean CARDEA_DATA_DIR\?$/],
  [{ CARDEA_LOGLEVL: '1' }, /did you mean CARDEA_LOG_LEVEL\?$/],
  [{ CARDEA_FOO: '1' }, /^CARDEA_FOO is not a setting\.$/],
  [{ CARDEA_QQQQ: '1' }, /^CARDEA_QQQQ is not a setting\.$/],
  [{ CARDEA_: '1' }, /^CARDEA_ is not a setting\.$/],
  [{ CARDEA_QZXWVYKJH_NMBVC: '1' }, /is not a setting\.$/],
  [{ CARDEA_RATE_LIMIT: '5' }, /must be off, isc, N\/SECONDS/],
  [{ CARDEA_RATE_LIMIT: '0/5' }, /CARDEA_RATE_LIMIT/],
  [
    { CARDEA_CORS_ORIGINS: 'https://a.example/' },
    /CARDEA_CORS_ORIGINS .* write https:\/\/a.example /,
  ],
  ...['90', '0d', '23h', '1.5d', '-2d', '18 months', '40000d', 'd'].map(
    (text): [Record<string, string>, RegExp] => [
      { CARDEA_EVENT_RETENTION: text },
      /CARDEA_EVENT_RETENTION must be off, or a period of at least one day, such as 90d or 36h/,
    ],
  ),
  ...['90', '19s', '0h', '1.5h', '-2d', 'daily', '40000d', 'off'].map(
    (text): [Record<string, string>, RegExp] => [
      { CARDEA_BACKUP_EVERY: text },
      /CARDEA_BACKUP_EVERY must be a period of at least 20s, such as 30m or 24h/,
    ],
  ),
  [
    { CARDEA_BACKUP_DIR: '/backups', CARDEA_STORE_URL: ADDRESS },
    /CARDEA_BACKUP_DIR is for SQLite, and the store is in PostgreSQL: leave it out.*pg_dump/,
  ],
  ...['2c91', '2c91=0', '2c91=0.09', '2c91=101', '2c91=2,=1', 'a b=1', '2c91=2,'].map(
    (text): [Record<string, string>, RegExp] => [
      { CARDEA_TENANT_WEIGHTS: text },
      /CARDEA_TENANT_WEIGHTS must be none, or ids of tenants with weights from 0.1 to 100/,
    ],
  ),
  [{ CARDEA_CORS_ORIGINS: 'https://a.example/app' }, /write https:\/\/a.example /],
  [{ CARDEA_CORS_ORIGINS: 'HTTPS://A.example:443' }, /write https:\/\/a.example /],
  [{ CARDEA_CORS_ORIGINS: 'a.example' }, /for "a.example", that is not an origin/],
  [{ CARDEA_CORS_ORIGINS: 'null' }, /for "null", that is not an origin/],
  [{ CARDEA_CORS_ORIGINS: 'ftp://a.example' }, /that is not an origin/],
  [{ CARDEA_CORS_ORIGINS: 'https://a.example,*' }, /for "\*", that is not an origin/],
  [{ CARDEA_CORS_ORIGINS: 'https://*.example' }, /that is not an origin/],
  [{ CARDEA_CORS_ORIGINS: 'https://a.example,' }, /for "", that is not an origin/],
  [{ CARDEA_LOG_LEVEL: 'loud' }, /must be one of trace, debug/],
  [{ CARDEA_BASE_URL: 'id.example.org' }, /CARDEA_BASE_URL must be an http or https address/],
  [{ CARDEA_BODY_LIMIT: '1 mb' }, /CARDEA_BODY_LIMIT must be a number of bytes/],
  [{ CARDEA_TLS_CERT: '/nowhere/cert.pem' }, /CARDEA_TLS_KEY is missing/],
  [{ CARDEA_EXTERNAL_ISSUERS: '[{}]' }, /lacks "issuer" in issuer 1/],
  [
    {
      CARDEA_EXTERNAL_ISSUERS:
        '[{"issuer":"a","jwksUrl":"https://a/","audience":"a","tenants":"a","claims":{"name":"b"}}]',
    },
    /as "claims" in issuer 1/,
  ],
  [
    issuerWith({ tenants: undefined }),
    /lacks "tenants" in issuer 1: name the tenants .*\["acme"\]/,
  ],
  [issuerWith({ tenants: [] }), /lacks "tenants" in issuer 1/],
  [issuerWith({ tenants: [''] }), /lacks "tenants" in issuer 1/],
  [issuerWith({ levels: ['ORG_ADMIN'] }), /lists of levels .* as "levels" in issuer 1, such as/],
  [issuerWith({ levels: { admins: 'ORG_ADMIN' } }), /as "levels" in issuer 1/],
  [issuerWith({ levels: { admins: [5] } }), /as "levels" in issuer 1/],
  [issuerWith({ clients: 'yes' }), /true or false as "clients" in issuer 1/],
  [issuerWith({ maxTokenAgeSeconds: 59 }), /from 60 to 2592000 as "maxTokenAgeSeconds"/],
  [issuerWith({ maxTokenAgeSeconds: 2_592_001 }), /as "maxTokenAgeSeconds" in issuer 1/],
  [issuerWith({ maxTokenAgeSeconds: '3600' }), /as "maxTokenAgeSeconds" in issuer 1/],
  [issuerWith({ level: {} }), /has a member "level" in issuer 1; it may have .*levels/],
  [{ CARDEA_EXTERNAL_ISSUERS: '[' }, /not valid JSON at offset 1: the JSON ends before/],
  [{ CARDEA_EXTERNAL_ISSUERS: '[None]' }, /not valid JSON at offset 1: None is written null/],
  [{ CARDEA_EXTERNAL_ISSUERS: '/nowhere.json' }, /names a file that cannot be read/],
  [{ CARDEA_DOCUMENTATION: 'yes' }, /must be one of on, off/],
];
for (const [env, expected] of rejected) {
  test(`rejects ${JSON.stringify(env)}`, () => {
    const reported = faults(env);
    assert.equal(reported.length, 1, reported.join('\n'));
    assert.match(reported[0] ?? '', expected);
  });
}

/** An environment with one external issuer, valid except for these members. */
function issuerWith(members: object): Record<string, string> {
  const valid = { issuer: 'a', jwksUrl: 'https://a/', audience: ['b'], tenants: ['acme'] };
  return { CARDEA_EXTERNAL_ISSUERS: JSON.stringify([{ ...valid, ...members }]) };
}

test('an external issuer may rename claims, map them to levels, admit clients and limit the age of tokens', () => {
  const claims = {
    ...{ tenant: 'org', identity: 'sub', userName: 'upn' },
    ...{ scope: 'scp', authorities: 'roles' },
  };
  const rest = {
    ...{ tenants: ['acme'], claims, clients: true, maxTokenAgeSeconds: 60 },
    levels: { admins: ['ORG_ADMIN', 'CERT_ADMIN'], none: [] },
  };
  const issuer = { issuer: 'a', jwksUrl: 'https://a/', audience: ['b'], ...rest };
  const { externalIssuers } = parseConfig({ CARDEA_EXTERNAL_ISSUERS: JSON.stringify([issuer]) });
  assert.deepEqual(externalIssuers, [issuer]);
});

test('no message holds the password of an address', () => {
  const secret = 'pass://w@rd/geheim';
  for (const env of [
    { CARDEA_STORE_URL: `postgres://cardea:${secret}@db` },
    { CARDEA_STORE_URL: `mysql://cardea:${secret}@db/x` },
    { CARDEA_SEARCH_URL: `ftp://cardea:${secret}@search` },
  ]) {
    assert.doesNotMatch(faults(env).join(), /w@rd|geheim/);
  }
});

test('reports all faults together', () => {
  const reported = faults(
    {
      CARDEA_PORT: 'x',
      CARDEA_PROT: '1',
      CARDEA_TLS_CERT: '/nowhere/a',
      CARDEA_TLS_KEY: '/nowhere/b',
    },
    { bodyLimit: 'huge', storeUrl: 'postgres://x' },
  );
  assert.equal(reported.length, 6, reported.join('\n'));
  assert.ok(reported.some((fault) => fault.startsWith('--body-limit ')));
});

test('reads issuers from a file', () => {
  const issuer = {
    issuer: 'https://a',
    jwksUrl: 'https://a/keys',
    audience: 'cardea',
    tenants: 'a',
  };
  const config = parseConfig({ CARDEA_EXTERNAL_ISSUERS: 'issuers.json' }, {}, (path) => {
    assert.equal(path, 'issuers.json');
    return JSON.stringify([issuer]);
  });
  assert.deepEqual(config.externalIssuers, [{ ...issuer, audience: ['cardea'], tenants: ['a'] }]);
});

test('reads certificate and key', () => {
  const config = parseConfig(
    { CARDEA_TLS_CERT: 'c', CARDEA_TLS_KEY: 'k' },
    {},
    (path) => `<${path}>`,
  );
  const files = { certFile: resolve('c'), keyFile: resolve('k') };
  assert.deepEqual(config.tls, { cert: '<c>', key: '<k>', ...files });
});

test('has the powers for tests only if they are on', () => {
  assert.equal(parseConfig({}).testing, null);
  assert.deepEqual(parseConfig({ CARDEA_TESTING: 'on' }).testing, {
    faults: null,
    clock: { mode: 'real' },
    indexDelay: null,
  });
  const rules = '[{"then":{"status":503}}]';
  const settings = { CARDEA_NOW: '+1d', CARDEA_INDEX_LAG: '2s-1m', CARDEA_FAULTS: rules };
  assert.deepEqual(parseConfig({ ...settings, CARDEA_TESTING: 'on' }).testing, {
    faults: { seed: 1, faults: [{ then: { status: 503 } }] },
    clock: { mode: 'shifted', byMs: 86_400_000 },
    indexDelay: { leastMs: 2_000, mostMs: 60_000 },
  });
  assert.deepEqual(faults(settings), [
    'CARDEA_FAULTS is for tests: set CARDEA_TESTING=on, too.',
    'CARDEA_NOW is for tests: set CARDEA_TESTING=on, too.',
    'CARDEA_INDEX_LAG is for tests: set CARDEA_TESTING=on, too.',
  ]);
  assert.equal(parseConfig({ CARDEA_NOW: 'real', CARDEA_INDEX_LAG: 'off' }).testing, null);
});

test('reads faults from a file, and says what is wrong with them', () => {
  const read = () => '{"seed":7,"faults":[{"then":{"drop":true}}]}';
  const config = parseConfig({ CARDEA_TESTING: 'on', CARDEA_FAULTS: 'faults.json' }, {}, read);
  assert.equal(config.testing?.faults?.seed, 7);
  for (const [name, value] of [
    ['FAULTS', '[{"then":{"status":200}}]'],
    ['FAULTS', '[{'],
    ['INDEX_LAG', '5'],
    ['INDEX_LAG', '5s-2s'],
    ['INDEX_LAG', '1s-2s-3s'],
    ['INDEX_LAG', '11m'],
    ['NOW', 'tomorrow'],
  ]) {
    const [fault = ''] = faults({ CARDEA_TESTING: 'on', [`CARDEA_${name}`]: value ?? '' });
    assert.match(fault, new RegExp(`^CARDEA_${name} (?:is not valid|must be)`), value);
  }
});
