// suite: slow
// Metrics of a node on PostgreSQL.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';
import { startPostgres } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

const postgres = await startPostgres();
after(() => postgres.stop());

test('no request waits for a connection on an idle node, and a database that is down is reported', async () => {
  const url = await postgres.migrated('metrics');
  const service = await startService({ CARDEA_STORE_URL: url, CARDEA_METRICS: 'on' });
  try {
    const scrape = async () => figuresOf(await (await fetch(`${service.url}/metrics`)).text());
    await eventually(async () => {
      const figures = await scrape();
      const connections = (state: string) =>
        figures.value('cardea_store_connections', { pool: 'read', state });
      // The indexer uses one now and then.
      assert.ok(Number(connections('idle')) > 0, 'a pooled connection is free');
      assert.equal(connections('waiting'), 0);
      assert.equal(figures.value('cardea_ready', {}), 1);
      const sqlite = { store: 'sqlite' };
      assert.equal(figures.value('cardea_last_backup_timestamp_seconds', sqlite), undefined);
      assert.equal(figures.value('cardea_store_faults', sqlite), undefined);
    });
    await postgres.kill();
    await eventually(async () => {
      const figures = await scrape();
      assert.equal(figures.value('cardea_ready', {}), 0);
      assert.equal(figures.value('cardea_reachable', { part: 'store' }), 0);
      assert.equal(figures.value('cardea_reachable', { part: 'search' }), 1);
    });
    await postgres.restart();
    await eventually(async () => assert.equal((await scrape()).value('cardea_ready', {}), 1));
  } finally {
    await service.stop();
  }
});
