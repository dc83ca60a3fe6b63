// suite: shared C
// Nodes are restarted one after the other with another number of shards: the indexes are replaced
// while all nodes answer, also those that do not feed them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { indexesOf } from './fed-world.ts';

let openSearch: OpenSearch;
let postgres: Postgres;
const folder = mkdtempSync(join(tmpdir(), 'cardea-replaced-'));
before(async () => {
  openSearch = await sharedOpenSearch();
  postgres = await startPostgres();
});
after(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ROLES = 1_000;
/** Longer than the former indexes stay. */
const WAIT_MS = 240_000;

test('all nodes answer completely while the indexes are replaced', async () => {
  const shared = {
    CARDEA_STORE_URL: await postgres.database('replaced'),
    CARDEA_SEARCH_URL: openSearch.url,
    CARDEA_SEARCH_PREFIX: 'replaced',
  };
  const first = await startService(shared);
  const nodes: Cardea[] = [];
  let isFirstStopped = false;
  try {
    const roles = Array.from({ length: ROLES }, (_, at) => ({
      ...{ _type: 'role', id: `r${at}`, name: 'Role' },
    }));
    await first.addDocuments(roles);
    const token = await first.token();
    const urls: string[] = [];
    for (const name of ['b', 'c']) {
      const dataDir = join(folder, name);
      const settings = { CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, CARDEA_SEARCH_SHARDS: '2' };
      const config = parseConfig({ ...settings, ...shared });
      const node = await compose(config, { log: pino({ level: 'silent' }) });
      nodes.push(node);
      urls.push((await node.start()).url);
    }
    await first.stop();
    isFirstStopped = true;
    let written = ROLES;
    const isReplaced = async (): Promise<boolean> => {
      const indexes = await indexesOf(openSearch.url, 'replaced');
      return indexes.every(
        ({ index, pri }) => index.endsWith(`-${FIRST_GENERATION}-2`) && pri === '2',
      );
    };
    for (const end = Date.now() + WAIT_MS; !(await isReplaced()); await pause(100)) {
      assert.ok(Date.now() < end, 'the indexes were not replaced');
      const id = `w${written}`;
      const [node] = nodes;
      const lines = [{ line: 1, text: JSON.stringify({ _type: 'role', id, name: 'Role' }) }];
      const report = await node?.documents.importDocuments(operatorOf(first.tenantId), each(lines));
      written += 1;
      for (const other of nodes) {
        await other.services.status.waitUntilSearchable(report?.sequence ?? 0, WAIT_MS);
      }
      for (const url of urls) assert.equal(await totalAt(url, token), written);
    }
    for (const url of urls) assert.equal(await totalAt(url, token), written);
  } finally {
    if (!isFirstStopped) await first.stop();
    for (const node of nodes) await node.stop();
  }
});

async function* each<Item>(items: readonly Item[]) {
  yield* items;
}

/** The number of roles that a node finds. */
async function totalAt(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/v2024/search?count=true&limit=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ indices: ['roles'], query: { query: 'name:role' } }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return Number(answer.headers.get('x-total-count'));
}
