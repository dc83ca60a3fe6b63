import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type OpenSearchClient,
  OpenSearchFault,
  type OpenSearchRequest,
} from '../requests/client.ts';
import { OpenIndexes } from './open-indexes.ts';
import type { RemoteIndex } from './remote-indexes.ts';

interface Cluster {
  readonly nodes?: number;
  readonly openIndexes?: number;
  readonly feeds?: boolean;
  /** Most shards that may be open. */
  readonly shardsMax?: number;
}

const index = (name: string, shards = 1, replicas: number | 'auto' = 'auto'): RemoteIndex => ({
  ...{ name, alias: name, uuid: name, shards, replicas, open: true },
});

/** A cluster whose indexes have one shard and no replica, and what is closed in it. */
function clusterOf({ nodes = 1, openIndexes = 4, feeds = true, shardsMax = 100 }: Cluster) {
  const closed: string[] = [];
  const shards = new Set<string>();
  const add = (names: readonly string[]) => {
    const count = names.filter((name) => !shards.has(name)).length;
    if (shards.size + count > shardsMax) {
      const reason = `this action would add [${count}] total shards, but this cluster currently has [${shards.size}]/[${shardsMax}] maximum shards open;`;
      throw new OpenSearchFault(400, 'validation_exception', reason, null);
    }
    for (const name of names) shards.add(name);
  };
  const send = async ({ path }: OpenSearchRequest): Promise<object> => {
    const [, list = '', action] = path.split('/');
    const names = list.split(',');
    if (action === '_open') add(names);
    if (action === '_close') {
      closed.push(...names);
      for (const name of names) shards.delete(name);
    }
    return { number_of_data_nodes: nodes };
  };
  const client = { send } as unknown as OpenSearchClient;
  const open = new OpenIndexes({
    ...{ client, prefix: 'cardea', mostPerNode: openIndexes, feeds: () => feeds },
  });
  const batch = {};
  return {
    open,
    closed,
    /** Creates an index in a batch of its own. */
    async create(...size: readonly [name: string, shards?: number, replicas?: number | 'auto']) {
      const [name] = size;
      await open.ensureOpen(batch, index(...size), async () => add([name]));
      open.endBatch(batch);
    },
  };
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];

test('closes the indexes that were not used for longest', async () => {
  const { create, closed } = clusterOf({ openIndexes: 4 });
  for (const name of NAMES) await create(name);
  assert.deepEqual(closed, ['a']);
});

test('counts an index with more than two shards, replicas included, as several', async () => {
  for (const { nodes, shards, replicas, expected } of [
    { nodes: 1, shards: 1, replicas: 'auto', expected: ['a'] },
    { nodes: 2, shards: 1, replicas: 'auto', expected: ['a'] },
    { nodes: 2, shards: 1, replicas: 2, expected: ['a', 'b', 'c'] },
    { nodes: 2, shards: 3, replicas: 'auto', expected: ['a', 'b', 'c', 'd'] },
    { nodes: 1, shards: 2, replicas: 0, expected: ['a'] },
  ] as const) {
    const { open, create, closed } = clusterOf({ nodes, openIndexes: 4 / nodes });
    await open.update([]);
    for (const name of NAMES) await create(name, shards, replicas);
    assert.deepEqual(closed, expected, JSON.stringify({ nodes, shards, replicas }));
  }
});

test('closes idle indexes for one that the cluster refuses for its number of shards', async () => {
  const { create, closed, open } = clusterOf({ shardsMax: 3 });
  for (const name of NAMES.slice(0, 4)) await create(name);
  assert.deepEqual(closed, ['a']);
  await open.open(['a', 'b']);
  assert.deepEqual(closed, ['a', 'c']);
});

test('closes nothing for a refused index where that would not suffice', async () => {
  const { create, closed, open } = clusterOf({ shardsMax: 1 });
  await create('a');
  await assert.rejects(open.open(['b', 'c', 'd']), { type: 'validation_exception' });
  assert.deepEqual(closed, []);
});

test('a process that does not feed the indexes closes none', async () => {
  const { create, closed, open } = clusterOf({ shardsMax: 1, feeds: false });
  await create('a');
  await assert.rejects(open.open(['b']), { type: 'validation_exception' });
  assert.deepEqual(closed, []);
});
