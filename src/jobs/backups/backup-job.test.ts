// When backups are made by themselves, which are kept, and what stays when one fails.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/empty-store.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { SILENT } from '../../telemetry/log.ts';
import { BackupJob, type BackupJobOptions } from './backup-job.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-30T12:00:00Z');
const nameOf = (time: number) =>
  `cardea-${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** A directory of backups, with a clock that tests set, and a copy that writes what `backUp` writes. */
function world(options: Partial<BackupJobOptions> = {}) {
  const directory = options.directory ?? join(temporaryFolder(), 'backups');
  const clock = { time: START, now: () => clock.time };
  let held = false;
  const job = new BackupJob({
    ...{ directory, everyMs: HOUR, keep: 3, log: SILENT, clock },
    storeBytes: () => 1_000,
    freeBytes: () => null,
    async lock() {
      if (held) return null;
      held = true;
      return {
        release: () => {
          held = false;
        },
      };
    },
    async make(path) {
      mkdirSync(path);
      writeFileSync(join(path, 'cardea.db'), '');
      writeFileSync(join(path, 'backup.json'), '{}');
    },
    ...options,
  });
  return { directory, clock, job, names: () => readdirSync(directory).sort() };
}

test('a backup is made when none is there, and the next one once the period has passed', async () => {
  const { job, clock, names } = world();
  assert.equal(await job.run(), HOUR);
  clock.time += HOUR - 1_000;
  assert.equal(await job.run(), 1_000);
  assert.deepEqual(names(), [nameOf(START)]);
  clock.time += 1_000;
  await job.run();
  assert.deepEqual(names(), [nameOf(START), nameOf(START + HOUR)]);
});

test('the latest are kept, and what others put into the directory', async () => {
  const { job, clock, directory, names } = world();
  mkdirSync(join(directory, 'monday'), { recursive: true });
  writeFileSync(join(directory, nameOf(START - 5 * HOUR)), 'a file');
  for (let nth = 0; nth < 5; nth++, clock.time += HOUR) await job.run();
  const kept = [2, 3, 4].map((nth) => nameOf(START + nth * HOUR));
  assert.deepEqual(names(), [...kept, 'monday', nameOf(START - 5 * HOUR)].sort());
});

test('what was cut off is removed, and does not count as a backup', async () => {
  const { job, directory, names } = world();
  mkdirSync(join(directory, nameOf(START - 1_000)), { recursive: true });
  writeFileSync(join(directory, nameOf(START - 1_000), 'cardea.db.7.partial'), 'x');
  await job.run();
  assert.deepEqual(names(), [nameOf(START)]);
});

test('a backup that fails leaves nothing, removes no other, and is a failure of its time', async () => {
  const { job: first, directory, clock, names } = world({ keep: 1 });
  await first.run();
  const { job } = world({
    ...{ directory, keep: 1, clock },
    async make(path) {
      mkdirSync(path);
      writeFileSync(join(path, 'backup.json'), '{}');
      throw new Error('The copy is not sound');
    },
  });
  clock.time += HOUR;
  await assert.rejects(job.run(), /not sound/);
  assert.deepEqual(names(), [nameOf(START)]);
});

for (const [free, isMade] of [
  [256 * 2 ** 20 + 1_100, true],
  [256 * 2 ** 20 + 1_099, false],
  [0, false],
  [null, true],
] as const) {
  test(`with ${free} bytes free a backup of 1,000 bytes is ${isMade ? 'made' : 'refused'}`, async () => {
    const { job, names } = world({ freeBytes: () => free });
    if (isMade) await job.run();
    else await assert.rejects(job.run(), /MiB free, and 257 MiB are needed/);
    assert.equal(names().length, isMade ? 1 : 0);
  });
}

test('a failure is a warning without paths until a backup succeeds', async () => {
  let free = 0;
  const { job, directory } = world({ freeBytes: () => free, everyMs: 20, firstMs: 0 });
  job.start();
  try {
    await eventually(async () => assert.notEqual(job.warning, null));
    assert.equal(
      job.warning,
      'The last scheduled backup could not be made: its disk has 0 MiB free, and 257 MiB are needed.',
    );
    assert.deepEqual(job.state, { everyMs: 20, failedAt: START });
    free = 2 ** 40;
    await eventually(async () => assert.equal(job.warning, null));
    assert.ok(existsSync(join(directory, nameOf(START))));
  } finally {
    await job.stop();
  }
});

test('of several jobs at once one makes the backup, and the others see that none is due', async () => {
  let isHeld = false;
  let made = 0;
  const directory = join(temporaryFolder(), 'backups');
  const jobs = Array.from({ length: 4 }, () =>
    world({
      directory,
      async lock() {
        if (isHeld) return null;
        isHeld = true;
        return {
          release: () => {
            isHeld = false;
          },
        };
      },
      async make(path) {
        made++;
        mkdirSync(path);
        await new Promise((resolve) => setImmediate(resolve));
        writeFileSync(join(path, 'backup.json'), '{}');
      },
    }),
  );
  await Promise.all(jobs.map(({ job }) => job.run()));
  for (const { job } of jobs) assert.ok((await job.run()) > 60_000);
  assert.equal(made, 1);
});

test('backups of a clock that was ahead do not end backups, and go first', async () => {
  const { job, directory, clock, names } = world();
  for (const years of [1, 2, 3]) {
    const path = join(directory, nameOf(START + years * 365 * 24 * HOUR));
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'backup.json'), '{}');
  }
  for (let nth = 0; nth < 3; nth++, clock.time += HOUR) await job.run();
  assert.deepEqual(
    names(),
    [0, 1, 2].map((nth) => nameOf(START + nth * HOUR)),
  );
});

test('a stop ends the backup that is being made, without a warning', async () => {
  let begun = false;
  const { job } = world({
    firstMs: 0,
    make: (_path, _now, signal) =>
      new Promise((_, reject) => {
        begun = true;
        signal.addEventListener('abort', () => reject(new Error('ended')));
      }),
  });
  job.start();
  await eventually(async () => assert.ok(begun));
  await job.stop();
  assert.equal(job.warning, null);
});
