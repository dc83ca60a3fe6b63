// Two nodes over one PostgreSQL, and one OpenSearch whose indexes have three shards: whatever another
// program does to a document there, both nodes answer what the store has, and one of them mends it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';
import { sharedOpenSearch } from '../support/opensearch.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type CatIndex, indexesOf, send } from './fed-world.ts';

type Json = Record<string, unknown>;

const SHARDS = 3;
const people = Array.from({ length: 12 }, (_, n) => ({
  ...{ _type: 'identity', id: `i-${n}`, name: `Ada ${n}`, displayName: `Ada Adams ${n}` },
  attributes: { department: n % 2 === 0 ? 'Sales' : 'Payroll' },
}));

/** Both nodes of a service, and its index of identities. */
interface Nodes {
  readonly one: RunningService;
  readonly urls: readonly string[];
  readonly index: string;
  stop(): Promise<void>;
}

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

/** @param comparisonSeconds time between comparisons; 0: none */
async function startNodes(prefix: string, comparisonSeconds: number): Promise<Nodes> {
  const { url } = await sharedOpenSearch();
  const shared = {
    CARDEA_STORE_URL: await postgres.database(prefix),
    CARDEA_SEARCH_URL: url,
    CARDEA_SEARCH_PREFIX: prefix,
    CARDEA_SEARCH_SHARDS: String(SHARDS),
    CARDEA_SEARCH_COMPARISON_SECONDS: String(comparisonSeconds),
    CARDEA_METRICS: 'on',
  };
  const one = await startService(shared);
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-node-'));
  const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, ...shared });
  const other: Cardea = await compose(config, { log: pino({ level: 'silent' }) });
  const started = await other.start();
  await one.addDocuments(people);
  await eventually(async () => {
    assert.equal((await fetch(`${started.url}/ready`)).status, 200);
  });
  return {
    one,
    urls: [one.url, started.url],
    index: `${url}/${prefix}-${one.tenantId}-identities-${FIRST_GENERATION}`,
    async stop() {
      await other.stop();
      await one.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What another program does to the document `i-2`, or besides it. */
const WRITES: readonly (readonly [what: string, act: (index: string) => Promise<unknown>])[] = [
  [
    'changes a document',
    (index) =>
      send(`${index}/_update/i-2?refresh=true`, 'POST', {
        doc: { name: 'Mallory', attributes: { department: 'Payroll' } },
      }),
  ],
  [
    'shortens a document',
    (index) =>
      send(`${index}/_doc/i-2?refresh=true`, 'PUT', { id: 'i-2', '%id': 'i-2', name: 'A' }),
  ],
  ['deletes a document', (index) => send(`${index}/_doc/i-2?refresh=true`, 'DELETE')],
  [
    'adds a document',
    (index) => send(`${index}/_doc/added?refresh=true`, 'PUT', { '%id': 'added', name: 'Eve' }),
  ],
];

/** Ids and names that OpenSearch holds. */
async function held(index: string): Promise<readonly (readonly unknown[])[]> {
  const answer = (await send(`${index}/_search?size=100`, 'GET')) as {
    readonly hits: { readonly hits: { readonly _id: string; readonly _source: Json }[] };
  };
  return answer.hits.hits.map(({ _id, _source }) => [_id, _source['name']]).sort();
}

/** All identities by the search of a node. */
async function searched(node: string, token: string): Promise<readonly Json[]> {
  const answer = await fetch(`${node}/v2024/search?limit=250`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ indices: ['identities'], query: { query: '*' }, sort: ['id'] }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Json[];
}

const figure = async (node: string, name: string, labels: Readonly<Record<string, string>>) =>
  Number(figuresOf(await (await fetch(`${node}/metrics`)).text()).value(name, labels));

/** Documents that both nodes fed again, by what found them. */
async function mended({ urls }: Nodes, foundBy: string): Promise<number> {
  const name = 'cardea_index_mended_documents_total';
  const counts = await Promise.all(urls.map((url) => figure(url, name, { found_by: foundBy })));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('two nodes over an index of three shards', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes('foreign', 0);
    const name = nodes.index.slice(nodes.index.lastIndexOf('/') + 1);
    const all = await indexesOf(nodes.index.slice(0, nodes.index.lastIndexOf('/')), 'foreign');
    const own = all.find(({ index }) => index === name) as CatIndex;
    assert.equal(own.pri, String(SHARDS));
  });
  after(() => nodes.stop());

  for (const [what, act] of WRITES) {
    test(`another program ${what}: both answer what the store has, and importing again mends it`, async () => {
      const { one, urls, index } = nodes;
      const token = await one.token();
      const [truth, before] = [await searched(one.url, token), await held(index)];
      assert.equal(truth.length, people.length);
      await act(index);
      assert.notDeepEqual(await held(index), before);
      const texts = new Set(truth.map((document) => JSON.stringify(document)));
      for (const url of urls) {
        for (const document of await searched(url, token)) {
          assert.ok(texts.has(JSON.stringify(document)), `${url}: ${JSON.stringify(document)}`);
        }
      }
      assert.equal((await one.addDocuments(people)).unchanged, people.length);
      await eventually(async () => {
        assert.deepEqual(await held(index), before);
        for (const url of urls) assert.deepEqual(await searched(url, token), truth);
      });
    });
  }
});

describe('two nodes without a search or an import', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes('foreign_compared', 1);
  });
  after(() => nodes.stop());

  for (const [what, act] of WRITES) {
    test(`another program ${what}: the comparison of one node mends it once`, async () => {
      const { index } = nodes;
      const [before, count] = [await held(index), await mended(nodes, 'comparison')];
      assert.equal(before.length, people.length);
      await act(index);
      await eventually(async () => {
        assert.deepEqual(await held(index), before);
        assert.equal(await mended(nodes, 'comparison'), count + 1);
      });
    });
  }

  test('only the node that feeds compares', async () => {
    const name = 'cardea_index_comparison_timestamp_seconds';
    const labels = { search: 'opensearch' };
    const times = await Promise.all(nodes.urls.map((url) => figure(url, name, labels)));
    assert.equal(times.filter((time) => time > 0).length, 1, times.join());
  });
});
