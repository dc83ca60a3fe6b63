import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { History } from './history.ts';
import { linesInIndex, linesInStore, startService } from './service.ts';

const ROUNDS = 20;
const WRITER = fileURLToPath(import.meta.resolve('./writer.js'));

/** Lets a writer go on from a batch, kills it at some moment, and answers the last batch it said is kept. */
async function writeUntilKilled(data: string, first: number, startingUp: boolean): Promise<number> {
  const child = spawn(process.execPath, [WRITER, data, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const started = once(child.stdout, 'data');
  const ended = once(child, 'close');
  if (!startingUp) await Promise.race([started, ended]);
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
  const [code, signal] = await ended;
  clearTimeout(timer);
  assert.equal(signal, 'SIGKILL', `the writer ended by itself (${code})`);
  return output === '' ? first - 1 : Number(output.trimEnd().split('\n').at(-1));
}

test('kill -9 at random points loses nothing acknowledged, and the index equals the store afterwards', async () => {
  const data = mkdtempSync(join(tmpdir(), 'cardea-kill-'));
  const history = new History();
  let next = 1;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const acknowledged = await writeUntilKilled(data, next, round % 4 === 3);
      history.advance(acknowledged);
      const service = await startService(data);
      try {
        const stored = await linesInStore(service.store);
        // The batch in flight may have been kept without the writer having learnt it.
        next = acknowledged + 1;
        if (stored.join('\n') !== history.lines().join('\n')) {
          history.advance(acknowledged + 1);
          next = acknowledged + 2;
        }
        assert.deepEqual(stored, history.lines(), `round ${round}: the store`);
        service.indexer.start();
        await service.indexer.waitFor(await service.store.read.lastSequence(), 5_000);
        assert.equal(await service.backend.unreadyReason(), null, `round ${round}`);
        assert.deepEqual(await linesInIndex(service.backend), stored, `round ${round}: the index`);
      } finally {
        await service.stop();
      }
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
