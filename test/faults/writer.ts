// The process that gets killed: writes batch after batch from the number given on, indexes them, and says each
// number on its standard output once the store has acknowledged it.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { writeBatch } from './history.ts';
import { startService } from './service.ts';

const [data = '', first = '1'] = process.argv.slice(2);
const service = await startService(data);
service.indexer.start();
for (let number = Number(first); ; number++) {
  await writeBatch(service.store, number);
  service.indexer.notify();
  // The threads are up before the first word, so that a kill soon after it hits them at work.
  if (number === Number(first)) {
    await service.indexer.waitFor(await service.store.read.lastSequence(), 10_000);
  }
  writeSync(1, `${number}\n`);
  // The store's promises alone would leave the indexer no turn.
  await turn();
}
