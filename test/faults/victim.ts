// The process that is killed. Arguments: its task, its data directory, and the number to continue
// from. It prints acknowledged numbers to standard output, one per line.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { Documents } from '../../src/service/imports/documents.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { importedText, TENANT, writeBatch } from './history.ts';
import { startService } from './service.ts';

const say = (number: number) => writeSync(1, `${number}\n`);

/** Writes and indexes batches. Prints the number of each. */
async function write(data: string, first: number): Promise<never> {
  const service = await startService(data);
  service.indexer.start();
  for (let number = first; ; number++) {
    await writeBatch(service.store, number);
    // Starts the threads before the first output, so that a kill soon after it interrupts them.
    if (number === first) {
      await service.indexer.waitFor(await service.store.read.lastSequence(), 120_000);
    }
    say(number);
    // Yields to the event loop, since awaiting the store alone would starve the indexer.
    await turn();
  }
}

/** Imports and indexes an infinite file. Prints the number of stored lines. */
async function importLines(data: string, first: number): Promise<void> {
  const service = await startService(data);
  service.indexer.start();
  await service.store.write(async (records) => {
    if ((await records.tenantById(TENANT)) !== null) return;
    const created = new Date().toISOString();
    await records.addTenant({ id: TENANT, name: TENANT, pod: 'cardea', created });
  });
  const documents = new Documents(service.store, {
    clock: Date,
    limits: { batch: { documents: 50, bytes: 2 ** 20 } },
  });
  async function* lines() {
    for (let line = 1; ; line++) yield { line, text: importedText(first + line - 1) };
  }
  await documents.importDocuments(operatorOf(TENANT), lines(), {
    onProgress({ created, updated, unchanged }) {
      say(first - 1 + created + updated + unchanged);
    },
  });
}

/** Migrates a store. Prints 0 before and 1 after it. */
async function migrate(data: string): Promise<void> {
  say(0);
  await openSqliteStore({ path: join(data, 'cardea.db') });
  say(1);
  // Stays alive, so that it can be killed.
  setInterval(() => {}, 1_000);
}

const [what = '', data = '', first = '1'] = process.argv.slice(2);
const acts = { write, import: importLines, migrate };
await acts[what as keyof typeof acts](data, Number(first));
