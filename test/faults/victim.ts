// The process that gets killed. Arguments: what it does, its data directory, the number to go on from. It says on its
// standard output what has been acknowledged, a number a line.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Documents } from '../../src/identity/documents/documents.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { importedText, TENANT, writeBatch } from './history.ts';
import { startService } from './service.ts';

const say = (number: number) => writeSync(1, `${number}\n`);

/** Writes batch after batch and indexes them. Says each batch. */
async function write(data: string, first: number): Promise<never> {
  const service = await startService(data);
  service.indexer.start();
  for (let number = first; ; number++) {
    await writeBatch(service.store, number);
    service.indexer.notify();
    // The threads are up before the first word, so that a kill soon after it hits them at work.
    if (number === first) {
      await service.indexer.waitFor(await service.store.read.lastSequence(), 10_000);
    }
    say(number);
    // The store's promises alone would leave the indexer no turn.
    await turn();
  }
}

/** Imports lines without end and indexes them. Says how many are kept. */
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
    isKnownCapability: () => false,
    limits: { batch: { documents: 50, bytes: 2 ** 20 } },
  });
  async function* lines() {
    for (let line = 1; ; line++) yield { line, text: importedText(first + line - 1) };
  }
  await documents.importDocuments(TENANT, lines(), {
    onProgress({ created, updated, unchanged }) {
      service.indexer.notify();
      say(first - 1 + created + updated + unchanged);
    },
  });
}

/** Brings a store up to date. Says 0 before and 1 after it. */
async function migrate(data: string): Promise<void> {
  say(0);
  await openSqliteStore({ path: join(data, 'cardea.db') });
  say(1);
  // Who has ended by itself cannot be killed.
  setInterval(() => {}, 1_000);
}

const [what = '', data = '', first = '1'] = process.argv.slice(2);
const acts = { write, import: importLines, migrate };
await acts[what as keyof typeof acts](data, Number(first));
