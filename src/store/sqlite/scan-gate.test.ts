// The thread of scans is out of SQLite before the thread that started it ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ScanGate } from './scan-gate.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-gate-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('after it is closed no work begins', async () => {
  const memory = ScanGate.memory();
  const [inside, outside] = [new ScanGate(memory), new ScanGate(memory)];
  assert.equal(await inside.run(async () => 'one'), 'one');
  await assert.rejects(
    inside.run(() => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await inside.run(async () => 'two'), 'two');
  assert.equal(outside.close(0), true);
  void inside.run(async () => assert.fail('it began'));
  assert.equal(outside.close(0), true);
});

test('a close does not wait for longer than it may', async () => {
  const memory = ScanGate.memory();
  let end = (): void => {};
  const working = new ScanGate(memory).run(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const outside = new ScanGate(memory);
  assert.equal(outside.close(5), false);
  end();
  await working;
  assert.equal(outside.close(0), true);
});

test('a close blocks until the work of another thread ends', async () => {
  const memory = ScanGate.memory();
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `
      import { parentPort, workerData } from 'node:worker_threads';
      const { ScanGate } = await import(workerData.module);
      await new ScanGate(workerData.memory).run(async () => {
        parentPort.postMessage('running');
        await new Promise((resolve) => setTimeout(resolve, 50));
        workerData.ended[0] = 1;
      });
    `,
    {
      eval: true,
      workerData: { memory, ended, module: new URL('./scan-gate.js', import.meta.url).href },
    },
  );
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  await new Promise((resolve) => worker.once('message', resolve));
  assert.equal(new ScanGate(memory).close(60_000), true);
  assert.equal(ended[0], 1);
  await exited;
});

/** Threads that end, in two ways, while a thread of theirs reads many rows. */
const DYING = `
  import { Worker } from 'node:worker_threads';
  const [module, path] = process.argv.slice(1);
  for (const end of ['process.exit(3)', 'throw new Error("a defect")', 'process.exit(3)']) {
    const worker = new Worker(\`
      import { workerData } from 'node:worker_threads';
      const { SqliteScans } = await import(workerData.module);
      const scans = new SqliteScans({ path: workerData.path, busyMs: 60_000 });
      const rows = \\\`with recursive number (n) as (select 1 union all select n + 1 from number
        where n < 100000) select n, hex(n) as text from number\\\`;
      await scans.all(rows, []);
      void (async () => { for (;;) await scans.all(rows, []); })().catch(() => {});
      setTimeout(() => { \${end} }, 30);
    \`, { eval: true, workerData: { module, path } });
    worker.on('error', () => {});
    await new Promise((resolve) => worker.once('exit', resolve));
  }
`;

test('a thread that dies while its scan runs does not abort the process', async () => {
  const module = new URL('./sqlite-scans.js', import.meta.url).href;
  const args = ['--input-type=module', '--eval', DYING, module, join(directory, 'dying.db')];
  await promisify(execFile)(process.execPath, args);
});
