// suite: slow
// Restores and backups that are killed: afterwards there is the old store or the new one, whole.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { caseCount } from '../support/case-count.ts';
import { commandLine } from '../support/command-line.ts';
import { moveLogIn } from '../support/demo-data.ts';

const MAIN = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const folder = mkdtempSync(join(tmpdir(), 'cardea-killed-'));
const template = join(folder, 'template');
const backup = join(folder, 'backup');
const KILLS = caseCount(6, 40);

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine(args);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

async function ok(...args: string[]): Promise<string> {
  const { code, out, err } = await run(...args);
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}

/** Imports roles `FROM0`, `FROM1`, …; each has some kilobytes. */
async function importRoles(dataDir: string, from: string, count: number): Promise<void> {
  const file = join(folder, `${from}.ndjson`);
  const description = 'x'.repeat(4_000);
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ _type: 'role', id: `${from}${n}`, name: `R${n}`, description }),
  );
  writeFileSync(file, lines.join('\n'));
  await ok('import', file, '--data-dir', dataDir);
}

before(async () => {
  await ok('tenant', 'create', 'acme', '--data-dir', template);
  await importRoles(template, 'old', 2_000);
  await ok('backup', backup, '--data-dir', template);
  await importRoles(template, 'late', 300);
  await moveLogIn(template);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in a process that is killed after a time. @returns how long it ran, if it ended */
async function killed(ms: number, ...args: string[]): Promise<number | null> {
  const begun = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const timer = new AbortController();
  await Promise.race([ended, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  child.kill('SIGKILL');
  const [, signal] = (await ended) as [number | null, string | null];
  return signal === null ? performance.now() - begun : null;
}

/** Starts on the data, and checks that they are those before or after the restore. */
async function assertWhole(dataDir: string): Promise<'old' | 'new'> {
  const doctor = await ok('doctor', '--repair', '--data-dir', dataDir);
  const counts = /(\d[\d,]*) documents\)/.exec(doctor)?.[1] ?? '';
  const roles = (
    await ok('search', '*', '--index', 'roles', '--count', '--data-dir', dataDir)
  ).trim();
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => /restoring/.test(name)),
    [],
  );
  assert.match(roles, /2,?000|2,?300/, counts);
  return /300/.test(roles) ? 'old' : 'new';
}

test('a restore that is killed at any moment leaves the old store or the new one', async (t) => {
  const random = seededRandom(11);
  const attempt = (dataDir: string, ms: number) =>
    killed(ms, 'restore', backup, '--replace', '--data-dir', dataDir);
  const copy = (n: number) => {
    const dataDir = join(folder, `restore-${n}`);
    cpSync(template, dataDir, { recursive: true });
    return dataDir;
  };
  const wholeMs = await attempt(copy(0), 120_000);
  assert.ok(wholeMs !== null);
  const seen = { old: 0, new: 0 };
  for (let n = 1; n <= KILLS; n++) {
    const dataDir = copy(n);
    await attempt(dataDir, wholeMs * (0.4 + 0.6 * random()));
    seen[await assertWhole(dataDir)]++;
    rmSync(dataDir, { recursive: true, force: true });
  }
  t.diagnostic(JSON.stringify(seen));
});

test('a backup that is killed at any moment is intact or no backup, and the next one is made', async () => {
  const random = seededRandom(12);
  const attempt = (to: string, ms: number) => killed(ms, 'backup', to, '--data-dir', template);
  const wholeMs = await attempt(join(folder, 'backup-0'), 120_000);
  assert.ok(wholeMs !== null);
  for (let n = 1; n <= KILLS; n++) {
    const to = join(folder, `backup-${n}`);
    await attempt(to, wholeMs * (0.4 + 0.6 * random()));
    const { code, err } = await run('backup', '--verify', to);
    if (code !== 0) {
      assert.match(err, /is no backup/);
      const again = await run('backup', to, '--data-dir', template);
      if (again.code !== 0) assert.match(again.err, /no backup.*: choose another directory/);
    }
    rmSync(to, { recursive: true, force: true });
  }
  await ok('doctor', '--data-dir', template);
  await moveLogIn(template);
});

/** What is there after a kill at a step of a restore, by the step. */
const LEFT: Readonly<Record<string, (store: string) => void>> = {
  'while the backup is copied': (store) => writeFileSync(`${store}.restoring`, 'part'),
  'while the restore is recorded': (store) => {
    copyFileSync(join(backup, 'cardea.db'), `${store}.restoring`);
    writeFileSync(`${store}.restoring-wal`, 'log');
    writeFileSync(`${store}.restoring-shm`, '');
  },
  'after the index was removed': (store) => {
    copyFileSync(join(backup, 'cardea.db'), `${store}.restoring`);
    rmSync(join(store, '..', 'index'), { recursive: true });
  },
  'after the old store got its second name': (store) => {
    copyFileSync(join(backup, 'cardea.db'), `${store}.restoring`);
    linkSync(store, `${store}.before-2026`);
    if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${store}.before-2026-wal`);
  },
};

describe('a restore that was killed', () => {
  for (const [n, [step, leave]] of Object.entries(LEFT).entries()) {
    for (const next of ['doctor --repair', 'tenant list', 'reindex', 'restore']) {
      test(`${step} leaves nothing behind after cardea ${next}`, async () => {
        const dataDir = join(folder, `left-${n}-${next.replaceAll(' ', '')}`);
        cpSync(template, dataDir, { recursive: true });
        const store = join(dataDir, 'cardea.db');
        leave(store);
        const found = await run('doctor', '--data-dir', dataDir);
        assert.match(found.out, /warning files .*left by a restore/);
        const isRestore = next === 'restore';
        const args = isRestore ? [next, backup, '--replace'] : next.split(' ');
        await ok(...args, '--data-dir', dataDir);
        const left = readdirSync(dataDir).filter((name) =>
          /restoring|before-2026(-wal)?$/.test(name),
        );
        assert.deepEqual(left, []);
        assert.equal(await assertWhole(dataDir), isRestore ? 'new' : 'old');
        rmSync(dataDir, { recursive: true, force: true });
      });
    }
  }
});
