// The thread of scans is out of SQLite before the thread that started it ends.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ScanGate } from './scan-gate.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-gate-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** A query that takes most of its time to make the rows. */
const MANY_ROWS = `with recursive number (n) as
  (select 1 union all select n + 1 from number where n < 20000) select n as a, n as b from number`;

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

for (const end of ['process.exit(3)', 'throw new Error("a defect")']) {
  test(`a thread that ends by ${end} while its scan runs closes the gate of it first`, async () => {
    const worker = new Worker(
      `
        import { parentPort, Worker, workerData } from 'node:worker_threads';
        const { SqliteScans } = await import(workerData.scans);
        const data = { path: workerData.path, busyMs: 60_000 };
        const scans = new SqliteScans(data, (started) => {
          parentPort.postMessage(started.gate);
          return new Worker(new URL(workerData.worker), { workerData: started });
        });
        await scans.all('select 1', []);
        // One scan after the other, so that there is always one.
        void (async () => { for (;;) await scans.all(workerData.query, []); })().catch(() => {});
        setTimeout(() => { ${end} }, 20);
      `,
      {
        eval: true,
        workerData: {
          path: join(directory, 'ending.db'),
          query: MANY_ROWS,
          scans: new URL('./sqlite-scans.js', import.meta.url).href,
          worker: new URL('./sqlite-scan-worker.js', import.meta.url).href,
        },
      },
    );
    worker.on('error', () => {});
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const memory = await new Promise<SharedArrayBuffer>((resolve) =>
      worker.once('message', resolve),
    );
    await exited;
    let isOpen = false;
    void new ScanGate(memory).run(async () => {
      isOpen = true;
    });
    assert.equal(isOpen, false);
  });
}
