// suite: shared A
// The life of the indexes in OpenSearch: they are replaced while they answer, continued after a
// kill, kept apart from those of other versions, closed when idle, and kept when the cluster refuses
// another one.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FIRST_GENERATION } from '../../src/backends/opensearch/indexes/committed-state.ts';
import { forAll } from '../../src/query/mapping/per-index.ts';
import { change } from '../contract/backend-world.ts';
import { eventually } from '../support/eventually.ts';
import { FakeStore } from '../support/fake-store.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import {
  type CatIndex,
  type FedWorld,
  hasIndexes,
  indexerOver,
  indexesOf,
  openFedWorld,
  send,
} from './fed-world.ts';

let openSearch: OpenSearch;
before(async () => {
  openSearch = await sharedOpenSearch();
});

const ROLES = 2_000;
const layout = (shards: number, replicas: number | 'auto' = 'auto') => ({
  shards: forAll(shards),
  replicas: forAll(replicas),
});

/** A world of this test, with `more` options. */
function open(store: FakeStore, prefix: string, more: Partial<Parameters<typeof openFedWorld>[1]>) {
  return openFedWorld(store, { url: openSearch.url, prefix, graceMs: 0, ...more });
}

test('another number of shards: searches and writes go on, and nothing is missing', async () => {
  const store = new FakeStore();
  const before = open(store, 'shards', { layout: layout(1) });
  await before.add('acme', ROLES);
  await before.close();
  const world = open(store, 'shards', { layout: layout(3) });
  try {
    const searches = { count: 0, done: false };
    const searching = (async () => {
      while (!searches.done) {
        const atLeast = world.indexer.status().applied;
        assert.ok((await world.found('acme')) >= atLeast);
        searches.count += 1;
      }
    })();
    await world.add('acme', 1);
    await eventually(async () => {
      await world.add('acme', 10);
      const [only, ...others] = await indexesOf(openSearch.url, 'shards');
      assert.deepEqual([only?.index, only?.pri], [`shards-acme-roles-${FIRST_GENERATION}-2`, '3']);
      assert.deepEqual(others, []);
    });
    searches.done = true;
    await searching;
    assert.ok(searches.count > 0);
    assert.equal(await world.found('acme'), store.lastSequence);
    const aliases = await send(`${openSearch.url}/_alias/shards-acme-roles`, 'GET');
    assert.deepEqual(Object.keys(aliases as object), [`shards-acme-roles-${FIRST_GENERATION}-2`]);
  } finally {
    await world.close();
  }
});

/** The generation that answers. */
async function current(prefix: string): Promise<string> {
  const answer = await fetch(`${openSearch.url}/${prefix}-state/_doc/current-${FIRST_GENERATION}`);
  const { _source } = (await answer.json()) as { readonly _source?: { generation: string } };
  return _source?.generation ?? '';
}

/** What a generation has committed; 0: nothing. */
async function committed(prefix: string, generation: string): Promise<number> {
  const answer = await fetch(`${openSearch.url}/${prefix}-state/_doc/committed-${generation}`);
  const { _source } = (await answer.json()) as { readonly _source?: { readonly sequence: number } };
  return _source?.sequence ?? 0;
}

test('a replacement that was interrupted continues from what it had committed', async () => {
  const store = new FakeStore();
  const before = open(store, 'kill', { layout: layout(1) });
  await before.add('acme', ROLES);
  await before.close();
  /** A feed that reads no more than half of the store. */
  const halfFed = open(store, 'kill', {
    layout: layout(2),
    feedOf: (generation) => {
      const half = new FakeStore();
      for (let n = 0; n < ROLES / 2; n++) half.put('acme', `r${n + 1}`);
      const indexer = indexerOver(half, generation);
      indexer.status = () => ({ applied: 0, lag: 0, error: 'held back' });
      return indexer;
    },
  });
  await eventually(async () =>
    assert.equal(await committed('kill', `${FIRST_GENERATION}-2`), ROLES / 2),
  );
  await halfFed.abandon();
  const world = open(store, 'kill', { layout: layout(2) });
  try {
    for (let isReplaced = false; !isReplaced; ) {
      assert.equal(await world.found('acme'), ROLES);
      assert.ok((await committed('kill', `${FIRST_GENERATION}-2`)) >= ROLES / 2, 'it began again');
      isReplaced = (await indexesOf(openSearch.url, 'kill')).length === 1;
    }
    await hasIndexes(openSearch.url, 'kill', [`kill-acme-roles-${FIRST_GENERATION}-2`]);
    assert.equal(await world.found('acme'), ROLES);
  } finally {
    await world.close();
  }
});

test('former indexes stay for a while, and settings that change back replace them again', async () => {
  const store = new FakeStore();
  const before = open(store, 'back', { layout: layout(1) });
  await before.add('acme', 10);
  await before.close();
  const replacing = open(store, 'back', { layout: layout(2), graceMs: 600_000 });
  await eventually(async () => assert.equal(await current('back'), `${FIRST_GENERATION}-2`));
  await hasIndexes(openSearch.url, 'back', [
    `back-acme-roles-${FIRST_GENERATION}`,
    `back-acme-roles-${FIRST_GENERATION}-2`,
  ]);
  await replacing.close();
  const world = open(store, 'back', { layout: layout(2) });
  await hasIndexes(openSearch.url, 'back', [`back-acme-roles-${FIRST_GENERATION}-2`]);
  await world.close();
  const again = open(store, 'back', { layout: layout(1) });
  try {
    await hasIndexes(openSearch.url, 'back', [`back-acme-roles-${FIRST_GENERATION}-3`]);
    assert.equal(await again.found('acme'), 10);
  } finally {
    await again.close();
  }
});

test('the number of replicas is changed on existing indexes at the start', async () => {
  const store = new FakeStore();
  for (const [replicas, expected] of [
    ['auto', '0'],
    [2, '2'],
    [0, '0'],
  ] as const) {
    const world = open(store, 'replicas', { layout: layout(1, replicas) });
    await world.add('acme', 1);
    await eventually(async () => {
      const [index] = await indexesOf(openSearch.url, 'replicas');
      assert.deepEqual(
        [index?.index, index?.rep],
        [`replicas-acme-roles-${FIRST_GENERATION}`, expected],
      );
    });
    await world.close();
  }
});

/** An index of an earlier version, as OpenSearch shows it. */
async function createEarlier(prefix: string): Promise<string> {
  const alias = `${prefix}-acme-roles`;
  const name = `${alias}-v7`;
  const _meta = { cardea: { prefix, alias, format: 7, generation: 'v7' } };
  await send(`${openSearch.url}/${name}`, 'PUT', { aliases: { [alias]: {} }, mappings: { _meta } });
  const state = { sequence: 1, covered: 0, rebuildUntil: null, indexes: {} };
  await send(`${openSearch.url}/${prefix}-state/_doc/committed-v7`, 'PUT', state);
  return name;
}

test('indexes of an earlier version stay until no node feeds them', async () => {
  const store = new FakeStore();
  const earlier = await createEarlier('versions');
  const asked: number[] = [];
  const beside = open(store, 'versions', {
    ifUnfed: async (format) => void asked.push(format),
  });
  await beside.add('acme', 5);
  await eventually(() => assert.deepEqual(asked, [7]));
  assert.equal(await beside.found('acme'), 5);
  await hasIndexes(openSearch.url, 'versions', [
    earlier,
    `versions-acme-roles-${FIRST_GENERATION}`,
  ]);
  // The earlier version writes through the alias, which must lead to its own index alone.
  const aliases = await send(`${openSearch.url}/_alias/versions-acme-roles`, 'GET');
  assert.deepEqual(Object.keys(aliases as object), [earlier]);
  await beside.close();

  const alone = open(store, 'versions', { ifUnfed: (_format, work) => work() });
  try {
    await hasIndexes(openSearch.url, 'versions', [`versions-acme-roles-${FIRST_GENERATION}`]);
    await eventually(async () => {
      const after = await send(`${openSearch.url}/_alias/versions-acme-roles`, 'GET');
      assert.deepEqual(Object.keys(after as object), [`versions-acme-roles-${FIRST_GENERATION}`]);
    });
    const state = await fetch(`${openSearch.url}/versions-state/_doc/committed-v7`);
    assert.equal(state.status, 404);
    assert.equal(await alone.found('acme'), 5);
  } finally {
    await alone.close();
  }
});

test('a node that lost its place as the feeder can announce no index', async () => {
  const store = new FakeStore();
  const options = { url: openSearch.url, prefix: 'places', feeds: () => true };
  const former = openFedWorld(store, options);
  await former.add('acme', 1);
  await former.indexer.abandon();
  const next = openFedWorld(store, options);
  try {
    await next.add('acme', 1);
    await former.backend.apply('other', [change(3, 'r3', 'late')]);
    await assert.rejects(former.backend.refresh(), { code: 'unavailable' });
  } finally {
    await next.close();
    await former.backend.close();
  }
});

const TENANTS = 12;
const MOST_OPEN = 4;

async function openCount(prefix: string): Promise<number> {
  const indexes = await indexesOf(openSearch.url, prefix);
  return indexes.filter(({ status }) => status === 'open').length;
}

test('idle indexes are closed, and opened by searches and changes', async () => {
  const store = new FakeStore();
  const world = open(store, 'idle', { openIndexes: MOST_OPEN, intervalMs: 500 });
  try {
    for (let n = 0; n < TENANTS; n++) await world.add(`t${n}`, n + 1);
    assert.equal((await indexesOf(openSearch.url, 'idle')).length, TENANTS);
    assert.ok((await openCount('idle')) <= MOST_OPEN);
    for (let n = 0; n < TENANTS; n++) assert.equal(await world.found(`t${n}`), n + 1);
    for (let n = 0; n < TENANTS; n++) {
      await world.add(`t${n}`, 1);
      assert.equal(await world.found(`t${n}`), n + 2);
    }
    // Searches may exceed the limit for a while.
    await eventually(async () => assert.ok((await openCount('idle')) <= MOST_OPEN));
    const [holdings] = await world.backend.holdings('t0');
    assert.equal(holdings?.documents, 2);
    await eventually(async () => assert.equal(await world.backend.unreadyReason(), null));
  } finally {
    await world.close();
  }
  await assertWhole(openFedWorld(store, { url: openSearch.url, prefix: 'idle' }));
});

/** After a restart nothing is fed again, and closed indexes are found. */
async function assertWhole(world: FedWorld): Promise<void> {
  try {
    assert.ok((await world.backend.committedSequence()) > 0);
    for (let n = 0; n < TENANTS; n++) assert.equal(await world.found(`t${n}`), n + 2);
  } finally {
    await world.close();
  }
}

/** Sets the limit of shards of the only node; null: the default. */
const limitShards = (count: number | null) =>
  send(`${openSearch.url}/_cluster/settings`, 'PUT', {
    transient: { 'cluster.max_shards_per_node': count },
  });

/** The shards of all open indexes, replicas included. */
async function openShards(): Promise<number> {
  const path = '_cat/indices?format=json&expand_wildcards=open';
  const indexes = (await send(`${openSearch.url}/${path}`, 'GET')) as CatIndex[];
  return indexes.reduce((sum, { pri, rep }) => sum + Number(pri) * (1 + Number(rep)), 0);
}

test('a cluster that has too many shards refuses an index, and the others stay', async () => {
  const store = new FakeStore();
  const world = open(store, 'many', {});
  try {
    await world.add('acme', 3);
    await world.backend.commit(3);
    await limitShards(1);
    store.put('other', 'r4');
    const waiting = world.indexer.waitFor(4, 60_000);
    await eventually(() => assert.match(world.indexer.status().error ?? '', /maximum shards/));
    assert.equal(await world.found('acme'), 3);
    await limitShards(null);
    await waiting;
    assert.equal(await world.found('other'), 1);
    assert.equal(await world.found('acme'), 3);
  } finally {
    await limitShards(null);
    await world.close();
  }
});

test('idle indexes are closed for one that the cluster has no room for', async () => {
  const store = new FakeStore();
  const world = open(store, 'room', {});
  try {
    for (const tenant of ['t0', 't1', 't2']) await world.add(tenant, 1);
    await limitShards(await openShards());
    await world.add('t3', 1);
    const indexes = await indexesOf(openSearch.url, 'room');
    assert.ok(indexes.some(({ status }) => status === 'close'));
    for (const tenant of ['t0', 't1', 't2', 't3']) assert.equal(await world.found(tenant), 1);
  } finally {
    await limitShards(null);
    await world.close();
  }
});

test('an index that is lost is fed again, also if deletions come first', async () => {
  const store = new FakeStore();
  const world = open(store, 'lost', {});
  try {
    await world.add('acme', 3);
    await send(`${openSearch.url}/lost-acme-roles-${FIRST_GENERATION}`, 'DELETE');
    store.delete('acme', 'r1');
    await world.indexer.waitFor(store.lastSequence, 60_000);
    assert.equal(await world.found('acme'), 2);
    await hasIndexes(openSearch.url, 'lost', [`lost-acme-roles-${FIRST_GENERATION}`]);
  } finally {
    await world.close();
  }
});

test('the feeding waits while indexes are read-only, and searches go on', async () => {
  const store = new FakeStore();
  const world = open(store, 'full', {});
  const block = (isSet: boolean) =>
    send(`${openSearch.url}/full-*/_settings`, 'PUT', {
      'index.blocks.read_only_allow_delete': isSet || null,
    });
  try {
    await world.add('acme', 3);
    await world.backend.commit(3);
    await block(true);
    store.put('acme', 'r4');
    const waiting = world.indexer.waitFor(4, 60_000);
    await eventually(() => assert.match(world.indexer.status().error ?? '', /./));
    for (let n = 0; n < 3; n++) assert.equal(await world.found('acme'), 3);
    await block(false);
    await waiting;
    assert.equal(await world.found('acme'), 4);
  } finally {
    await block(false);
    await world.close();
  }
});
