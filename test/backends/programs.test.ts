// Programs that insist on a host name, and whole published programs, unmodified: on a machine of
// their own, on which the vendor's host names lead to a demo with a certificate of cardea certificate.
// test/support/installed-packages.ts and private-machine.ts say what it needs.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type DemoCredentials, untilListening } from '../support/demo-process.ts';
import { installedPython, PYTHON_SDK } from '../support/installed-packages.ts';
import { type PrivateMachine, startPrivateMachine } from '../support/private-machine.ts';
import { CARDEA } from '../support/program.ts';

const HOST = 'acme.api.identitynow.com';
const OTHER_HOST = 'acme.api.identitynow-demo.com';
const IDENTITIES = 60;

const folder = mkdtempSync(join(tmpdir(), 'cardea-programs-'));
const dataDir = join(folder, 'data');
let machine: PrivateMachine;
let demo: ChildProcess;
let credentials: DemoCredentials;
/** By runtime; what cardea certificate prints. */
let trust: Record<string, string>;

before(async () => {
  const certificate = [CARDEA, 'certificate', HOST, OTHER_HOST, '--data-dir', dataDir];
  const told = execFileSync(process.execPath, certificate, { encoding: 'utf8' });
  trust = Object.fromEntries(
    [...told.matchAll(/^ {2}export (\w+)=(\S+)/gm)].map(([, name = '', file = '']) => [name, file]),
  );
  const [, serve = ''] = /^ {2}cardea (demo .*)$/m.exec(told) ?? [];
  machine = await startPrivateMachine([HOST, OTHER_HOST], folder);
  const choices = ['--identities', String(IDENTITIES), '--data-dir', dataDir];
  demo = machine.start(process.execPath, [CARDEA, ...serve.split(' '), ...choices]);
  await untilListening(demo);
  credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
});
after(async () => {
  if (demo !== undefined && demo.exitCode === null) {
    const ended = once(demo, 'exit');
    demo.kill('SIGTERM');
    await ended;
  }
  await machine?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sail = () => ({
  SAIL_BASE_URL: `https://${HOST}`,
  SAIL_CLIENT_ID: credentials.clientId,
  SAIL_CLIENT_SECRET: credentials.clientSecret,
});

test('the npm client reads every identity from the host name of the vendor', async () => {
  const program = `
    import { Configuration, Paginator, SearchApi } from 'sailpoint-api-client';
    const { data } = await Paginator.paginateSearchApi(new SearchApi(new Configuration()),
      { indices: ['identities'], query: { query: '*' }, sort: ['id'] }, 25);
    console.log(data.length);`;
  const args = ['--input-type=module', '-e', program];
  const { stdout } = await machine.run(process.execPath, args, { env: { ...trust, ...sail() } });
  assert.equal(stdout.trim().split('\n').at(-1), String(IDENTITIES));
});

test('a Node program that does not know the authority is refused by its own check', async () => {
  const program = `fetch('https://${HOST}/health').catch((error) => console.log(error.cause.code))`;
  const { stdout } = await machine.run(process.execPath, ['-e', program]);
  assert.match(stdout, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN/);
});

test('a Python program with the host name of a tenant in its code reads events', async () => {
  const { clientId, clientSecret } = credentials;
  const python = installedPython(['requests==2.34.2']);
  const args = ['test/clients/fixed-host.py', 'acme', clientId, clientSecret];
  const { stdout } = await machine.run(python, args, { env: trust });
  const { events, total, health } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual([events, health], [5, 200]);
  assert.ok(Number(total) > 5);
});

const REPORTS: readonly (readonly [args: readonly string[], lines: RegExp])[] = [
  [['identities'], new RegExp(`^${IDENTITIES}$`)],
  [['entitlements', '-q', 'privileged:true'], /^\d+$/],
  [['roles'], /^\d+$/],
  [['accessprofiles'], /^\d+$/],
  [['events'], /^\d+$/],
];
for (const [args, lines] of REPORTS) {
  test(`isc-reporter reports ${args.join(' ')}`, async () => {
    const { stderr, files } = await report(['search', ...args, '--format', 'csv']);
    const [, count = ''] = /\[INFO\] (\d+) result\(s\)/.exec(stderr) ?? [];
    assert.match(count, lines, stderr);
    assert.ok(Number(count) > 0);
    const [file = ''] = files;
    // One line for each object, after that of the columns.
    const ids = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/).length - 1;
    assert.ok(ids >= Number(count), `${ids} lines for ${count} objects`);
  });
}

test('isc-reporter says what Cardea does not have', async () => {
  await assert.rejects(report(['campaigns']), ({ stderr }: { stderr: string }) => {
    assert.match(stderr, /404/);
    assert.match(stderr, /certification campaigns: Cardea does not have this area/);
    return true;
  });
});

let reports = 0;

/** Runs the published program. @returns what it logged, and the files that it wrote */
async function report(args: readonly string[]) {
  const python = installedPython(['isc-reporter==0.1.0', ...PYTHON_SDK]);
  const output = join(folder, `report${++reports}`);
  const program = ['-m', 'isc_reporter', ...args, '--output-dir', output];
  const { stderr, stdout } = await machine.run(python, program, {
    env: { ...trust, ...sail() },
    cwd: folder,
  });
  const files = readdirSync(output).map((name) => join(output, name));
  return { stderr: stderr + stdout, files };
}
