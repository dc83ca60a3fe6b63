// suite: shared C
// Two nodes over one PostgreSQL and one OpenSearch: one of them feeds, both search, and the other takes over.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { lines, startService } from '../support/service.ts';

let openSearch: OpenSearch;
let postgres: Postgres;
const dataDir = mkdtempSync(join(tmpdir(), 'cardea-node-'));
before(async () => {
  openSearch = await sharedOpenSearch();
  postgres = await startPostgres();
});
after(async () => {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const WAIT_MS = 240_000;
const role = (id: string) => ({ _type: 'role', id, name: `Role ${id}` });

test('one node feeds, both search, and when it ends the other goes on', async () => {
  const shared = {
    CARDEA_STORE_URL: await postgres.database('nodes'),
    CARDEA_SEARCH_URL: openSearch.url,
  };
  const one = await startService(shared);
  const settings = { CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, ...shared };
  const other = await compose(parseConfig(settings), { log: pino({ level: 'silent' }) });
  const { url } = await other.start();
  const token = await one.token();
  const idsAt = async (address: string): Promise<string[]> => {
    const answer = await fetch(`${address}/v3/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ indices: ['roles'], query: { query: 'name:Role' }, sort: ['id'] }),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  };
  let oneStopped = false;
  try {
    await one.addDocuments([role('a')]);
    const { sequence } = await other.documents.importDocuments(
      operatorOf(one.tenantId),
      lines([role('b')]),
    );
    await other.services.status.waitUntilSearchable(sequence, WAIT_MS);
    await one.cardea.services.status.waitUntilSearchable(sequence, WAIT_MS);
    assert.deepEqual(await idsAt(one.url), ['a', 'b']);
    const deadline = Date.now() + WAIT_MS;
    // The follower looks twice a second for indexes that the feeder has made.
    while ((await idsAt(url)).length < 2 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(await idsAt(url), ['a', 'b']);
    assert.equal((await fetch(`${url}/ready`)).status, 200);

    await one.stop();
    oneStopped = true;
    const next = await other.documents.importDocuments(
      operatorOf(one.tenantId),
      lines([role('c')]),
    );
    await other.services.status.waitUntilSearchable(next.sequence, WAIT_MS);
    assert.deepEqual(await idsAt(url), ['a', 'b', 'c']);
  } finally {
    if (!oneStopped) await one.stop();
    await other.stop();
  }
});
