// suite: slow
// Backups that a server makes by itself: whole and restorable, shown by metrics, status and readiness,
// and without a trace when the server stops in the middle.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { backUpApart } from '../../src/store/sqlite/scheduled-backup.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-scheduled-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const backupsIn = (path: string) =>
  readdirSync(path).filter((name) => /^cardea-\d{8}T\d{6}Z$/.test(name));

test('a server backs its store up by itself, verified, and says when', async () => {
  const backups = join(directory, 'by-itself');
  mkdirSync(join(backups, 'cardea-20200101T000000Z'), { recursive: true });
  writeFileSync(join(backups, 'cardea-20200101T000000Z', 'cardea.db.1.partial'), 'cut off');
  const service = await startService({
    ...{ CARDEA_BACKUP_DIR: backups, CARDEA_BACKUP_EVERY: '20s', CARDEA_BACKUP_KEEP: '1' },
    CARDEA_METRICS: 'on',
  });
  try {
    await service.addDocuments([{ _type: 'identity', id: 'i-1', name: 'ada' }]);
    await eventually(async () => {
      const answer = await service.call('GET', '/admin/v1/status');
      const { backup } = (await answer.json()) as { backup: Record<string, unknown> };
      assert.notEqual(backup['last'], null);
      assert.deepEqual([backup['everySeconds'], backup['failed']], [20, null]);
    });
    const [name = '', ...others] = backupsIn(backups);
    assert.deepEqual(others, [], 'what was cut off is gone');
    const verified = commandLine(['backup', '--verify', join(backups, name), '--json']);
    assert.equal(await verified.ended, 0, verified.err());
    assert.equal((JSON.parse(verified.out()) as { documents: number }).documents >= 1, true);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^cardea_last_backup_timestamp_seconds\{store="sqlite"\} \d{10}/m);
    assert.match(metrics, /^cardea_last_backup_failure_timestamp_seconds\{store="sqlite"\} 0$/m);
    await eventually(async () => {
      const [next, ...rest] = backupsIn(backups);
      assert.deepEqual(rest, []);
      assert.notEqual(next, name, 'the next one takes its place');
    });
  } finally {
    await service.stop();
  }
});

test('a backup that fails is a warning of readiness, while the server serves', async () => {
  const backups = join(directory, 'failing');
  const service = await startService({ CARDEA_BACKUP_DIR: backups, CARDEA_BACKUP_EVERY: '20s' });
  try {
    rmSync(backups, { recursive: true });
    writeFileSync(backups, 'a file in the place of the directory');
    await eventually(async () => {
      const answer = await fetch(`${service.url}/ready`);
      assert.equal(answer.status, 200);
      const { warnings = [] } = (await answer.json()) as { warnings?: string[] };
      const warning = 'The last scheduled backup could not be made: the log of this node says why.';
      assert.ok(warnings.includes(warning), warnings.join('\n'));
    });
  } finally {
    await service.stop();
  }
});

test('a backup that is ended is none, and does not keep the next one from being made', async () => {
  const service = await startService();
  try {
    const ended = new AbortController();
    const target = join(directory, 'ended');
    const path = join(service.dataDir, 'cardea.db');
    const request = { path, directory: target, version: '1', now: Date.now() };
    const making = backUpApart(request, ended.signal);
    ended.abort();
    await assert.rejects(making, /ended/);
    assert.ok(!existsSync(join(target, 'backup.json')), 'what may be left is no backup');
    await backUpApart(request, new AbortController().signal);
    assert.deepEqual(readdirSync(target).sort(), ['backup.json', 'cardea.db']);
  } finally {
    await service.stop();
  }
});
