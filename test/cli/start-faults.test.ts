// suite: slow
// What is wrong at the start of a command is one sentence and exit code 2, which the unit of systemd
// does not restart. Only what may pass by itself, a database that does not answer, is code 1.
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SETTINGS, type SettingKey } from '../../src/config/settings/settings.ts';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-start-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const to = (...names: string[]) => join(directory, ...names);
const file = to('file');
writeFileSync(file, 'neither JSON nor a database\n', { mode: 0o600 });

/** A server that starts although it should not is stopped. */
const PATIENCE_MS = 60_000;

type Env = Readonly<Record<string, string>>;

async function end(args: readonly string[], env: Env = {}) {
  const line = commandLine(args, { env: { CARDEA_LOG_LEVEL: 'silent', ...env } });
  const timer = setTimeout(() => line.interrupt(), PATIENCE_MS);
  const code = await line.ended;
  clearTimeout(timer);
  return { code, out: line.out(), err: line.err() };
}

async function assertFault(args: readonly string[], env: Env, message: RegExp, code = 2) {
  const ended = await end(args, env);
  assert.match(ended.err, /^error: [^\n]+[.)]\n$/, 'one sentence');
  assert.match(ended.err, message);
  assert.doesNotMatch(ended.err, /"level"|^ +at /m, 'neither JSON nor a stack');
  assert.deepEqual([ended.code, ended.out], [code, ''], ended.err);
}

/** A value that no setting of this name can have. */
const WRONG: Readonly<Record<SettingKey, string>> = {
  ...{ port: '80x', host: ' ', baseUrl: 'id.example.org', dataDir: ' ' },
  ...{ storeUrl: 'mysql://127.0.0.1/cardea', storePool: '0', storeWaitMs: '10s' },
  ...{
    storeTimeoutMs: '-1',
    storeCheckSeconds: 'daily',
    backupDir: ' ',
    backupEvery: '19s',
    backupKeep: '0',
    secretsKey: 'abc',
    secretsKeyFile: ' ',
  },
  ...{ searchUrl: 'opensearch:9200', searchPrefix: 'Cardea', searchShards: '1,people=2' },
  ...{ searchReplicas: 'many', searchOpenIndexes: '1', threads: '0' },
  ...{ searchComparisonSeconds: 'hourly', memory: '5KiB' },
  ...{ tlsCert: ' ', tlsKey: ' ', rateLimit: 'fast', tokenAttempts: '20' },
  ...{ trustedProxies: 'proxy.example', tokenPolicy: 'none', secretsInQuery: 'yes' },
  ...{ redisUrl: 'http://127.0.0.1:6379', corsOrigins: 'https://a.example/path' },
  ...{ externalIssuers: '[{}]', refuseExclusivePairs: '1', allowPrivateUrls: 'true' },
  ...{ logLevel: 'loud', indexPollMs: '0', queryTimeoutMs: '0', bodyLimit: '1MB' },
  ...{
    documentLimit: '1',
    anonymousBodyLimit: '1GiB',
    bodyMemory: '1KiB',
    answerMemory: 'x',
  },
  ...{
    anonymousMemory: '',
    headerLimit: '16',
    headersTimeoutMs: '1',
    bodyTimeoutMs: '1',
  },
  ...{ importTimeoutMs: '1', leastBodyRate: '0', leastAnswerRate: 'slow', stallMs: '1' },
  ...{ responseTimeoutMs: '1', stopTimeoutMs: '-1', maxConnections: '0' },
  ...{ maxConnectionsPerAddress: '0', maxSearches: '0', maxProfileSearches: '0', maxWrites: '0' },
  ...{ queueWaitMs: 'long', tenantShare: '101', callerShare: '0', tenantWeights: 'a=0' },
  ...{ metrics: '99999', otlpUrl: 'collector', eventRetention: '1h', auditFile: ' ' },
  ...{ auditFileSize: '0', auditFiles: '0', auditUrl: 'logs', auditAuthorization: ' ' },
  ...{ reportTimeZone: '+02:00', reportRows: '0', reportBytes: '1', reportSeconds: '0' },
  ...{ reportRunsKept: '0', smtpUrl: 'mail.example.org', smtpFrom: 'Cardea' },
  ...{ webhookUrl: 'hook', webhookSecret: 'short', documentation: 'yes', console: 'no' },
  ...{ consoleIdleSeconds: '1', consoleSessionSeconds: '1', consoleOpenidIssuer: 'issuer' },
  ...{ consoleOpenidClient: ' ', consoleOpenidScopes: 'profile', consoleOpenidParameters: '=' },
  ...{ consoleOpenidOrigins: '*', consoleOpenidLabel: ' ', mcp: '1', collectionEnvelope: 'object' },
  ...{ profileTimeZone: 'Mars/Olympus', maxDynamicFields: '-1', testing: 'maybe' },
  ...{ faults: '{"rules":1}', now: 'tomorrow', indexLag: '1h' },
  ...{ maxClauses: '0', maxDepth: '0', maxQueryLength: '0', maxTerms: '0', maxRegexLength: '0' },
  ...{ maxSortKeys: '0', maxWindow: '0', maxAggregationDepth: '0', maxBuckets: '0' },
};

describe('a wrong setting', () => {
  const dataDir = to('settings');
  for (const [key, value] of Object.entries(WRONG)) {
    const { env, flag } = SETTINGS[key as SettingKey];
    test(`${env}=${value} ends with 2, also as a flag, and nothing is created`, async () => {
      const settings = { CARDEA_DATA_DIR: dataDir, CARDEA_TESTING: 'on' };
      await assertFault(['serve', `--${flag}`, value], settings, new RegExp(`^error: --${flag} `));
      // An empty variable is one that is not set.
      if (value === '') return;
      await assertFault(['serve'], { ...settings, [env]: value }, new RegExp(`^error: ${env} `));
      assert.equal(existsSync(dataDir), false);
    });
  }
});

describe('a file of a setting', () => {
  const PAIR = 'test/api/tls';
  const pem = (name: string) => readFileSync(join(PAIR, name), 'utf8');
  const [cert, key] = [join(PAIR, 'cert.pem'), join(PAIR, 'key.pem')];
  const made = (name: string, content: string | Buffer) => {
    writeFileSync(to(name), content, { mode: 0o600 });
    return to(name);
  };
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' };
  const encrypted = createPrivateKey(pem('key.pem')).export({
    ...{ type: 'pkcs8', format: 'pem', ...cipher },
  } as const);
  const legacy = createPrivateKey(pem('key.pem')).export({
    ...{ type: 'sec1', format: 'pem', ...cipher },
  } as const);
  const damaged = (text: string) => text.replace(/\n[A-Za-z0-9+/]{20}/, `\n${'A'.repeat(20)}`);
  const tls = (certFile: string, keyFile: string): Env => ({
    ...{ CARDEA_TLS_CERT: certFile, CARDEA_TLS_KEY: keyFile },
  });
  const CASES: readonly (readonly [what: string, env: Env, message: RegExp])[] = [
    [
      'a key of another certificate',
      tls(cert, join(PAIR, 'renewed-key.pem')),
      /The key in \S+renewed-key\.pem does not belong to the certificate in \S+cert\.pem: use the/,
    ],
    [
      'an encrypted key',
      tls(cert, made('encrypted.pem', encrypted)),
      /key in \S+encrypted\.pem is encrypted.*openssl pkey -in \S+encrypted\.pem/,
    ],
    [
      'a key encrypted in the earlier form',
      tls(cert, made('legacy.pem', legacy)),
      /key in \S+legacy\.pem is encrypted/,
    ],
    ['a key that is none', tls(cert, file), /file is no private key in PEM: set CARDEA_TLS_KEY to/],
    [
      'a damaged key',
      tls(cert, made('damaged-key.pem', damaged(pem('key.pem')))),
      /private key in \S+damaged-key\.pem is damaged/,
    ],
    [
      'a certificate that is none',
      tls(file, key),
      /file is no certificate in PEM: set CARDEA_TLS_C/,
    ],
    [
      'a certificate in DER',
      tls(made('der', new X509Certificate(pem('cert.pem')).raw), key),
      /der is no certificate in PEM/,
    ],
    [
      'a damaged certificate',
      tls(made('damaged.pem', damaged(pem('cert.pem'))), key),
      /certificate in \S+damaged\.pem is damaged/,
    ],
    [
      'certificate and key exchanged',
      tls(key, cert),
      /key\.pem is a private key and no certificate/,
    ],
    ['a missing certificate', tls(to('none'), key), /CARDEA_TLS_CERT .* read: it does not exist/],
    ['a directory as key', tls(cert, directory), /CARDEA_TLS_KEY .* read: it is a directory/],
    ['a certificate alone', { CARDEA_TLS_CERT: cert }, /CARDEA_TLS_KEY is missing/],
    ['issuers that are missing', { CARDEA_EXTERNAL_ISSUERS: to('none') }, /it does not exist/],
    ['issuers that are no JSON', { CARDEA_EXTERNAL_ISSUERS: file }, /ISSUERS is not valid JSON at/],
    ['faults in a directory', { CARDEA_FAULTS: directory }, /CARDEA_FAULTS .* it is a directory/],
    ['a key in a directory', { CARDEA_SECRETS_KEY_FILE: directory }, /secrets key in .*directory/],
    ['a key that is none', { CARDEA_SECRETS_KEY_FILE: file }, /it must hold 64 hexadecimal digits/],
    [
      'a key that cannot be created',
      { CARDEA_SECRETS_KEY_FILE: to('none', 'key') },
      /secrets key in \S+key cannot be used: it cannot be created there/,
    ],
    ['a directory as audit file', { CARDEA_AUDIT_FILE: directory }, /AUDIT_FILE .* is a directory/],
    [
      'an audit file below a file',
      { CARDEA_AUDIT_FILE: join(file, 'audit.jsonl') },
      /CARDEA_AUDIT_FILE \S+ cannot be written: (a part of the path is|there is) a file/,
    ],
    [
      'a directory as store',
      { CARDEA_STORE_URL: directory },
      /The store \S+ .* cannot be used: it is a directory/,
    ],
    ['a store that is none', { CARDEA_STORE_URL: file }, /The store \S+file .* not a database/],
    [
      'a store below a file',
      { CARDEA_STORE_URL: join(file, 'x', 'cardea.db') },
      /The store \S+ \(CARDEA_DATA_DIR or CARDEA_STORE_URL\) cannot be used: a part of the path is/,
    ],
  ];
  for (const [n, [what, env, message]] of CASES.entries()) {
    test(`${what}: which file, and what to do`, async () => {
      const settings = { CARDEA_DATA_DIR: to(`files-${n}`), CARDEA_PORT: '0' };
      await assertFault(['serve'], { ...settings, CARDEA_TESTING: 'on', ...env }, message);
    });
  }
});

describe('an address', () => {
  let other: Server;
  let port: number;
  before(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    ({ port } = other.address() as AddressInfo);
  });
  after(() => other.close());
  const CASES: readonly (readonly [what: string, flags: () => string[], message: RegExp])[] = [
    [
      'a port in use',
      () => ['--port', `${port}`],
      /Another program listens on .*, or choose.*--port/,
    ],
    [
      'no address of ours',
      () => ['--host', '203.0.113.7'],
      /203\.0\.113\.7:\d+ \(--host and --port/,
    ],
    [
      'an unknown name',
      () => ['--host', 'host.invalid'],
      /host\.invalid:\d+ \(--host.*: no address/,
    ],
    [
      'a port of the metrics in use',
      () => ['--port', '0', '--metrics', `${port}`],
      /Another program listens on 127\.0\.0\.1:\d+: stop it, or choose another port with --metrics/,
    ],
  ];
  for (const command of ['serve', 'demo'] as const) {
    for (const [what, flags, message] of CASES) {
      // The demo would create its company before it serves its metrics.
      if (command === 'demo' && what.includes('metrics')) continue;
      test(`${command} with ${what}`, async () => {
        const dataDir = ['--data-dir', to(`address-${command}`)];
        await assertFault([command, ...dataDir, ...flags()], {}, message);
      });
    }
  }
});

describe('a database', async () => {
  const postgres = await startPostgres();
  after(() => postgres.stop());
  for (const args of [['serve', '--port', '0'], ['tenant', 'list'], ['doctor'], ['reindex']]) {
    test(`${args[0]}: one that does not exist is a wrong setting, one that is away may come back`, async () => {
      const url = new URL(await postgres.database('present'));
      url.pathname = '/absent';
      url.username = 'ada';
      const settings = { CARDEA_DATA_DIR: to('database'), CARDEA_STORE_URL: url.href };
      // The result of doctor is a fault that it has found.
      const isResult = args[0] === 'doctor';
      const absent = await end(args, settings);
      assert.match(
        absent.err + absent.out,
        /The store postgres\w*:\/\/127\.0\.0\.1:\d+\/absent \(CARDEA_ST/,
      );
      assert.doesNotMatch(absent.err + absent.out, /ada/);
      assert.equal(absent.code, isResult ? 1 : 2, absent.err);
      url.port = '1';
      const away = await end(args, { ...settings, CARDEA_STORE_URL: url.href });
      assert.match(
        away.err + away.out,
        /127\.0\.0\.1:1\/absent .*does not answer \(ECONNREFUSED\)/,
      );
      assert.equal(away.code, 1);
    });
  }
});

/** A command line for each command that reads or writes the data; the others open none. */
const NO_DATA = ['api-key', 'audit', 'client', 'health', 'keys', 'mcp', 'pat', 'start'];
const GROUPS = ['field', 'tenant', 'user', 'view'];
/** Commands that create a data directory. */
const CREATING: Readonly<Record<string, readonly string[]>> = {
  ...{ serve: ['--port', '0'], demo: ['--port', '0'], 'tenant create': ['acme'] },
  mirror: ['--from', 'https://a.test', '--client-id', 'a', '--client-secret', 'b'],
  ...{ certificate: [], doctor: [] },
};
const READING: Readonly<Record<string, readonly string[]>> = {
  ...{ search: ['*'], import: [file], export: ['--to', to('export')], reindex: [] },
  ...{ backup: [to('backup')], 'migrate-store': ['--to', 'postgres://127.0.0.1:1/x'] },
  ...{ restore: [to('no-backup')], 'audit verify': [], 'tenant list': [] },
  ...{ 'user create': ['--uid', 'ada'], 'user grant': ['ada', 'HELPDESK'] },
  'user revoke': ['ada', 'HELPDESK'],
  ...{ 'user list': [], 'user show': ['ada'], 'user disable': ['ada'], 'user enable': ['ada'] },
  ...{ 'user sign-out': ['ada'], 'user delete': ['ada'] },
  ...{ 'view create': ['a', '--show', 'roles=*'], 'view replace': ['a', '--show', 'roles=*'] },
  ...{ 'view list': [], 'view show': ['a'], 'view test': ['a'], 'view assign': ['ada', 'a'] },
  ...{ 'view delete': ['a'], 'pat create': ['--owner', 'ada', '--name', 'a'], 'pat list': [] },
  ...{ 'pat delete': ['a'], 'client create': ['--name', 'a'], 'client list': [] },
  ...{ 'client delete': ['a'], 'api-key create': ['--name', 'a'], 'api-key list': [] },
  ...{ 'field list': [], 'field set': ['identities', 'attributes.a', 'text'] },
  ...{ 'api-key delete': ['a'], 'keys list': [], 'keys rotate': [], 'keys reseal': [] },
};

describe('a data directory', () => {
  test('has a row below for every command', () => {
    const commands = readdirSync('test/golden/help').map((name) =>
      name.replace(/^cardea-?|\.txt$/g, ''),
    );
    const rows = [...NO_DATA, ...GROUPS, ...Object.keys(CREATING), ...Object.keys(READING)];
    assert.deepEqual(
      commands.filter((name) => name !== '').sort(),
      rows.map((row) => row.replaceAll(' ', '-')).sort(),
    );
  });
  for (const [command, args] of Object.entries({ ...CREATING, ...READING })) {
    test(`that is a file ends cardea ${command}`, async () => {
      const line = [...command.split(' '), ...args, '--data-dir', file];
      await assertFault(line, {}, new RegExp(file));
    });
  }
  for (const [command, args] of Object.entries(READING)) {
    test(`that does not exist ends cardea ${command}, and is not created`, async () => {
      const missing = to('mistyped');
      const line = [...command.split(' '), ...args, '--data-dir', missing];
      await assertFault(line, {}, command === 'restore' ? /no-backup is no backup/ : /mistyped/);
      assert.equal(existsSync(missing), false);
    });
  }
  const SPOILT: readonly (readonly [what: string, spoil: (path: string) => void, RegExp])[] = [
    [
      'whose store is a directory',
      (path) => mkdirSync(join(path, 'cardea.db')),
      /cannot be used: it is a directory; move it away and restore a backup/,
    ],
    [
      'whose store is none',
      (path) => writeFileSync(join(path, 'cardea.db'), 'x'.repeat(4_096)),
      /not a database/,
    ],
    [
      'whose index is a file',
      (path) => writeFileSync(join(path, 'index'), ''),
      /index is a file in the place of the directory of the search index: cardea doctor --repair/,
    ],
  ];
  for (const [n, [what, spoil, message]] of SPOILT.entries()) {
    test(`${what} ends a server and commands`, async () => {
      const path = to(`spoilt-${n}`);
      mkdirSync(path, { mode: 0o700 });
      spoil(path);
      for (const command of [['serve', '--port', '0'], ['demo', '--port', '0'], ['reindex']]) {
        // Without a store, there is nothing to index.
        if (command[0] === 'reindex' && what.includes('index')) continue;
        await assertFault([...command, '--data-dir', path], {}, message);
      }
    });
  }
  test('that cannot be created says so', async () => {
    await assertFault(['serve', '--data-dir', '/proc/nope'], {}, /\/proc\/nope cannot be used: /);
  });
  for (const name of ['credentials.json', 'demo.json']) {
    test(`with a damaged ${name} ends a demo`, async () => {
      const path = to(`damaged-${name}`);
      mkdirSync(path, { mode: 0o700 });
      writeFileSync(join(path, name), '{');
      await assertFault(['demo', '--port', '0', '--data-dir', path], {}, /is not valid JSON/);
    });
  }
});

describe('a data directory that a server has', () => {
  const dataDir = to('served');
  let server: CommandLine;
  before(async () => {
    assert.equal((await end(['tenant', 'create', 'acme', '--data-dir', dataDir])).code, 0);
    assert.equal((await end(['backup', to('good'), '--data-dir', dataDir])).code, 0);
    assert.equal(
      (await end(['view', 'create', 'a', '--show', 'roles=*', '--data-dir', dataDir])).code,
      0,
    );
    server = commandLine(['serve', '--data-dir', dataDir, '--port', '0', '--log-level', 'silent']);
    await eventually(() => assert.match(server.err(), /serves at/));
  });
  after(async () => {
    server.interrupt();
    await server.ended;
  });
  const LOCKED: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['serve', '--port', '0'], /Another process serves .*: stop it, or choose another directory/],
    [['demo', '--port', '0'], /Another process serves/],
    [['restore', to('good'), '--replace'], /A server or a command.* runs on .*: stop it first/],
    [
      ['migrate-store', '--to', 'postgres://127.0.0.1:1/x'],
      /A server or a command.* runs on .*: stop it first/,
    ],
  ];
  for (const [args, message] of LOCKED) {
    test(`ends cardea ${args[0]}`, () =>
      assertFault([...args, '--data-dir', dataDir], {}, message));
  }

  test('and of files that are missing or in the way, each is named', async () => {
    const CASES: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [['import', to('none')], /none cannot be read: it does not exist/],
      [['import', directory], /is a directory/],
      [['backup', to('good')], /holds a backup already: choose another directory/],
      [['backup', join(file, 'x')], /file\/x.* cannot be used: a part of the path is a file/],
      [['backup', '--verify', to('none')], /none is no backup/],
      [['export', '--to', file], /--to \S+ cannot be created: there is a file of that name/],
      [
        ['keys', 'reseal', '--new-key-file', to('none', 'key')],
        /secrets key in \S+ cannot be used/,
      ],
      [['keys', 'reseal', '--new-key-file', file], /it must hold 64 hexadecimal digits/],
      [
        ['export', '--to', to('a'), '--anonymise', '--key-file', directory],
        /key file \S+ cannot be read: it is a directory/,
      ],
      [
        [
          ...['mirror', '--from', 'https://a.test', '--client-id', 'a', '--client-secret', 'b'],
        ].concat(...['--auth-users', to('none')]),
        /--auth-users \S+none cannot be read: it does not exist/,
      ],
    ];
    for (const [args, message] of CASES) {
      await assertFault([...args, '--data-dir', dataDir], {}, message);
    }
  });
});

test('a fixture that is missing or none ends a throw-away server', async () => {
  await assertFault(
    ['start', '--ephemeral', '--fixture', to('none')],
    {},
    /none cannot be read: it/,
  );
  const invalid = await end(['start', '--ephemeral', '--fixture', file]);
  assert.equal(invalid.code, 2);
  assert.match(invalid.err, /^error: The fixture is not valid\.\n( {2}[^\n]+\n)+$/);
});

test('an assistant with a wrong address or without credentials ends at once', async () => {
  const ended = await end(['mcp', '--server', 'acme']);
  assert.equal(ended.code, 2);
  assert.match(
    ended.err,
    /^error: --server must be like https:[^\n]+\nerror: Credentials are missing[^\n]+\n$/,
  );
});
