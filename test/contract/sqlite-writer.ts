// The writer process of sqlite-faults.test.ts: writes documents to a store until it is stopped.
// Arguments: the database file and a prefix for ids. Prints `ok SEQUENCE` for each acknowledged
// batch, and `fault CODE` for a refused one, after which it continues as long as its standard input
// is open.
import { writeSync } from 'node:fs';
import { ServiceError } from '../../src/errors.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const [path = '', prefix = ''] = process.argv.slice(2);
const BATCH = 20;
const value = 'x'.repeat(3000);
const say = (text: string) => writeSync(1, `${text}\n`);

const store = await openSqliteStore({ path });
let reading = true;
for (let batch = 0; reading; batch++) {
  const documents = Array.from({ length: BATCH }, (_, i) => {
    const id = `${prefix}-${batch * BATCH + i}`;
    const root = new TextEncoder().encode(JSON.stringify({ id, value }));
    return { index: 'identities', id, root, nested: new Uint8Array(0) } as const;
  });
  try {
    const sequence = await store.write(async (records) => {
      await records.putDocuments('tenant', documents);
      return records.lastSequence();
    });
    say(`ok ${sequence}`);
  } catch (error) {
    say(`fault ${error instanceof ServiceError ? error.code : String(error)}`);
    // Reads still work.
    say(`ok ${await store.read.lastSequence()}`);
    reading = false;
  }
}
await store.close();
