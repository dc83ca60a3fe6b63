// SQLite's plans for what the purge selects: each must read an index, not every document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../migrate.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { openConnection } from '../sqlite/sqlite-driver.ts';
import { purgeRecords } from './purge-records.ts';

test('tombstones and old documents are found without reading other documents', async () => {
  const connection = await openConnection(':memory:', 0);
  try {
    await migrate('sqlite', new SqlExecutor('sqlite', connection));
    const plans: string[] = [];
    const explain = (sql: string, values: Parameters<typeof connection.all>[1]) => {
      const rows = connection.all(`explain query plan ${sql}`, values);
      plans.push(...rows.map(({ detail }) => String(detail)).filter((d) => /document\b/.test(d)));
      return connection.all(sql, values);
    };
    const explaining = { ...plainConnection(connection), all: explain, allOnce: explain };
    const records = purgeRecords(new SqlExecutor('sqlite', explaining));
    await records.purgeTombstones(10, 10);
    await records.deleteUnchangedDocuments('t', 'events', ['a', 'b'], 10);
    assert.deepEqual(plans, [
      'SEARCH document USING INDEX document_tombstone (sequence<?)',
      'SEARCH document USING INDEX sqlite_autoindex_document_1 (tenant_id=? AND index_name=? AND id=? AND rowid<?)',
    ]);
  } finally {
    connection.close();
  }
});

type Connection = Awaited<ReturnType<typeof openConnection>>;

function plainConnection(connection: Connection) {
  return {
    scan: (...args: Parameters<Connection['all']>) => connection.all(...args),
    each: (...args: Parameters<Connection['each']>) => connection.each(...args),
    get: (...args: Parameters<Connection['get']>) => connection.get(...args),
    run: (...args: Parameters<Connection['run']>) => connection.run(...args),
  };
}
