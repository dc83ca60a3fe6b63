// suite: slow
// A store that a process has open, also by way of another data directory, is not replaced by another process.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { openStore, rebuildStoreOf } from '../../src/compose/store.ts';
import { parseConfig } from '../../src/config/config.ts';
import { acquireStoreLock, lockStoreAlone } from '../../src/store/sqlite/index-lock.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';

const MAIN = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const folder = mkdtempSync(join(tmpdir(), 'cardea-replaced-'));
const path = join(folder, 'store', 'cardea.db');
/** Another name of the store. */
const alias = join(folder, 'alias.db');
const backup = join(folder, 'backup');
const OTHER = { CARDEA_DATA_DIR: join(folder, 'other'), CARDEA_STORE_URL: alias };
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: readonly string[], store = path) {
  const env = { CARDEA_DATA_DIR: join(folder, 'own'), CARDEA_STORE_URL: store };
  const line = commandLine(args, { env });
  return { code: await line.ended, out: line.out(), err: line.err() };
}

before(async () => {
  mkdirSync(join(folder, 'store'));
  for (const args of [
    ['tenant', 'create', 'acme'],
    ['backup', backup],
  ]) {
    const { code, err } = await run(args);
    assert.equal(code, 0, err);
  }
  symlinkSync(path, alias);
});

interface Opener {
  end(): Promise<void>;
}

/** What has the store open, with another data directory and another name of the store. */
const OPENERS: Readonly<Record<string, () => Promise<Opener>>> = {
  async 'a server'() {
    const config = parseConfig({ CARDEA_PORT: '0', ...OTHER });
    const cardea = await compose(config, { log: pino({ level: 'silent' }) });
    await cardea.start();
    return { end: () => cardea.stop() };
  },
  async 'an import that waits for its input'() {
    const child: ChildProcess = spawn(process.execPath, [MAIN, 'import', '-'], {
      env: { ...process.env, ...OTHER },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    await eventually(async () => {
      const lock = await acquireStoreLock(path);
      lock?.release();
      assert.equal(lock, null);
    });
    return {
      async end() {
        child.stdin?.end('{"_type":"role","id":"late","name":"Late"}\n');
        assert.deepEqual(await ended, [0, null]);
      },
    };
  },
};

/** Replaces the store. @returns why it was refused; null: it is replaced */
const REPLACERS: Readonly<Record<string, (store: string) => Promise<string | null>>> = {
  async restore(store) {
    const { code, err } = await run(['restore', backup, '--replace'], store);
    return code === 0 ? null : err;
  },
  async 'a repair that copies the rows'(store) {
    const config = parseConfig({
      CARDEA_DATA_DIR: join(folder, 'own'),
      CARDEA_STORE_URL: store,
    });
    return rebuildStoreOf(config, Date.now()).then(
      () => null,
      (error: Error) => error.message,
    );
  },
};

const stateOf = () => ({
  inode: statSync(path).ino,
  names: readdirSync(join(folder, 'store')).filter((name) => !/-(wal|shm)$/.test(name)),
});

for (const [replacer, replace] of Object.entries(REPLACERS)) {
  describe(replacer, () => {
    for (const [opener, open] of Object.entries(OPENERS)) {
      test(`is refused while ${opener} with another data directory has the store open`, async () => {
        const opened = await open();
        try {
          const before = stateOf();
          const reason = await replace(path);
          assert.match(String(reason), /cardea\.db is open in process \d+, such as a server or /);
          assert.deepEqual(stateOf(), before);
        } finally {
          await opened.end();
        }
        const { ino } = statSync(path);
        assert.equal(await replace(alias), null);
        assert.notEqual(statSync(path).ino, ino);
        assert.equal(statSync(alias).ino, statSync(path).ino, 'the other name leads to it');
      });
    }

    test('is refused while another program writes to the store', async () => {
      const connection = await openConnection(path, 60_000);
      connection.exec('pragma journal_mode = wal');
      connection.exec("begin immediate; insert into tenant (id) select 'x' where false");
      const before = stateOf();
      try {
        assert.match(String(await replace(path)), /in use|locked/);
        assert.equal(stateOf().inode, before.inode);
      } finally {
        connection.close();
      }
    });
  });
}

test('a store is not opened while it is replaced', async () => {
  const lock = await lockStoreAlone(path);
  try {
    await assert.rejects(openStore(parseConfig(OTHER).store), {
      code: 'unavailable',
      message:
        /cannot be used: cardea restore or cardea doctor --repair replaces it now: try again/,
    });
  } finally {
    lock.release();
  }
  await (await openStore(parseConfig(OTHER).store)).close();
});
