// suite: slow
// A pipe in the place of a file that a person names, or that a command keeps: reading it might never end, so it
// is refused with a sentence.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../support/command-line.ts';

const MAIN = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** A command that reads the pipe has not ended by then. */
const END_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'cardea-pipes-'));
const dataDir = join(folder, 'data');
const pipe = join(folder, 'pipe');
after(() => rmSync(folder, { recursive: true, force: true }));

before(async () => {
  execFileSync('mkfifo', [pipe]);
  const made = commandLine(['tenant', 'create', 'acme', '--data-dir', dataDir]);
  assert.equal(await made.ended, 0, made.err());
  execFileSync('mkfifo', [join(dataDir, 'credentials.json')]);
  mkdirSync(join(dataDir, 'certificates'), { mode: 0o700 });
  execFileSync('mkfifo', [join(dataDir, 'certificates', 'ca.pem')]);
});

interface Case {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the sentence names: the pipe, by default. */
  readonly named?: string;
}

const REMOTE = {
  SAIL_CLIENT_ID: 'a',
  SAIL_CLIENT_SECRET: 'b',
  SAIL_BASE_URL: 'http://127.0.0.1:1',
};

/** By the file that reads it. */
const CASES: Readonly<Record<string, Case>> = {
  'src/config/config.ts': {
    args: ['serve', '--port', '0', '--tls-cert', pipe, '--tls-key', pipe],
    named: '--tls-cert',
  },
  'src/cli/export/anonymise-flags.ts': {
    args: ['export', '--to', join(folder, 'out'), '--anonymise', '--key-file', pipe],
  },
  'src/cli/mirror-command/mirror.ts': { args: ['mirror', '--auth-users', pipe], env: REMOTE },
  'src/cli/ephemeral/fill-fixture.ts': {
    args: ['start', '--ephemeral', '--port', '0', '--fixture', pipe],
  },
  'src/cli/certificate/keep.ts': {
    args: ['certificate', 'localhost'],
    named: join(dataDir, 'certificates', 'ca.pem'),
  },
  'src/cli/demo/credentials.ts': {
    args: ['demo', '--port', '0', '--identities', '1'],
    named: join(dataDir, 'credentials.json'),
  },
};

describe('a pipe is refused by', () => {
  for (const [file, { args, env = {}, named = pipe }] of Object.entries(CASES)) {
    test(file, () => {
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
        env: { ...process.env, CARDEA_DATA_DIR: dataDir, ...env },
        encoding: 'utf8',
        timeout: END_MS,
        killSignal: 'SIGKILL',
      });
      assert.equal(signal, null, `it waits: ${stdout}${stderr}`);
      assert.ok(stderr.includes(named), stderr);
      assert.match(stderr, /it is no regular file/);
      assert.equal(status, 2, stderr);
    });
  }
});

/** What reads files of the product itself, or of the operating system, of any kind. */
const OWN_FILES = [
  'src/cli/ephemeral/fill-fixture.ts',
  'src/cli/main.ts',
  'src/config/available-cores.ts',
  'src/config/file-fault.ts',
  'src/http/routes/static-files.ts',
  'src/store/sqlite/index-lock.ts',
];

test('no other file is read without looking at its kind', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const reading = files.filter(
    (name) =>
      name.endsWith('.ts') &&
      !name.endsWith('.test.ts') &&
      readFileSync(join(ROOT, 'src', name), 'utf8').includes('readFileSync('),
  );
  assert.deepEqual(reading.map((name) => `src/${name}`).sort(), OWN_FILES);
});
