// cardea certificate: files that a server serves with and that clients verify under a fixed host
// name, kept while they are sound, and never written over those of others.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { networkFaults } from '../../src/config/exposure.ts';
import { commandLine } from '../support/command-line.ts';

const HOST = 'acme.api.identitynow.com';
const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-28T12:00:00.500Z');

const directory = mkdtempSync(join(tmpdir(), 'cardea-certificate-'));
after(() => rmSync(directory, { recursive: true }));

interface Result {
  readonly names: readonly string[];
  readonly expires: string;
  readonly certificate: string;
  readonly authority: string;
  readonly files: Readonly<Record<'authority' | 'authorityKey' | 'certificate' | 'key', string>>;
}

async function run(args: readonly string[], now = Date.now()) {
  const line = commandLine(['certificate', ...args], { now: () => now });
  return { code: await line.ended, out: line.out(), err: line.err() };
}

async function make(dir: string, args: readonly string[], now?: number): Promise<Result> {
  const { code, out, err } = await run([...args, '--dir', dir, '--json'], now);
  assert.equal(code, 0, err);
  return JSON.parse(out) as Result;
}

const parsed = (file: string) => new X509Certificate(readFileSync(file));

test('the certificate is of a fresh authority, for the names given and the local ones', async () => {
  const args = [HOST, '*.example.org', '192.0.2.7', '2001:db8:0::7'];
  const { files, names, expires } = await make(join(directory, 'a', 'b'), args, START);
  assert.deepEqual(names, [
    ...[HOST, '*.example.org', '192.0.2.7', '2001:db8::7'],
    ...['localhost', '127.0.0.1', '::1'],
  ]);
  const [authority, certificate] = [parsed(files.authority), parsed(files.certificate)];
  assert.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
  assert.deepEqual([authority.ca, certificate.ca], [true, false]);
  for (const name of [HOST, 'x.example.org', 'localhost']) assert.ok(certificate.checkHost(name));
  for (const name of ['example.org', 'x.y.example.org']) assert.ok(!certificate.checkHost(name));
  for (const address of ['192.0.2.7', '2001:db8::7', '::1'])
    assert.ok(certificate.checkIP(address));
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'servers only');
  const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / DAY_MS;
  assert.equal(days, 397);
  assert.equal(Date.parse(certificate.validTo), Date.parse(expires));
  assert.ok(Date.parse(certificate.validFrom) < START, 'clocks may be a little late');
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
  assert.deepEqual([mode(files.authorityKey), mode(files.key)], ['600', '600']);
  assert.equal(mode(join(directory, 'a', 'b')), '700');
  assert.equal(readdirSync(join(directory, 'a', 'b')).length, 4, 'no drafts are left');
});

test('a sound certificate is kept, others are renewed by the same authority', async () => {
  const dir = join(directory, 'renewal');
  const first = await make(dir, [HOST], START);
  const bytes = () => Object.values(first.files).map((file) => readFileSync(file, 'utf8'));
  const steps: readonly (readonly [args: string[], days: number, what: string[]])[] = [
    [[HOST], 366, ['kept', 'kept']],
    [['localhost', HOST.toUpperCase()], 1, ['kept', 'kept']],
    [[], 1, ['kept', 'kept']],
    [['--force'], 1, ['new', 'kept']],
    [[HOST, 'b.example'], 1, ['new', 'kept']],
    [[], 1, ['kept', 'kept']],
    [[], 369, ['new', 'kept']],
    [[], 3_500, ['new', 'kept']],
    [[], 3_625, ['new', 'replaced']],
  ];
  for (const [args, days, what] of steps) {
    const before = bytes();
    const made = await make(dir, args, START + days * DAY_MS);
    const title = `${args.join(' ')} after ${days} days`;
    assert.deepEqual([made.certificate, made.authority], what, title);
    const changed = bytes().map((text, n) => text !== before[n]);
    const isNew = what[0] === 'new';
    const isReplaced = what[1] === 'replaced';
    assert.deepEqual(changed, [isReplaced, isReplaced, isNew, isNew], title);
    const [authority, certificate] = [parsed(made.files.authority), parsed(made.files.certificate)];
    assert.ok(certificate.verify(authority.publicKey), title);
    assert.ok(Date.parse(certificate.validTo) <= Date.parse(authority.validTo), title);
    assert.ok(made.names.includes(HOST), title);
  }
  const fewer = await run([HOST, '--dir', dir], START + 3_625 * DAY_MS);
  assert.match(fewer.err, /The previous certificate was also for b\.example; this one is not/);
});

test('a certificate whose key was lost is made again', async () => {
  const dir = join(directory, 'lost');
  const { files } = await make(dir, [HOST]);
  rmSync(files.key);
  assert.equal((await make(dir, [])).certificate, 'new');
  assert.ok(existsSync(files.key));
});

test('what to do is printed: the server, the hosts file, the variables, a container', async () => {
  const { out } = await run([HOST, 'b.example', '--data-dir', join(directory, 'the data')]);
  const dir = join(directory, 'the data', 'certificates');
  for (const text of [
    `New certificate for ${HOST}, b.example, localhost, 127.0.0.1, ::1, until 20`,
    `cardea demo --data-dir '${join(directory, 'the data')}' --port 443 --tls-cert '${dir}/cert.pem' --tls-key '${dir}/key.pem'`,
    `127.0.0.1 ${HOST} b.example\n`,
    `export NODE_EXTRA_CA_CERTS='${dir}/ca.pem'`,
    `export REQUESTS_CA_BUNDLE='${dir}/ca.pem'`,
    `export SSL_CERT_FILE='${dir}/ca.pem'`,
    `extra_hosts: ["${HOST}:host-gateway"]`,
  ]) {
    assert.ok(out.includes(text), `${text} is missing in\n${out}`);
  }
  const wildcard = await run(['*.api.identitynow.com', '--dir', join(directory, 'w')]);
  assert.match(wildcard.out, /127\.0\.0\.1 acme\.api\.identitynow\.com\n/);
});

test('data that no demo has created are served as they are, and the default ones by their name', async () => {
  const dataDir = join(directory, 'acme');
  const made = commandLine(['tenant', 'create', 'acme', '--data-dir', dataDir]);
  assert.equal(await made.ended, 0, made.err());
  const own = await run(['--data-dir', dataDir]);
  assert.ok(
    own.out.includes(`  cardea serve --data-dir ${dataDir} --port 443 --tls-cert`),
    own.out,
  );
  const byDefault = await run(['--dir', join(directory, 'default')]);
  assert.match(byDefault.out, /^ {2}cardea (demo|serve) --port 443 --tls-cert/m);
});

const foreign = (name: string, file: string, fill: (dir: string) => void, fault: RegExp) => {
  test(`${name} is refused and stays`, async () => {
    const dir = mkdtempSync(join(directory, 'foreign-'));
    fill(dir);
    const before = readFileSync(join(dir, file), 'utf8');
    const { code, err } = await run([HOST, '--force', '--dir', dir]);
    assert.equal(code, 2, err);
    assert.match(err, fault);
    assert.match(err, /choose another folder with --dir/);
    assert.equal(readFileSync(join(dir, file), 'utf8'), before);
  });
};
const PAIR = 'test/api/tls';
foreign(
  "somebody else's certificate",
  'cert.pem',
  (dir) => {
    copyFileSync(join(PAIR, 'cert.pem'), join(dir, 'cert.pem'));
    copyFileSync(join(PAIR, 'key.pem'), join(dir, 'key.pem'));
  },
  /cert\.pem was not issued by .*ca\.pem/,
);
foreign(
  "somebody else's authority",
  'ca.pem',
  (dir) => {
    copyFileSync(join(PAIR, 'cert.pem'), join(dir, 'ca.pem'));
    copyFileSync(join(PAIR, 'key.pem'), join(dir, 'ca-key.pem'));
  },
  /ca\.pem is no authority that cardea certificate has made/,
);
foreign(
  'a lone key',
  'key.pem',
  (dir) => copyFileSync(join(PAIR, 'key.pem'), join(dir, 'key.pem')),
  /key\.pem is there without .*cert\.pem/,
);
foreign(
  'a file that is no certificate',
  'cert.pem',
  (dir) => writeFileSync(join(dir, 'cert.pem'), 'none'),
  /cert\.pem is no certificate/,
);

test('a folder that cannot be written is an error that says so', async () => {
  writeFileSync(join(directory, 'file'), '');
  const { code, err } = await run(['--dir', join(directory, 'file')]);
  assert.equal(code, 2);
  assert.match(
    err,
    /^error: .* cannot be used: a part of the path is a file\. Choose another folder with --dir or --data-dir\.\n$/,
  );
});

test('wrong names are reported together, and nothing is made', async () => {
  const dir = join(directory, 'none');
  const { code, err } = await run(['https://acme.example', 'a b', '--dir', dir]);
  assert.equal(code, 2);
  assert.match(err, /"https:\/\/acme\.example" is a URL: give its host alone, acme\.example\./);
  assert.match(err, /"a b" is no host name and no IP address\./);
  assert.ok(!existsSync(dir));
});

test('a program with a fixed host name verifies a server that has the certificate', async () => {
  const dir = join(directory, 'served');
  const { files } = await make(dir, [HOST]);
  mkdirSync(join(dir, 'data'), { mode: 0o700 });
  const config = parseConfig({
    ...{ CARDEA_DATA_DIR: join(dir, 'data'), CARDEA_PORT: '0' },
    ...{ CARDEA_TLS_CERT: files.certificate, CARDEA_TLS_KEY: files.key },
  });
  const cardea = await compose(config, {});
  try {
    const { url } = await cardea.start();
    const port = Number(new URL(url).port);
    const ca = readFileSync(files.authority);
    assert.deepEqual(await handshake(port, HOST, ca), { authorized: true, error: null });
    const other = await handshake(port, 'other.example', ca);
    assert.match(String(other.error), /altnames|ERR_TLS_CERT_ALTNAME_INVALID/);
    const unknown = await handshake(port, HOST, undefined);
    assert.match(String(unknown.error), /UNABLE_TO_VERIFY_LEAF_SIGNATURE|unable to verify/);

    // A child process that knows the authority from its environment alone.
    const program = `
      const lookup = (name, options, done) =>
        options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
      require('node:https').get('https://${HOST}:${port}/health', { lookup }, (answer) => {
        answer.pipe(process.stdout);
      });`;
    const child = promisify(execFile)(process.execPath, ['-e', program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: files.authority },
    });
    assert.match((await child).stdout, /^\{/);
  } finally {
    await cardea.stop();
  }
});

test('the Compose file leads the name of the certificate to the server that has it', async () => {
  const { services } = parse(readFileSync('examples/fixed-host/compose.yaml', 'utf8'));
  const { certificate, tenant, program } = services;
  const words = (certificate.command as string[]).slice(1, -1);
  const { files, names } = await make(join(directory, 'compose'), words.slice(0, -1));
  const [host, address] = program.extra_hosts[0].split(':');
  assert.ok(names.includes(host));
  assert.equal(tenant.networks.tenants.ipv4_address, address);
  const config = parseConfig(
    { ...tenant.environment, CARDEA_HOST: '0.0.0.0' },
    { tlsCert: files.certificate, tlsKey: files.key },
  );
  assert.deepEqual([config.port, config.baseUrl], [443, `https://${host}`]);
  assert.deepEqual(networkFaults(config), []);
});

const toLoopback: LookupFunction = (_name, options, done) => {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** What a client makes of the certificate that it is shown under a host name. */
function handshake(port: number, host: string, ca: Buffer | undefined) {
  return new Promise<{ authorized: boolean; error: Error | null }>((resolve) => {
    const options = { host, port, servername: host, lookup: toLoopback, ...(ca && { ca }) };
    const socket = connect(options, () => {
      resolve({ authorized: socket.authorized, error: null });
      socket.end();
    });
    socket.once('error', (error) => resolve({ authorized: false, error }));
  });
}
