// A node over a cluster of three OpenSearch nodes: one is lost, one freezes, an index loses its only
// copy, and the disks are full. Searches are right or 503, never partial; acknowledged writes are
// found in the end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FIRST_GENERATION } from '../../../src/backends/opensearch/indexes/committed-state.ts';
import {
  type OpenSearchCluster,
  startOpenSearchCluster,
} from '../../support/opensearch-cluster.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { send } from '../fed-world.ts';
import { eventually } from './eventually.ts';

let cluster: OpenSearchCluster;
const services: RunningService[] = [];

before(async () => {
  cluster = await startOpenSearchCluster();
});
after(async () => {
  for (const service of services) await service.stop();
  await cluster.stop();
});

/** A service with its own indexes, and the roles that it has acknowledged. */
async function serve(prefix: string, replicas: string) {
  const service = await startService({
    CARDEA_SEARCH_URL: cluster.url,
    CARDEA_SEARCH_PREFIX: prefix,
    CARDEA_SEARCH_REPLICAS: replicas,
    CARDEA_QUERY_TIMEOUT_MS: '3000',
  });
  services.push(service);
  let written = 0;
  return {
    service,
    /** Must be acknowledged. */
    async write(count: number): Promise<void> {
      const lines = Array.from({ length: count }, (_, at) =>
        JSON.stringify({ _type: 'role', id: `r${written + at + 1}`, name: 'Role' }),
      );
      const answer = await service.call('POST', '/admin/v1/documents', lines.join('\n'), {
        'content-type': 'application/x-ndjson',
      });
      const report = (await answer.json()) as { readonly created: number };
      assert.equal(report.created, count);
      written += count;
    },
    get written(): number {
      return written;
    },
    /**
     * The number found; null for a 503, which says when to retry, or for a search that ran out of
     * time at a frozen node while the cluster answered others.
     */
    async found(): Promise<number | null> {
      const body = { indices: ['roles'], query: { query: 'name:role' } };
      const answer = await service.call('POST', '/v2024/search?count=true', body);
      const text = await answer.text();
      if (answer.status === 400 && /(longer than|stopped after) 3 s/.test(text)) return null;
      if (answer.status === 503) {
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        return null;
      }
      assert.equal(answer.status, 200, text);
      return Number(answer.headers.get('x-total-count'));
    },
  };
}

/** Written and found before something breaks. */
const ROLES = 50;

type Served = Awaited<ReturnType<typeof serve>>;

/** Writes and searches until `isOver`; a result without what was found before is a failure. */
async function searchAndWrite(served: Served, isOver: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  do {
    await served.write(1);
    const found = await served.found();
    assert.ok(found === null || found >= ROLES, `${found} of ${ROLES}`);
    assert.ok(Date.now() < deadline, 'it did not recover');
    await pause(50);
  } while (!(await isOver()));
}

async function allFound(served: Served): Promise<void> {
  await eventually('every acknowledged write is found', async () => {
    return (await served.found()) === served.written;
  });
}

test('a node is lost: what it held is answered by the others', async () => {
  const served = await serve('lost', 'auto');
  await served.write(ROLES);
  await allFound(served);
  await cluster.green(3);
  const holder = await cluster.holderOf('lost-*-roles-*');
  await holder.kill();
  await searchAndWrite(served, async () => (await served.found()) === served.written);
  await allFound(served);
  holder.restart();
  await cluster.green(3);
  await allFound(served);
});

test('a node freezes: searches and writes go on without it', async () => {
  const served = await serve('slow', 'auto');
  await served.write(ROLES);
  await allFound(served);
  await cluster.green(3);
  const holder = await cluster.holderOf('slow-*-roles-*');
  holder.suspend();
  try {
    await searchAndWrite(served, async () => (await served.found()) === served.written);
  } finally {
    holder.resume();
  }
  await cluster.green(3);
  await allFound(served);
});

test('the only copy of an index is lost: 503 until it is back', async () => {
  const served = await serve('red', '0');
  await served.write(ROLES);
  await allFound(served);
  await cluster.green(3);
  const holder = await cluster.holderOf('red-*-roles-*');
  await holder.kill();
  await searchAndWrite(served, async () => (await served.found()) === null);
  await eventually('the node is not ready', async () => {
    assert.equal(await served.found(), null);
    return (await served.service.call('GET', '/ready')).status === 503;
  });
  holder.restart();
  await searchAndWrite(served, async () => (await served.found()) === served.written);
  await cluster.green(3);
  await allFound(served);
});

/** Takes the disks as full, or as they are. */
async function fillDisks(full: boolean): Promise<void> {
  const mark = full ? '900tb' : null;
  const watermark = 'cluster.routing.allocation.disk.watermark';
  await send(`${cluster.url}/_cluster/settings`, 'PUT', {
    transient: {
      [`${watermark}.low`]: mark,
      [`${watermark}.high`]: mark,
      [`${watermark}.flood_stage`]: mark,
    },
  });
}

test('the disks are full: writes are acknowledged, searches go on, and feeding waits', async () => {
  const served = await serve('full', 'auto');
  await served.write(ROLES);
  await allFound(served);
  await cluster.green(3);
  await eventually('the indexer has committed', async () => {
    const commit = await fetch(`${cluster.url}/full-state/_doc/committed-${FIRST_GENERATION}`);
    await commit.arrayBuffer();
    return commit.ok;
  });
  try {
    await fillDisks(true);
    await eventually('the indexes are read-only, and the node says so', async () => {
      await served.write(1);
      const ready = await served.service.call('GET', '/ready');
      return /cannot be fed: .*(read-only|flood-stage)/.test(await ready.text());
    });
    const before = served.written;
    await served.write(5);
    const found = await served.found();
    assert.ok(found !== null && found >= ROLES && found <= before, `${found} of ${before}`);
    const { lag } = served.service.cardea.indexer.status();
    assert.ok(lag >= 5, `a lag of ${lag}`);
  } finally {
    await fillDisks(false);
  }
  await allFound(served);
  await eventually('it is ready', async () => {
    const ready = await served.service.call('GET', '/ready');
    await ready.arrayBuffer();
    return ready.status === 200;
  });
});
