// suite: slow
// TLS as a server speaks it: with suites that have forward secrecy, a certificate that follows its
// files and is warned of before it ends, and the header by which browsers stay with TLS.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { issueAuthority, issueServer } from '../../src/cli/certificate/issue.ts';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { CARDEA } from '../support/program.ts';
import { asAdmin, fakeApp } from './fakes.ts';

const PAIRS = 'test/api/tls';
const directory = mkdtempSync(join(tmpdir(), 'cardea-tls-'));
const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];

let cardea: Cardea;
let url: string;
const warnings: string[] = [];
before(async () => {
  cpSync(PAIRS, directory, { recursive: true });
  const config = parseConfig({
    ...{ CARDEA_DATA_DIR: join(directory, 'data'), CARDEA_PORT: '0' },
    ...{ CARDEA_TLS_CERT: certFile, CARDEA_TLS_KEY: keyFile },
  });
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
  cardea = await compose(config, { log });
  ({ url } = await cardea.start());
});
after(async () => {
  await cardea.stop();
  rmSync(directory, { recursive: true });
});

/** The name in the certificate that a new connection is shown. */
function shownName(): Promise<string> {
  const ca = ['cert.pem', 'renewed-cert.pem'].map((name) => readFileSync(join(PAIRS, name)));
  return new Promise((resolve, reject) => {
    get(`${url}/health`, { ca, agent: false }, (response) => {
      resolve(String((response.socket as TLSSocket).getPeerCertificate().subject.CN));
      response.resume();
    }).once('error', reject);
  });
}

test('a certificate that is renewed is used without a restart, once its key is there too', async () => {
  assert.equal(await shownName(), 'localhost');
  writeFileSync(certFile, readFileSync(join(PAIRS, 'renewed-cert.pem')));
  await eventually(() => assert.match(warnings.join(''), /changed TLS certificate cannot be used/));
  assert.equal(await shownName(), 'localhost', 'the key is still the old one');
  // As renewals do it: the file is replaced, not written into.
  writeFileSync(`${keyFile}.new`, readFileSync(join(PAIRS, 'renewed-key.pem')));
  renameSync(`${keyFile}.new`, keyFile);
  await eventually(async () => assert.equal(await shownName(), 'renewed'));
});

interface Handshake {
  readonly protocol: string | null;
  readonly suite: string;
}

/** The protocol and suite of a connection; null: the server refuses it. */
function handshake(port: number, options: ConnectionOptions): Promise<Handshake | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => {
      resolve({ protocol: socket.getProtocol(), suite: socket.getCipher().standardName });
      socket.destroy();
    });
    socket.once('error', () => resolve(null));
  });
}

const tls12 = (ciphers: string): ConnectionOptions => ({ maxVersion: 'TLSv1.2', ciphers });
const OFFERS: readonly (readonly [what: string, ConnectionOptions, suite: string | null])[] = [
  ['static RSA with CBC', tls12('AES128-SHA'), null],
  ['static RSA with GCM', tls12('AES128-GCM-SHA256'), null],
  ['static RSA with 256 bits', tls12('AES256-GCM-SHA384'), null],
  ['ECDHE with CBC and SHA-1', tls12('ECDHE-RSA-AES128-SHA'), null],
  ['ECDHE with CBC and SHA-256', tls12('ECDHE-RSA-AES128-SHA256'), null],
  ['DHE', tls12('DHE-RSA-AES128-GCM-SHA256'), null],
  ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, null],
  ['ECDHE with GCM', tls12('ECDHE-RSA-AES128-GCM-SHA256'), 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
  [
    'ECDHE with GCM of 256 bits',
    tls12('ECDHE-RSA-AES256-GCM-SHA384'),
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  ],
  [
    'ECDHE with ChaCha20',
    tls12('ECDHE-RSA-CHACHA20-POLY1305'),
    'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  ],
  ['TLS 1.3', { minVersion: 'TLSv1.3' }, 'TLS_AES_256_GCM_SHA384'],
];

test('TLS 1.2 has forward secrecy and authenticated encryption only, also after a renewal', async () => {
  const folder = join(directory, 'rsa');
  const [rsaCert, rsaKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  cpSync(join(PAIRS, 'rsa-cert.pem'), rsaCert);
  cpSync(join(PAIRS, 'rsa-key.pem'), rsaKey);
  const config = parseConfig({
    ...{ CARDEA_DATA_DIR: join(folder, 'data'), CARDEA_PORT: '0', CARDEA_METRICS: 'on' },
    ...{ CARDEA_TLS_CERT: rsaCert, CARDEA_TLS_KEY: rsaKey },
  });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const server = await compose(config, { log });
  try {
    const port = Number(new URL((await server.start()).url).port);
    for (const renewed of [false, true]) {
      for (const [what, options, suite] of OFFERS) {
        const agreed = await handshake(port, options);
        assert.equal(agreed?.suite ?? null, suite, `${what}, ${renewed ? 'renewed' : 'at first'}`);
      }
      if (renewed) break;
      // The same certificate in another file.
      writeFileSync(rsaCert, `\n${readFileSync(rsaCert, 'utf8')}`);
      await eventually(() => assert.match(lines.join(''), /TLS certificate was read again/));
    }
    const text = await (await server.app.inject('/metrics')).payload;
    const { validTo } = new X509Certificate(readFileSync(rsaCert));
    assert.match(
      text,
      new RegExp(
        `^cardea_tls_certificate_expires_timestamp_seconds\\{use="api"\\} ${Date.parse(validTo) / 1_000}$`,
        'm',
      ),
    );
  } finally {
    await server.stop();
  }
});

test('an expired certificate serves, and the log, /ready and doctor say so', async () => {
  const folder = join(directory, 'expired');
  const until = Date.now() - 3_600_000;
  const authority = await issueAuthority({ from: until - 86_400_000, until });
  const pair = await issueServer(authority, ['localhost'], { from: until - 86_400_000, until });
  mkdirSync(folder, { mode: 0o700 });
  const env = {
    CARDEA_DATA_DIR: join(folder, 'data'),
    ...{ CARDEA_TLS_CERT: join(folder, 'cert.pem'), CARDEA_TLS_KEY: join(folder, 'key.pem') },
  };
  writeFileSync(env.CARDEA_TLS_CERT, pair.certificate);
  writeFileSync(env.CARDEA_TLS_KEY, pair.key, { mode: 0o600 });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const server = await compose(parseConfig({ ...env, CARDEA_PORT: '0' }), { log });
  try {
    await server.start();
    const warning = /The TLS certificate expired at .*, so clients refuse it: renew it\./;
    assert.match(lines.join(''), warning);
    const ready = await server.app.inject('/ready');
    assert.equal(ready.statusCode, 200, ready.payload);
    assert.match(ready.payload, warning);
    // Whoever reads it must not learn where files are.
    assert.ok(!ready.payload.includes(folder), ready.payload);
    const doctor = commandLine(['doctor', '--json'], { env });
    assert.equal(await doctor.ended, 1);
    const { checks } = JSON.parse(doctor.out()) as { checks: { name: string; message: string }[] };
    assert.match(checks.find(({ name }) => name === 'certificate')?.message ?? '', warning);
  } finally {
    await server.stop();
  }
});

test('a server that cannot read its certificate exits, also if its Redis does not answer', () => {
  const cert = join(directory, 'none.pem');
  writeFileSync(cert, 'none');
  const data = join(directory, 'other');
  const serve = [CARDEA, 'serve', '--data-dir', data, '--port', '0'];
  const tls = { CARDEA_TLS_CERT: cert, CARDEA_TLS_KEY: cert };
  const { status, signal, stderr } = spawnSync(process.execPath, serve, {
    env: { ...process.env, ...tls, CARDEA_REDIS_URL: 'redis://127.0.0.1:1' },
    ...{ encoding: 'utf8', timeout: 60_000 },
  });
  assert.deepEqual([status, signal], [2, null], stderr);
  assert.match(stderr, /^error: \S+none\.pem is no certificate in PEM: [^\n]+\n$/);
});

test('a certificate that becomes unreadable leaves the one before in use', async () => {
  warnings.length = 0;
  writeFileSync(certFile, 'nonsense');
  await eventually(() => assert.match(warnings.join(''), /changed TLS certificate cannot be used/));
  assert.equal(await shownName(), 'renewed');
  const ready = await cardea.app.inject('/ready');
  assert.equal(ready.statusCode, 200);
  assert.match(ready.payload, /files of the TLS certificate cannot be used, and a restart would/);
});

for (const [strictTransport, header] of [
  [true, 'max-age=31536000'],
  [false, undefined],
] as const) {
  test(`every answer ${strictTransport ? 'tells' : 'does not tell'} browsers to stay with TLS where that is ${strictTransport}`, async () => {
    const app = fakeApp({}, { strictTransport });
    const answers = [
      await app.inject('/health'),
      await app.inject('/v3/nothing'),
      await app.inject({ method: 'POST', url: '/v3/search', headers: asAdmin, payload: {} }),
      await app.inject({ method: 'POST', url: '/v3/search/count', headers: asAdmin, payload: {} }),
    ];
    for (const { headers } of answers) assert.equal(headers['strict-transport-security'], header);
    await app.close();
  });
}
