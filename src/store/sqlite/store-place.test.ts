// Files of a store that are removed or replaced while it is open: no change is acknowledged that would be lost.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACME } from '../../../test/contract/store-records.ts';
import { openSqliteStore } from './sqlite-store.ts';

const REFUSED = { code: 'unavailable', message: /was removed or replaced while it is open/ };

/** What is done to a file, and how it is undone; null: it cannot be. */
const CASES: Readonly<Record<string, (file: string) => (() => void) | null>> = {
  removed(file) {
    rmSync(file);
    return null;
  },
  replaced(file) {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    return null;
  },
  'moved away and back'(file) {
    renameSync(file, `${file}.away`);
    return () => renameSync(`${file}.away`, file);
  },
};

for (const suffix of ['', '-wal']) {
  for (const [what, change] of Object.entries(CASES)) {
    test(`a store whose cardea.db${suffix} was ${what} refuses changes, and still answers`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cardea-place-'));
      const path = join(folder, 'cardea.db');
      try {
        const store = await openSqliteStore({ path });
        await store.write((records) => records.addTenant(ACME));
        const undo = change(path + suffix);
        await assert.rejects(
          store.write((records) => records.putDocuments(ACME.id, [])),
          REFUSED,
        );
        await assert.rejects(store.ping(), REFUSED);
        assert.deepEqual(
          (await store.read.tenants()).map(({ id }) => id),
          [ACME.id],
        );
        if (undo !== null) {
          undo();
          await store.ping();
          await store.write((records) => records.putDocuments(ACME.id, []));
        }
        await store.close();
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
}
