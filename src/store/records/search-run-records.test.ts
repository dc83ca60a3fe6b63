// SQLite's query plans of the queries with which each node looks for work twice a second: they step
// from tenant to tenant, and read only the first deliveries of each.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeEmptyStore } from '../../../test/support/empty-store.ts';
import type { Executor } from '../sql/statement.ts';
import { openConnection, type SqliteConnection } from '../sqlite/sqlite-driver.ts';
import { searchRunRecords } from './search-run-records.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-plan-'));
let connection: SqliteConnection;
before(async () => {
  const path = join(directory, 'plan.db');
  await writeEmptyStore(path);
  connection = await openConnection(path, 1000);
});
after(() => {
  connection.close();
  rmSync(directory, { recursive: true, force: true });
});

const DUE = { now: 1, latest: 2 };
type Records = ReturnType<typeof searchRunRecords>;
const QUERIES: readonly [name: string, run: (records: Records) => Promise<unknown>][] = [
  ['tenantsWithDueDeliveries', (records) => records.tenantsWithDueDeliveries(DUE)],
  ['dueDeliveries', (records) => records.dueDeliveries('t', DUE, 2)],
  ['openDeliveryCount', (records) => records.openDeliveryCount('t')],
  ['hasOpenDeliveries', (records) => records.hasOpenDeliveries('t', 'r')],
];

for (const [name, run] of QUERIES) {
  test(`${name} reads open deliveries in an index, and sorts none`, async () => {
    const plan: string[] = [];
    const ask: Executor['all'] = async (statement, parameters) => {
      const { sql, bind } = statement.in('sqlite');
      const rows = connection.all(`explain query plan ${sql}`, bind(parameters));
      plan.push(...rows.map(({ detail }) => String(detail)));
      return [];
    };
    const get: Executor['get'] = async (...query) => (await ask(...query))[0];
    await run(searchRunRecords({ all: ask, get } as unknown as Executor));
    const text = plan.join('; ');
    const reads = plan.filter((detail) => /search_delivery|next|open\b/.test(detail));
    assert.ok(reads.length > 0, text);
    for (const detail of reads)
      assert.match(detail, /USING (COVERING )?INDEX search_delivery_/, text);
    assert.doesNotMatch(text, /TEMP B-TREE/);
  });
}
