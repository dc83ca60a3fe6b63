// TLS as a server speaks it: the certificate follows its files, and browsers are told to stay with it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
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
  assert.deepEqual([status, signal], [1, null], stderr);
});

test('a certificate that becomes unreadable leaves the one before in use', async () => {
  warnings.length = 0;
  writeFileSync(certFile, 'nonsense');
  await eventually(() => assert.match(warnings.join(''), /changed TLS certificate cannot be used/));
  assert.equal(await shownName(), 'renewed');
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
