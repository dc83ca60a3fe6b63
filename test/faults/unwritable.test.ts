// suite: slow
// Data directories that cannot be written, and a disk that is full: each command ends with a sentence or
// does its work, and nothing is lost. The full disk is a small file system of its own, which only root
// can mount.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { makeDemo, moveLogIn } from '../support/demo-data.ts';
import { eventually } from '../support/eventually.ts';
import { USER, userCommandLine } from '../support/user-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-unwritable-'));
const template = join(folder, 'template');
const backup = join(folder, 'backup');

before(async () => {
  await makeDemo(template);
  await moveLogIn(template);
  assert.equal(await commandLine(['backup', backup, '--data-dir', template]).ended, 0);
  chmodSync(folder, 0o755);
  chmodSync(backup, 0o755);
  for (const name of readdirSync(backup)) chmodSync(join(backup, name), 0o644);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const RAW = /\bE[A-Z]{4,}\b|SQLITE_|ERR_|\n\s+at |undefined|\[object|illegal operation/;

interface Ended {
  readonly code: number;
  readonly text: string;
  /** Whether a server was ready; it was stopped then. */
  readonly served: boolean;
}

/** Runs a command to its end, or until it is a server that is ready. */
async function endOf(line: Omit<CommandLine, 'shows'>): Promise<Ended> {
  let code: number | null = null;
  void line.ended.then((ended) => {
    code = ended;
  });
  const text = () => line.out() + line.err();
  let served = false;
  await eventually(async () => {
    const url = /serves at (\S+)/.exec(text())?.[1];
    served = url !== undefined && (await fetch(`${url}/ready`)).status === 200;
    assert.ok(served || code !== null, text());
  });
  if (served) line.interrupt();
  const ended = await line.ended;
  assert.doesNotMatch(text(), RAW);
  return { code: ended, text: text(), served };
}

function giveTo(user: number, path: string): void {
  chownSync(path, user, user);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(user, join(path, name));
}

/** One sentence on one line, which names what it is about. */
function assertOneSentence({ code, text }: Ended, named: string): void {
  const lines = text.split('\n').filter((line) => line !== '');
  const errors = lines.filter((line) => line.startsWith('error: '));
  assert.equal(errors.length, 1, text);
  assert.ok(errors[0]?.includes(named), text);
  assert.equal(code, 2, text);
}

const READ_ONLY: Readonly<
  Record<string, { readonly path: string; readonly mode: number; readonly doctor: 1 | 2 }>
> = {
  'the store': { path: 'cardea.db', mode: 0o400, doctor: 1 },
  'the data directory': { path: '', mode: 0o500, doctor: 2 },
  'the directory of the index': { path: 'index', mode: 0o500, doctor: 1 },
};

describe('read-only for the user of the service', () => {
  for (const [what, { path, mode, doctor }] of Object.entries(READ_ONLY)) {
    test(`${what} ends a server and commands with a sentence`, async () => {
      const dataDir = join(folder, `read-only-${path}`);
      cpSync(template, dataDir, { recursive: true });
      giveTo(USER, dataDir);
      const readOnly = join(dataDir, path);
      chmodSync(readOnly, mode);
      const start = (...args: string[]) => endOf(userCommandLine([...args, '--data-dir', dataDir]));
      assertOneSentence(await start('serve', '--port', '0'), readOnly);
      assertOneSentence(await start('reindex'), readOnly);
      const { code, text } = await start('doctor');
      assert.equal(code, doctor, text);
      assert.ok(text.includes(readOnly), text);
      chmodSync(readOnly, lstatSync(readOnly).isDirectory() ? 0o700 : 0o600);
      assert.equal((await start('doctor')).code, 0);
    });
  }

  test('the target of a backup, and of a restore, is named', async () => {
    const dataDir = join(folder, 'read-only-target');
    cpSync(template, dataDir, { recursive: true });
    giveTo(USER, dataDir);
    const target = join(folder, 'read-only-backups');
    mkdirSync(target, { mode: 0o555 });
    const start = (...args: string[]) => endOf(userCommandLine([...args, '--data-dir', dataDir]));
    assertOneSentence(await start('backup', join(target, 'monday')), target);
    chmodSync(dataDir, 0o500);
    const restored = await start('restore', backup, '--replace');
    assert.ok(restored.code === 1 || restored.code === 2, restored.text);
    assert.ok(restored.text.includes(dataDir), restored.text);
    chmodSync(dataDir, 0o700);
    assert.equal((await start('doctor')).code, 0);
  });
});

/** Mounts a small file system. @returns why that is not permitted; null if it is */
function mount(disk: string): string | null {
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=48m', 'cardea-faults', disk];
    execFileSync('mount', options, { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.trim()}`;
  }
}

/** Takes what room there is. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (const size of [1 << 20, 1 << 12]) {
    const block = Buffer.alloc(size);
    try {
      while (writeSync(file, block) === size);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
  closeSync(file);
}

describe('a full disk', () => {
  const disk = join(folder, 'disk');
  const dataDir = join(disk, 'data');
  const ballast = join(disk, 'ballast');
  mkdirSync(disk);
  const reason = mount(disk);
  if (reason !== null) {
    process.stderr.write(`NOT TESTED: a full disk: ${reason}\n`);
    return;
  }
  before(() => cpSync(template, dataDir, { recursive: true }));
  after(() => {
    execFileSync('umount', ['--lazy', disk]);
    rmdirSync(disk);
  });

  const COMMANDS: Readonly<Record<string, readonly string[]>> = {
    serve: ['serve', '--port', '0', '--log-level', 'silent'],
    doctor: ['doctor'],
    'doctor --repair': ['doctor', '--repair'],
    backup: ['backup', join(disk, 'monday')],
    restore: ['restore', backup, '--replace'],
    reindex: ['reindex'],
    'tenant create': ['tenant', 'create', 'other'],
  };
  for (const [name, args] of Object.entries(COMMANDS)) {
    test(`ends cardea ${name} with a sentence or not at all, and nothing is lost`, async () => {
      fill(ballast);
      const ended = await endOf(commandLine([...args, '--data-dir', dataDir]));
      const isDoctor = name.startsWith('doctor');
      if (!ended.served && ended.code !== 0 && !isDoctor) {
        assert.equal(ended.text.match(/^error: /gm)?.length, 1, ended.text);
        assert.match(ended.text, /the disk is full|The disk is full/);
      }
      assert.equal(existsSync(join(disk, 'monday')), false);
      assert.deepEqual(
        readdirSync(dataDir).filter((file) => /restoring|before-/.test(file)),
        [],
      );
      rmSync(ballast);
      const after = await endOf(commandLine(['doctor', '--repair', '--data-dir', dataDir]));
      assert.equal(after.code, 0, after.text);
      assert.match(after.text, /ok {6}tenants +demo \(\d+ documents\)/);
      const again = await endOf(
        commandLine(['serve', '--port', '0', '--log-level', 'silent', '--data-dir', dataDir]),
      );
      assert.ok(again.served, again.text);
    });
  }
});
