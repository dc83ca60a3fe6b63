// suite: slow
// cardea backup and restore: whole while others write, told when not whole, and refused where data would be lost.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import { backUp, verifyBackup } from '../../src/store/sqlite/backup.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { commandLine } from '../support/command-line.ts';
import { writeEmptyStore } from '../support/empty-store.ts';
import { type RunningService, startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-backup-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const WATCH = { progress: () => {} };

async function run(...args: string[]) {
  const line = commandLine(args);
  const code = await line.ended;
  return { code, out: line.out(), err: line.err() };
}

const role = (n: number) => ({ _type: 'role', id: `r${n}`, name: `Role ${n}` });

describe('beside a server', () => {
  let service: RunningService;
  before(async () => {
    service = await startService();
    await service.addDocuments(Array.from({ length: 200 }, (_, n) => role(n)));
  });
  after(() => service.stop());

  test('a backup is whole, verifies, and restored it serves the same', async () => {
    const directory = join(folder, 'whole');
    const made = await run('backup', directory, '--data-dir', service.dataDir, '--json');
    assert.equal(made.code, 0, made.err);
    const description = JSON.parse(made.out);
    const last = await service.cardea.store.read.lastSequence();
    assert.equal(description.sequence, last);
    assert.equal(description.tenants, 1);
    assert.deepEqual(JSON.parse(readFileSync(join(directory, 'backup.json'), 'utf8')), description);
    assert.equal(statSync(join(directory, 'cardea.db')).mode & 0o077, 0, 'for its owner alone');
    assert.deepEqual(readdirSync(directory).sort(), ['backup.json', 'cardea.db']);
    const verified = await run('backup', '--verify', directory);
    assert.equal(verified.code, 0, verified.err);
    assert.match(verified.out, /is intact: \d+ documents of 1 tenant/);

    const dataDir = join(folder, 'restored');
    const restored = await run('restore', directory, '--data-dir', dataDir, '--json');
    assert.equal(restored.code, 0, restored.err);
    assert.equal(JSON.parse(restored.out).previousStore, null);
    assert.deepEqual(JSON.parse(restored.out).faults, []);
    assert.match(restored.err, /secrets\.key is missing: copy the secrets key/);
    const [here, there] = [
      service.cardea.store,
      await openSqliteStore({ path: join(dataDir, 'cardea.db') }),
    ];
    assert.deepEqual(await there.read.tenants(), await here.read.tenants());
    const restoredChanges = await there.read.changesAfter(0, 10_000);
    const event = restoredChanges.at(-1)?.document?.root;
    assert.deepEqual(restoredChanges.slice(0, -1), await here.read.changesAfter(0, 10_000));
    const { technicalName, attributes } = JSON.parse(new TextDecoder().decode(event));
    assert.equal(technicalName, 'STORE_RESTORE_PASSED');
    assert.equal(attributes.backupSha256, description.sha256);
    assert.equal(attributes.backupSequence, last);
    await there.close();
  });

  test('a directory that holds a backup is left alone, and a server in the way is told', async () => {
    const directory = join(folder, 'whole');
    const again = await run('backup', directory, '--data-dir', service.dataDir);
    assert.equal(again.code, 2);
    assert.match(again.err, /holds a backup already/);
    const refused = await run('restore', directory, '--data-dir', service.dataDir);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /A server or a command.* runs on .*: stop it first/);
    assert.doesNotMatch(refused.err, /--replace/);
    const replaced = await run('restore', directory, '--data-dir', service.dataDir, '--replace');
    assert.equal(replaced.code, 2);
    assert.match(replaced.err, /stop it first/);
    assert.ok(!existsSync(join(service.dataDir, 'cardea.db.restoring')));
  });
});

test('a restored data directory is private, whatever the umask', async () => {
  const path = join(folder, 'private.db');
  await (await openSqliteStore({ path })).close();
  const directory = join(folder, 'private');
  await backUp({ path, directory, version: '0', now: 0 }, WATCH);
  const umask = process.umask(0);
  try {
    const dataDir = join(folder, 'restored', 'privately');
    const restored = await run('restore', directory, '--data-dir', dataDir);
    assert.equal(restored.code, 0, restored.err);
    for (const made of [dataDir, join(dataDir, 'index')]) {
      assert.equal(statSync(made).mode & 0o777, 0o700, made);
    }
    const again = await run('restore', directory, '--data-dir', dataDir);
    assert.equal(again.code, 2);
    assert.match(again.err, /is there already: --replace moves it aside/);
  } finally {
    process.umask(umask);
  }
});

test('a failed backup leaves a directory that was there, and none that it created', async () => {
  const path = join(folder, 'broken.db');
  writeFileSync(path, 'no database, but as long as the header of one would be'.repeat(20));
  const existing = join(folder, 'existing');
  mkdirSync(existing);
  for (const directory of [existing, join(existing, 'a', 'b')]) {
    await assert.rejects(backUp({ path, directory, version: '0', now: 0 }, WATCH));
    assert.deepEqual(readdirSync(existing), []);
  }
});

test('made while others write, it is one moment of the store: all of each transaction or nothing', async () => {
  const path = join(folder, 'busy.db');
  const store = await openSqliteStore({ path });
  let writing = true;
  const document = (id: string): StoredDocument => ({
    ...{ index: 'roles', id, nested: new Uint8Array(0) },
    root: new TextEncoder().encode(JSON.stringify({ id, text: 'x'.repeat(4_000) })),
  });
  const put = (n: number) =>
    store.write((r) => r.putDocuments('t', [document(`${n}a`), document(`${n}b`)]));
  for (let n = 0; n < 300; n++) await put(n);
  const writer = (async () => {
    for (let n = 300; writing; n++) {
      await put(n);
      await turn();
    }
  })();
  for (let round = 0; round < 3; round++) {
    const before = await store.read.lastSequence();
    const directory = join(folder, `busy${round}`);
    const { sequence } = await backUp({ path, directory, version: '0', now: 0 }, WATCH);
    assert.ok(sequence >= before, 'what was acknowledged before is in it');
    const copy = await openSqliteStore({ path: join(directory, 'cardea.db') });
    const ids = (await copy.read.changesAfter(0, 100_000)).map(({ id }) => id);
    assert.equal(ids.length, sequence);
    assert.equal(ids.filter((id) => id.endsWith('a')).length, ids.length / 2);
    await copy.close();
  }
  writing = false;
  await writer;
  await store.close();
});

test('moves the old store aside with its log and deletes the old index on --replace', async () => {
  const service = await startService();
  await service.addDocuments([role(1)]);
  const directory = join(folder, 'replacing');
  const made = await run('backup', directory, '--data-dir', service.dataDir);
  assert.equal(made.code, 0, made.err);
  await service.addDocuments([role(2)]);
  // What a crash leaves behind: a log that holds changes, and must not be taken for the restored store's.
  const dataDir = join(folder, 'crashed');
  mkdirSync(join(dataDir, 'index'), { recursive: true });
  for (const name of ['cardea.db', 'cardea.db-wal']) {
    copyFileSync(join(service.dataDir, name), join(dataDir, name));
  }
  assert.ok(statSync(join(dataDir, 'cardea.db-wal')).size > 0);
  writeFileSync(join(dataDir, 'index', 'manifest.json'), '{}');
  await service.stop();
  const done = await run('restore', directory, '--data-dir', dataDir, '--replace', '--json');
  assert.equal(done.code, 0, done.err);
  const { previousStore } = JSON.parse(done.out);
  assert.ok(!existsSync(join(dataDir, 'cardea.db-wal')));
  assert.deepEqual(readdirSync(join(dataDir, 'index')), ['lock.db']);
  assert.deepEqual(await roleIds(join(dataDir, 'cardea.db')), ['r1']);
  assert.deepEqual(await roleIds(previousStore), ['r1', 'r2']);
});

test('an index that is a symbolic link is refused, and what it leads to stays', async () => {
  const path = join(folder, 'linked.db');
  await writeEmptyStore(path);
  const directory = join(folder, 'linked');
  await backUp({ path, directory, version: '0', now: 0 }, WATCH);
  const [dataDir, elsewhere] = [join(folder, 'linked-data'), join(folder, 'elsewhere')];
  mkdirSync(dataDir);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'letter.txt'), 'kept');
  symlinkSync(elsewhere, join(dataDir, 'index'));
  const { code, err } = await run('restore', directory, '--data-dir', dataDir);
  assert.equal(code, 2, err);
  assert.match(err, /index is a symbolic link.*: remove the link/);
  assert.deepEqual(readdirSync(elsewhere), ['letter.txt']);
  assert.deepEqual(readdirSync(dataDir), ['index']);
});

test('a log that a killed server or restore left behind is not applied to the restored store', async () => {
  const service = await startService();
  await service.addDocuments([role(1)]);
  const directory = join(folder, 'logs');
  const made = await run('backup', directory, '--data-dir', service.dataDir);
  assert.equal(made.code, 0, made.err);
  await service.addDocuments([role(2)]);
  const log = readFileSync(join(service.dataDir, 'cardea.db-wal'));
  await service.stop();
  assert.ok(log.length > 0);
  for (const name of ['cardea.db-wal', 'cardea.db.restoring-wal']) {
    const dataDir = join(folder, `left ${name}`);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, name), log);
    const restored = await run('restore', directory, '--data-dir', dataDir);
    assert.equal(restored.code, 0, restored.err);
    assert.ok(!existsSync(join(dataDir, 'cardea.db-wal')), name);
    assert.deepEqual(await roleIds(join(dataDir, 'cardea.db')), ['r1'], name);
  }
});

test('what a client of the database changed before the backup is a warning of the restore', async () => {
  const path = join(folder, 'changed.db');
  await writeEmptyStore(path);
  const connection = await openConnection(path, 60_000);
  connection.exec(`create table log (text text);
    create trigger spy after insert on document begin insert into log values (new.id); end;
    drop trigger audit_event_replace`);
  connection.close();
  const directory = join(folder, 'changed');
  await backUp({ path, directory, version: '1', now: 0 }, WATCH);
  const faults = [
    /^the trigger spy of the table document does not belong there: drop it$/,
    /^the trigger audit_event_replace, which .* is missing: cardea doctor --repair puts it back$/,
  ];
  const restored = await run('restore', directory, '--data-dir', join(folder, 'warned'), '--json');
  assert.equal(restored.code, 0, restored.err);
  const told = JSON.parse(restored.out).faults as string[];
  assert.equal(told.length, faults.length);
  for (const [at, fault] of faults.entries()) assert.match(told[at] ?? '', fault);
  for (const fault of told) assert.ok(restored.err.includes(`warning: ${fault}\n`), restored.err);
});

/** The ids of the roles in a store, in the order of their changes. */
async function roleIds(path: string): Promise<string[]> {
  const store = await openSqliteStore({ path });
  const changes = await store.read.changesAfter(0, 100);
  await store.close();
  return changes.filter(({ index }) => index === 'roles').map(({ id }) => id);
}

/** Changes members of a backup's description. */
function describeAnew(directory: string, members: Readonly<Record<string, unknown>>): void {
  const path = join(directory, 'backup.json');
  const description = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...description, ...members }));
}

function makePipe(path: string): void {
  rmSync(path);
  execFileSync('mkfifo', [path]);
}

/** What is in a directory, pipes by their names alone. */
function contentsOf(directory: string): readonly (readonly [string, string])[] {
  return readdirSync(directory)
    .sort()
    .map((name) => {
      const path = join(directory, name);
      return [name, statSync(path).isFile() ? readFileSync(path, 'base64') : 'no file'];
    });
}

test('a log of changes beside a backup is not applied to it', async () => {
  const path = join(folder, 'logged.db');
  const directory = join(folder, 'logged');
  await writeEmptyStore(path);
  await backUp({ path, directory, version: '0', now: 0 }, WATCH);
  const file = join(directory, 'cardea.db');
  const description = readFileSync(join(directory, 'backup.json'));
  // A copy to which SQLite writes a log that fits the backup's file.
  const written = join(folder, 'written.db');
  copyFileSync(file, written);
  const connection = await openConnection(written, 60_000);
  connection.exec('pragma journal_mode = wal');
  connection.exec('pragma wal_checkpoint(truncate)');
  copyFileSync(written, file);
  connection.exec('create table added (a)');
  copyFileSync(`${written}-wal`, `${file}-wal`);
  connection.close();
  writeFileSync(join(directory, 'backup.json'), description);
  describeAnew(directory, {
    bytes: statSync(file).size,
    sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
  });
  const before = contentsOf(directory);
  const dataDir = join(folder, 'logged-data');
  for (const args of [
    ['backup', '--verify', directory],
    ['restore', directory, '--data-dir', dataDir],
  ]) {
    const { code, err } = await run(...args);
    assert.equal(code, 1, err);
    assert.match(err, /cardea\.db-wal is in the way/);
    assert.deepEqual(contentsOf(directory), before);
  }
});

describe('of two backups into one directory', () => {
  const path = join(folder, 'twice.db');
  before(() => writeEmptyStore(path));

  test('the slower one is told, and leaves that of the faster', async () => {
    const directory = join(folder, 'twice');
    const request = { path, directory, version: '0', now: 0 };
    const target = join(directory, 'cardea.db');
    const watch = {
      progress(step: string) {
        if (step === 'Checking') writeFileSync(target, 'of the faster');
      },
    };
    await assert.rejects(backUp(request, watch), {
      code: 'unavailable',
      message: `Another backup into ${directory} was faster: choose another directory.`,
    });
    assert.deepEqual(readdirSync(directory), ['cardea.db']);
    assert.equal(readFileSync(target, 'utf8'), 'of the faster');
  });

  test('one removes what a killed one left, and nothing of one at work', async () => {
    const directory = join(folder, 'left');
    mkdirSync(directory);
    const { pid: killed } = spawnSync(process.execPath, ['--version']);
    const left = (pid: number) => `cardea.db.${pid}.partial`;
    for (const pid of [killed, process.pid, process.ppid]) {
      writeFileSync(join(directory, left(pid)), 'x');
    }
    await backUp({ path, directory, version: '0', now: 0 }, WATCH);
    const names = ['backup.json', 'cardea.db', left(process.ppid)];
    assert.deepEqual(readdirSync(directory).sort(), names);
  });
});

test('a store that is no database of Cardea is not backed up', async () => {
  const path = join(folder, 'empty.db');
  writeFileSync(path, '');
  const directory = join(folder, 'of nothing');
  await assert.rejects(backUp({ path, directory, version: '0', now: 0 }, WATCH), {
    code: 'unavailable',
    message: `${path} is no database of Cardea: it has no table document. Choose another one.`,
  });
  assert.ok(!existsSync(directory));
});

describe('an incomplete backup', () => {
  const path = join(folder, 'small.db');
  const spoilt: Readonly<
    Record<string, readonly [spoil: (directory: string) => void, message: RegExp, code: number]>
  > = {
    'with a flipped bit': [
      (directory) => {
        const file = join(directory, 'cardea.db');
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(9_000) ^ 1, 9_000);
        writeFileSync(file, bytes);
      },
      /its hash is another one/,
      1,
    ],
    'cut short': [
      (directory) => truncateSync(join(directory, 'cardea.db'), 5_000),
      /is not whole/,
      1,
    ],
    'without its file': [(directory) => rmSync(join(directory, 'cardea.db')), /is missing/, 1],
    'without its description': [
      (directory) => rmSync(join(directory, 'backup.json')),
      /is no backup/,
      2,
    ],
    'with a broken description': [
      (directory) => writeFileSync(join(directory, 'backup.json'), '{'),
      /backup\.json is not valid JSON at offset 1: the JSON ends before it is complete/,
      2,
    ],
    'of another version': [
      (directory) => writeFileSync(join(directory, 'backup.json'), '{"format":2}'),
      /of another version/,
      2,
    ],
    'whose description lacks the hash': [
      (directory) => describeAnew(directory, { sha256: undefined }),
      /backup\.json is not whole: its sha256 is missing or not what a backup writes\. Copy it again/,
      2,
    ],
    'whose description lacks the size': [
      (directory) => describeAnew(directory, { bytes: undefined }),
      /is not whole: its bytes is missing/,
      2,
    ],
    'whose description has no time': [
      (directory) => describeAnew(directory, { created: 'monday' }),
      /is not whole: its created is missing/,
      2,
    ],
    'whose description lacks the damage': [
      (directory) => describeAnew(directory, { damage: { count: 0 } }),
      /is not whole: its damage is missing/,
      2,
    ],
    'whose description is a pipe': [
      (directory) => makePipe(join(directory, 'backup.json')),
      /backup\.json cannot be read: it is no regular file\./,
      2,
    ],
    'whose file is a pipe': [
      (directory) => {
        makePipe(join(directory, 'cardea.db'));
        describeAnew(directory, { bytes: 0 });
      },
      /cardea\.db is no regular file: choose another backup/,
      1,
    ],
    'whose description has other numbers of documents': [
      (directory) => describeAnew(directory, { documents: 7 }),
      /backup\.json says that documents is 7, but in cardea\.db it is 0: choose another backup\./,
      1,
    ],
    'whose description has another last change': [
      (directory) => describeAnew(directory, { sequence: 7 }),
      /says that sequence is 7, but/,
      1,
    ],
    'with an empty file that it describes': [
      (directory) => {
        writeFileSync(join(directory, 'cardea.db'), '');
        describeAnew(directory, { bytes: 0, sha256: createHash('sha256').digest('hex') });
      },
      /cardea\.db is no database of Cardea: it has no table document\./,
      1,
    ],
    'beside a log': [
      (directory) => writeFileSync(join(directory, 'cardea.db-wal'), 'x'),
      /cardea\.db-wal is in the way: .* would apply it to cardea\.db\. Move it away and try again\./,
      1,
    ],
    'beside a journal': [
      (directory) => writeFileSync(join(directory, 'cardea.db-journal'), 'x'),
      /cardea\.db-journal is in the way/,
      1,
    ],
  };
  before(async () => (await openSqliteStore({ path })).close());
  for (const [what, [spoil, message, code]] of Object.entries(spoilt)) {
    test(`${what} is found, and not restored`, async () => {
      const directory = join(folder, what);
      await backUp({ path, directory, version: '0', now: 0 }, WATCH);
      await verifyBackup(directory, WATCH);
      spoil(directory);
      const spoilt = contentsOf(directory);
      const verified = await run('backup', '--verify', directory);
      assert.equal(verified.code, code);
      assert.match(verified.err, message);
      const dataDir = join(folder, `${what}-data`);
      const restored = await run('restore', directory, '--data-dir', dataDir);
      assert.equal(restored.code, code);
      assert.match(restored.err, message);
      for (const { err } of [verified, restored]) assert.doesNotMatch(err, /\n\s+at /);
      assert.ok(!existsSync(join(dataDir, 'cardea.db')));
      assert.deepEqual(contentsOf(directory), spoilt);
    });
  }
});

describe('one that is stopped leaves nothing that could be taken for a backup', () => {
  const path = join(folder, 'stopped.db');
  before(async () => (await openSqliteStore({ path })).close());
  /** Throws when it hears of that step for the time of that number. */
  const stopping = (step: string, time: number) => {
    let times = 0;
    return {
      progress(heard: string) {
        if (heard === step) times += 1;
        if (times === time) throw new Error('stopped');
      },
    };
  };
  for (const [when, step] of [
    ['before anything is copied', 'Copying'],
    ['when the copy is there', 'Checking'],
  ] as const) {
    test(when, async () => {
      const directory = join(folder, `stopped ${step}`);
      const request = { path, directory, version: '0', now: 0 };
      await assert.rejects(backUp(request, stopping(step, 1)), /stopped/);
      assert.ok(!existsSync(directory), 'no empty directory is left');
    });
  }

  test('while SQLite is at work, which is not waited for', async () => {
    const locked = join(folder, 'locked.db');
    const holder = await openConnection(locked, 0);
    try {
      // Without a log a writer keeps readers out, so the copy waits inside SQLite.
      holder.exec('create table a (b)');
      holder.exec('begin exclusive');
      const directory = join(folder, 'stopped inside');
      const request = { path: locked, directory, version: '0', now: 0 };
      await assert.rejects(backUp(request, stopping('Copying', 3)), /stopped/);
      assert.ok(!existsSync(directory), 'no empty directory is left');
    } finally {
      holder.close();
    }
  });
});

test('a store that cannot be copied is told as the database says it', async () => {
  const path = join(folder, 'nonsense.db');
  writeFileSync(path, 'no database, but as long as the header of one would be'.repeat(20));
  const directory = join(folder, 'of nonsense');
  await assert.rejects(backUp({ path, directory, version: '0', now: 0 }, WATCH), {
    code: 'unavailable',
    message: 'The file is not a database, or its header is damaged: restore a backup.',
  });
  assert.ok(!existsSync(directory), 'no empty directory is left');
});

test('of a store in PostgreSQL it says what to use instead', async () => {
  const url = 'postgres://u:secret@127.0.0.1:1/x';
  for (const command of ['backup', 'restore']) {
    const { code, err } = await run(command, join(folder, 'pg'), '--store-url', url);
    assert.equal(code, 2);
    assert.match(err, /pg_(dump|restore)/);
    assert.doesNotMatch(err, /secret/);
  }
});
