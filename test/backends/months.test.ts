// Events in an index for each month, over a real store and a real OpenSearch: searches cover all
// months, a document stays in the index of its home month, and a month without documents is deleted.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type FedBackend, Indexer } from '../../src/backends/indexer.ts';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { DEFAULT_LAYOUT } from '../../src/backends/opensearch/indexes/index-set.ts';
import {
  type OpenSearchOptions,
  openOpenSearchBackend,
} from '../../src/backends/opensearch/opensearch-backend.ts';
import { createTenant } from '../../src/identity/accounts/provisioning.ts';
import type { SearchBackend } from '../../src/identity/ports/search-backend.ts';
import type { Store } from '../../src/identity/ports/store.ts';
import type { StoredDocument } from '../../src/identity/ports/stored-document.ts';
import { SILENT } from '../../src/log.ts';
import { planAggregate } from '../../src/query/aggregate-request.ts';
import { staticMapping } from '../../src/query/mapping/document-types.ts';
import { forAll } from '../../src/query/mapping/per-index.ts';
import type { Plan } from '../../src/query/plan.ts';
import { planSearch } from '../../src/query/search-request.ts';
import { PurgeJob } from '../../src/retention/purge-job.ts';
import { OPTIONS } from '../contract/backend-world.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenSearch, startOpenSearch } from '../support/opensearch.ts';
import { testContext } from '../support/query-context.ts';
import { temporaryStore } from '../support/tenant.ts';
import { hasIndexes, indexesOf, send } from './fed-world.ts';

const WAIT_MS = 60_000;
const NOW = Date.parse('2026-06-15T00:00:00.000Z');
const FIELDS = { name: 'acme', pod: 'cardea' };

let openSearch: OpenSearch;
before(async () => {
  openSearch = await startOpenSearch({ heapGib: 1 });
});
after(() => openSearch.stop());

let store: Store;
let tenantId: string;
let worlds = 0;
let prefix: string;
let nodes: { readonly backend: SearchBackend; readonly indexer: Indexer | null }[];
beforeEach(async () => {
  store = await temporaryStore();
  const tenant = await createTenant(store, { name: 'acme' }, { clock: { now: () => NOW } });
  tenantId = tenant.id;
  worlds += 1;
  prefix = `months${worlds}`;
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await close(node);
  await store.close();
});

async function close({ backend, indexer }: (typeof nodes)[number]): Promise<void> {
  await indexer?.stop();
  await backend.close();
}

const newIndexer = (backend: FedBackend): Indexer =>
  new Indexer(store, backend, { pollMs: 20, batchSize: 100, log: SILENT, commitMs: 200 });

interface NodeOptions extends Pick<OpenSearchOptions, 'graceMs'> {
  readonly name?: string;
  readonly byMonth?: boolean;
  readonly isFeeder?: boolean;
}

/** A node that feeds the indexes, or only searches them. */
function open({ name = prefix, byMonth = true, isFeeder = true, ...more }: NodeOptions = {}) {
  const backend = openOpenSearchBackend({
    ...{ url: openSearch.url, prefix: name, graceMs: 0, intervalMs: 100 },
    layout: { ...DEFAULT_LAYOUT, byMonth: forAll(byMonth) },
    mapping: (_tenant, index) => staticMapping(index, FIELDS),
    lastSequence: () => store.read.lastSequence(),
    feedOf: newIndexer,
    feeds: () => isFeeder,
    ...more,
  });
  const indexer = isFeeder ? newIndexer(backend) : null;
  indexer?.start();
  const node = { backend, indexer };
  nodes.push(node);
  return node;
}

function event(id: string, created: unknown, more: object = {}): StoredDocument {
  const root = Buffer.from(JSON.stringify({ id, created, ...more }));
  return { index: 'events', id, root, nested: new Uint8Array(0) };
}

async function put(...documents: readonly StoredDocument[]): Promise<void> {
  await store.write((records) => records.putDocuments(tenantId, documents));
  await searchable();
}

async function remove(...ids: readonly string[]): Promise<void> {
  await store.write(async (records) => {
    for (const id of ids) await records.deleteDocument(tenantId, 'events', id);
  });
  await searchable();
}

async function searchable(): Promise<void> {
  const last = await store.read.lastSequence();
  for (const { indexer } of nodes) await indexer?.waitFor(last, WAIT_MS);
}

function eventsOf(query: string, sort: readonly string[] = ['id']): Plan {
  const request = { indices: ['events'], query: { query }, sort };
  return planSearch(request, { limit: '100', count: 'true' }, testContext());
}

/** The ids of the events that a query matches, other than those of the creation of the tenant. */
async function found(
  backend: SearchBackend,
  query = '*',
  sort: readonly string[] = ['id'],
): Promise<string[]> {
  const plan = eventsOf(query === '*' ? 'id:/e.{1,9}/' : query, sort);
  const { hits } = await backend.search(tenantId, plan, OPTIONS);
  return hits.map(({ id }) => id);
}

/** The months that have an index. */
async function months(): Promise<string[]> {
  const start = `${prefix}-${tenantId}-events-${FIRST_GENERATION}-`;
  const names = (await indexesOf(openSearch.url, prefix)).map(({ index }) => index);
  return names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
}

/** The ids in the index of a month. */
async function idsIn(month: string): Promise<string[]> {
  const name = `${prefix}-${tenantId}-events-${FIRST_GENERATION}-${month}`;
  const answer = (await send(`${openSearch.url}/${name}/_search`, 'POST', { size: 100 })) as {
    readonly hits: { readonly hits: readonly { readonly _id: string }[] };
  };
  return answer.hits.hits
    .map(({ _id }) => _id)
    .filter((id) => id.startsWith('e') && id.length < 10)
    .sort();
}

test('each month has an index, and a search covers all of them', async () => {
  const { backend } = open();
  await put(
    event('e1', '2026-01-31T23:59:59.999Z', { name: 'Create Account' }),
    event('e2', '2026-02-01T00:00:00.000Z', { name: 'Create Source' }),
    event('e3', '2026-04-10T00:00:00Z', { name: 'Delete Account Account' }),
    event('e4', undefined, { name: 'Undated' }),
    event('e5', '1999-12-31T00:00:00Z', { name: 'Old Account' }),
    event('e6', 12, { name: 'Odd' }),
  );
  assert.deepEqual(await months(), ['2026-01', '2026-02', '2026-04', '2026-06', 'other']);
  assert.deepEqual(await idsIn('2026-01'), ['e1']);
  assert.deepEqual(await idsIn('other'), ['e4', 'e5', 'e6']);
  assert.deepEqual(await found(backend), ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
  const account = 'name:account AND id:/e.{1,9}/';
  assert.deepEqual(await found(backend, account, ['-created']), ['e3', 'e1', 'e5']);
  assert.deepEqual(await found(backend, 'created:[2026-01-31 TO 2026-02-28]'), ['e1', 'e2']);
  const count = await backend.count(tenantId, eventsOf('created:[2026-02-01 TO *]'), OPTIONS);
  assert.equal(count, 2 + (await found(backend, 'created:[2026-06-01 TO *]')).length);
  const [holdings] = await backend.holdings(tenantId);
  assert.equal(holdings?.documents, (await store.read.documentCounts(tenantId)).events);
});

test('buckets are those of all months', async () => {
  const { backend } = open();
  const dates = ['2026-01-03', '2026-01-04', '2026-03-01'];
  await put(...dates.map((date, n) => event(`e${n}`, `${date}T00:00:00Z`, { type: `T${n % 2}` })));
  const query = { query: 'id:/e.{1,9}/' };
  const aggregationsDsl = {
    types: { terms: { field: 'type.exact' } },
    months: { date_histogram: { field: 'created', calendar_interval: 'month' } },
  };
  const { plan } = planAggregate(
    { indices: ['events'], query, aggregationsDsl },
    {},
    testContext(),
  );
  const { aggregations } = await backend.search(tenantId, plan, OPTIONS);
  const { types, months: byMonth } = (aggregations?.value() ?? {}) as Record<
    string,
    { readonly buckets: readonly { readonly key: unknown; readonly doc_count: number }[] }
  >;
  const counts = (buckets = types?.buckets ?? []) => buckets.map((one) => one.doc_count);
  assert.deepEqual(counts(), [2, 1]);
  assert.deepEqual(counts(byMonth?.buckets), [2, 0, 1]);
});

test('scores are those of a single index', async () => {
  const texts = ['account', 'account account', 'account source', 'source', 'other words here'];
  const documents = texts.map((name, n) => event(`e${n}`, `2026-0${n + 1}-01T00:00:00Z`, { name }));
  const one = open({ byMonth: false, name: `${prefix}-one` });
  const many = open();
  await put(...documents);
  const queries = [
    'name:account',
    'name:(account OR source)',
    'account words',
    'account AND created:[2026-02-01 TO 2026-03-31]',
    '"account source"',
  ];
  for (const query of queries) {
    const plan = eventsOf(query, []);
    const [expected, actual] = await Promise.all(
      [one, many].map(({ backend }) => backend.search(tenantId, plan, OPTIONS)),
    );
    const scores = (hits = expected?.hits ?? []) => hits.map(({ id, score }) => ({ id, score }));
    assert.ok(scores().length > 0, query);
    assert.deepEqual(scores(actual?.hits), scores(), query);
    const document = { index: 'events', id: expected?.hits[0]?.id ?? '' } as const;
    const [explained, other] = await Promise.all(
      [one, many].map(({ backend }) => backend.explain(tenantId, plan, document, OPTIONS)),
    );
    assert.ok(explained?.matched);
    assert.deepEqual(other, explained, query);
  }
});

test('a document keeps its home when its date changes, and its deletion finds it', async () => {
  const { backend } = open();
  await put(event('e1', '2026-01-01T00:00:00Z'), event('e2', '2026-02-01T00:00:00Z'));
  await put(event('e1', '2026-02-02T00:00:00Z', { name: 'changed' }));
  assert.deepEqual(await idsIn('2026-01'), ['e1']);
  assert.deepEqual(await idsIn('2026-02'), ['e2']);
  assert.deepEqual(await found(backend, 'created:[2026-02-01 TO 2026-02-28]'), ['e1', 'e2']);
  await remove('e1');
  assert.deepEqual(await found(backend), ['e2']);
  await put(event('e1', '2026-03-01T00:00:00Z'));
  assert.deepEqual(await found(backend), ['e1', 'e2']);
  assert.ok(!(await months()).includes('2026-03'));
});

test('a deletion without a recorded month is searched for in all months', async () => {
  const { backend, indexer } = open();
  await put(event('e1', '2026-01-01T00:00:00Z'), event('e2', '2026-02-01T00:00:00Z'));
  await indexer?.stop();
  const sequence = (await store.read.lastSequence()) + 1;
  await backend.apply(tenantId, [
    { sequence, tenantId, index: 'events', id: 'e1', document: null },
  ]);
  await backend.refresh();
  assert.deepEqual(await found(backend), ['e2']);
});

test('a month whose documents are all deleted is deleted, except the newest', async () => {
  const { backend } = open();
  await put(event('e1', '2026-01-01T00:00:00Z'), event('e2', '2026-02-01T00:00:00Z'));
  await put(event('e3', '2026-09-01T00:00:00Z'));
  await remove('e1', 'e3');
  await eventually(async () => assert.deepEqual(await months(), ['2026-02', '2026-06', '2026-09']));
  assert.deepEqual(await found(backend), ['e2']);
  await put(event('e1', '2026-01-05T00:00:00Z'));
  assert.deepEqual(await found(backend), ['e1', 'e2']);
});

test('a document of a month that is about to be deleted keeps it', async () => {
  const { backend } = open({ graceMs: 600_000 });
  await put(event('e1', '2026-01-01T00:00:00Z'));
  await remove('e1');
  const alias = `${openSearch.url}/_alias/${prefix}-${tenantId}-events-${FIRST_GENERATION}-months`;
  await eventually(async () =>
    assert.equal(Object.keys((await send(alias, 'GET')) as object).length, 1),
  );
  await put(event('e4', '2026-01-02T00:00:00Z'));
  assert.deepEqual(await idsIn('2026-01'), ['e4']);
  assert.deepEqual(await found(backend), ['e4']);
  assert.deepEqual(await months(), ['2026-01', '2026-06']);
});

test('a month that is not searched any more is searched again once it is written to', async () => {
  const former = open();
  await put(event('e1', '2026-01-01T00:00:00Z'));
  await close(former);
  nodes = [];
  const name = `${prefix}-${tenantId}-events-${FIRST_GENERATION}`;
  // As a process leaves it that retires a month, and ends before the month is written to again.
  const remove = { index: `${name}-2026-01`, alias: `${name}-months` };
  await send(`${openSearch.url}/_aliases`, 'POST', { actions: [{ remove }] });
  const { backend } = open();
  assert.deepEqual(await found(backend), []);
  await put(event('e2', '2026-01-02T00:00:00Z'));
  assert.deepEqual(await found(backend), ['e1', 'e2']);
});

test('the retention of events deletes the indexes of past months', async () => {
  const { backend, indexer } = open();
  assert.ok(indexer !== null);
  const day = (month: number, n: number) => `2026-0${month}-0${1 + (n % 9)}T00:00:00.000Z`;
  for (const month of [1, 2, 3]) {
    await put(...Array.from({ length: 120 }, (_, n) => event(`e${month}-${n}`, day(month, n))));
  }
  const job = new PurgeJob(
    { store, backend, indexer },
    {
      ...{ owner: 'n1', eventRetentionMs: NOW - Date.parse('2026-03-01T00:00:00Z'), pauseMs: 0 },
      ...{ clock: { now: () => NOW }, log: SILENT },
    },
  );
  assert.equal((await job.run()).events, 240);
  await searchable();
  await eventually(async () => assert.deepEqual(await months(), ['2026-03', '2026-06']));
  assert.equal((await found(backend)).length, 100);
  const { events } = await store.read.documentCounts(tenantId);
  assert.equal(await backend.count(tenantId, eventsOf('*'), OPTIONS), events);
});

test('switching months on and off replaces the indexes, which answer meanwhile', async () => {
  const dates = ['2026-01-01', '2026-02-01', '2026-03-01'].map((day) => `${day}T00:00:00Z`);
  for (const [turn, byMonth] of [false, true, false].entries()) {
    const node = open({ byMonth });
    if (turn === 0) await put(...dates.map((date, n) => event(`e${n}`, date)));
    const generation = turn === 0 ? FIRST_GENERATION : `${FIRST_GENERATION}-${turn + 1}`;
    const name = `${prefix}-${tenantId}-events-${generation}`;
    const parts = ['2026-01', '2026-02', '2026-03', '2026-06'].map((month) => `${name}-${month}`);
    const isReplaced = eventually(() =>
      hasIndexes(openSearch.url, prefix, byMonth ? parts : [name]),
    );
    assert.deepEqual(await found(node.backend), ['e0', 'e1', 'e2']);
    await isReplaced;
    assert.deepEqual(await found(node.backend), ['e0', 'e1', 'e2']);
    await close(node);
    nodes = [];
  }
});

test('another node finds a new month at once, and searches on while one is deleted', async () => {
  open();
  await put(event('e1', '2026-01-01T00:00:00Z'));
  const other = open({ isFeeder: false });
  await eventually(async () => assert.deepEqual(await found(other.backend), ['e1']));
  await put(event('e2', '2026-03-01T00:00:00Z'));
  assert.deepEqual(await found(other.backend), ['e1', 'e2']);
  await remove('e1');
  let searches = 0;
  await eventually(async () => {
    assert.deepEqual(await found(other.backend), ['e2']);
    searches += 1;
    assert.deepEqual(await months(), ['2026-03', '2026-06']);
  });
  assert.ok(searches > 0);
  assert.deepEqual(await found(other.backend), ['e2']);
});

test('closed months are opened by a search', async () => {
  const { backend } = open();
  await put(event('e1', '2026-01-01T00:00:00Z'), event('e2', '2026-02-01T00:00:00Z'));
  for (const month of ['2026-01', '2026-02']) {
    const name = `${prefix}-${tenantId}-events-${FIRST_GENERATION}-${month}`;
    await send(`${openSearch.url}/${name}/_close`, 'POST');
  }
  assert.deepEqual(await found(backend), ['e1', 'e2']);
});

test('a node that starts again finds all months and feeds nothing again', async () => {
  const first = open();
  await put(event('e1', '2026-01-01T00:00:00Z'), event('e2', '2026-02-01T00:00:00Z'));
  await close(first);
  nodes = [];
  const indexes = await indexesOf(openSearch.url, prefix);
  const { backend } = open();
  assert.equal(await backend.committedSequence(), await store.read.lastSequence());
  assert.deepEqual(await found(backend), ['e1', 'e2']);
  assert.deepEqual(await indexesOf(openSearch.url, prefix), indexes);
});
