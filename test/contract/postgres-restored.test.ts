// suite: slow
// A database that is restored to an older state under running nodes, and one that is empty next to
// the search index of a data directory.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { startPostgres } from '../support/postgres.ts';
import {
  type BackUp,
  BEFORE,
  copyDatabase,
  copyTables,
  passLostChanges,
  RESTORED,
  role,
  SLOW_POLLS,
  twoNodes,
} from '../support/restored-nodes.ts';
import { startService } from '../support/service.ts';

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'cardea-restored-'));
const log = pino({ level: 'silent' });
after(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a database that is restored to an older state under two nodes is fed again at both', async () => {
  const nodes = await twoNodes(await postgres.migrated('restored'), copyTables);
  try {
    await nodes.hold(BEFORE);
    await nodes.restore();
    await nodes.hold(RESTORED);
    // It gets a number that another change had before.
    await nodes.importAtOther('e');
    await nodes.hold([...RESTORED, ['e', 'Role']]);
  } finally {
    await nodes.stop();
  }
});

const BACKUPS: Readonly<Record<string, BackUp>> = {
  rewritten: copyTables,
  replaced: copyDatabase,
};

for (const [how, backUp] of Object.entries(BACKUPS)) {
  test(`a database that is ${how} by an older one, where new changes pass the lost ones before a node looks, is fed again at both, which say so and refuse what was lost`, async () => {
    const nodes = await twoNodes(await postgres.migrated(how), backUp, SLOW_POLLS);
    try {
      await passLostChanges(nodes);
    } finally {
      await nodes.stop();
    }
  });
}

test('an empty database next to the index of a data directory is refused, and served with newStore', async () => {
  const dataDir = join(folder, 'emptied');
  const configOf = async (database: string) => {
    const CARDEA_STORE_URL = await postgres.migrated(database);
    return parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, CARDEA_STORE_URL });
  };
  const CARDEA_STORE_URL = await postgres.migrated('filled');
  const service = await startService({ CARDEA_STORE_URL, CARDEA_DATA_DIR: dataDir });
  await service.addDocuments([role('a')]);
  await service.cardea.stop();
  const refused = compose(await configOf('empty'), { log });
  await assert.rejects(refused, /database of CARDEA_STORE_URL is empty, but .*pg_restore.*--new/);
  await (await compose(await configOf('filled'), { log })).stop();
  const anew = await compose(await configOf('empty'), { log, newStore: true });
  await anew.stop();
});
