// Indexes of roles that are fed over a client that answers as an OpenSearch would.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change } from '../../../../test/contract/backend-world.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { SILENT } from '../../../telemetry/log.ts';
import {
  type OpenSearchClient,
  OpenSearchFault,
  type OpenSearchRequest,
} from '../requests/client.ts';
import { FIRST_GENERATION, generationAfter, StateStore } from './committed-state.ts';
import { FedIndexes, type FedOptions } from './fed-indexes.ts';
import { DEFAULT_LAYOUT } from './index-set.ts';
import { OpenIndexes } from './open-indexes.ts';
import { RefusedDocuments } from './refused-documents.ts';
import { RemoteIndexes } from './remote-indexes.ts';

const PREFIX = 'cardea';
const NAME = `${PREFIX}-acme-roles-${FIRST_GENERATION}`;
const REFUSAL = { type: 'mapper_parsing_exception', reason: 'failed to parse' };
const CLUSTER_SETTINGS = { persistent: { 'indices.query.bool.max_clause_count': '65536' } };

interface FakeIndex {
  readonly uuid: string;
  readonly mappings: { readonly properties: Record<string, object> };
}

class FakeCluster {
  readonly indexes = new Map<string, FakeIndex>();
  /** Whether the document with an id is refused. */
  isRefused: (id: string) => boolean = () => false;
  /** The beginning of `METHOD /path` of the requests that fail. */
  failing: string | null = null;
  readonly #state = new Map<string, { readonly source: unknown; readonly seqNo: number }>();
  #writes = 0;
  #created = 0;

  get client(): OpenSearchClient {
    const send = async (request: OpenSearchRequest) => this.#answer(request);
    return { send } as unknown as OpenSearchClient;
  }

  #answer({ method, path, body, lines }: OpenSearchRequest): object {
    if (this.failing !== null && `${method} ${path}`.startsWith(this.failing)) {
      throw new OpenSearchFault(503, 'process_cluster_event_timeout_exception', 'late', null);
    }
    const [, first = '', second = '', id = ''] = path.split('/');
    if (first === '_cluster') return second === 'settings' ? CLUSTER_SETTINGS : {};
    if (first === '_bulk') return this.#bulk(String(lines));
    if (second === '_doc') return this.#stateOf(method, id, body);
    if (second === '_settings' && method === 'GET') return this.#settings();
    if (second === '_mapping' && method === 'GET') return Object.fromEntries(this.indexes);
    if (second === '' && method === 'PUT') this.#create(first, body as FakeIndex);
    if (second === '' && method === 'DELETE') {
      for (const name of first.split(',')) this.indexes.delete(name);
    }
    return {};
  }

  #create(name: string, { mappings }: FakeIndex): void {
    this.#created += 1;
    this.indexes.set(name, { uuid: `uuid${this.#created}`, mappings });
  }

  /** The settings of all indexes, flat and not. */
  #settings(): object {
    const entries = [...this.indexes].map(([name, { uuid }]) => [
      name,
      { settings: { 'index.uuid': uuid, index: { uuid } } },
    ]);
    return Object.fromEntries(entries);
  }

  #stateOf(method: string, id: string, body: unknown): object {
    if (method === 'PUT') {
      this.#writes += 1;
      this.#state.set(id, { source: body, seqNo: this.#writes });
    }
    const document = this.#state.get(id);
    if (document === undefined) throw new OpenSearchFault(404, 'not_found', id, null);
    if (method === 'DELETE') this.#state.delete(id);
    return { _source: document.source, _seq_no: document.seqNo, _primary_term: 1 };
  }

  #bulk(lines: string): object {
    const actions = lines.split('\n').flatMap((line) => {
      const { index } = JSON.parse(line || '{}') as { index?: { _id?: string; _index?: string } };
      return index?._index === undefined ? [] : [index._id ?? ''];
    });
    const items = actions.map((_id) => {
      const result = { _id, _index: NAME };
      return { index: this.isRefused(_id) ? { ...result, status: 400, error: REFUSAL } : result };
    });
    return { errors: items.some(({ index }) => 'error' in index), items };
  }
}

interface World {
  readonly cluster: FakeCluster;
  readonly options: FedOptions;
  readonly fed: FedIndexes;
  readonly refused: RefusedDocuments;
  /** Whether this node feeds. */
  readonly node: { feeds: boolean };
}

function newWorld(): World {
  const cluster = new FakeCluster();
  const { client } = cluster;
  const node = { feeds: true };
  const feeds = () => node.feeds;
  const refused = new RefusedDocuments(SILENT);
  const options: FedOptions = {
    ...{ client, refused, feeds, log: SILENT },
    remote: new RemoteIndexes(client, PREFIX),
    state: new StateStore(client, PREFIX, 1),
    open: new OpenIndexes({ client, prefix: PREFIX, mostPerNode: 450, feeds }),
    set: { prefix: PREFIX, layout: DEFAULT_LAYOUT },
    mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
    lastSequence: async () => 2,
  };
  return { cluster, options, refused, node, fed: new FedIndexes(options) };
}

const CHANGES = [change(1, 'r1', 'One'), change(2, 'r2', 'Two')];
const UNAVAILABLE = { code: 'unavailable' };

/** Another program maps a field, for which a document is refused. */
function mapColour({ cluster }: World): void {
  const properties = () => cluster.indexes.get(NAME)?.mappings.properties ?? {};
  properties()['colour'] = { type: 'long' };
  cluster.isRefused = (id) => id === 'r2' && 'colour' in properties();
}

/** The world after one change, which is committed. */
async function fedWorld(): Promise<World> {
  const world = newWorld();
  await world.fed.apply('acme', CHANGES.slice(0, 1));
  await world.fed.commit(1);
  return world;
}

test('indexes that another program has changed are deleted again after a deletion that failed', async () => {
  for (const failing of [`DELETE /${PREFIX}-state/_doc/committed`, `DELETE /${NAME}`]) {
    const world = await fedWorld();
    const { cluster, fed, refused } = world;
    mapColour(world);
    cluster.failing = failing;
    await assert.rejects(fed.apply('acme', CHANGES), { status: 503 });
    assert.equal(cluster.indexes.get(NAME)?.uuid, 'uuid1');
    cluster.failing = null;
    await fed.apply('acme', CHANGES).catch((error) => assert.equal(error.code, 'unavailable'));
    assert.equal(await fed.committedSequence(), 0);
    await fed.apply('acme', CHANGES);
    assert.equal(fed.applied, 2);
    assert.equal(cluster.indexes.get(NAME)?.uuid, 'uuid2');
    assert.equal(refused.count('acme', 'roles'), 0);
  }
});

test('indexes with changes that the store has lost are refused by who follows and filled again by who feeds', async () => {
  const { options } = newWorld();
  let mark = 'of the lost changes';
  const open = (feeds: boolean) =>
    new FedIndexes({ ...options, storeMark: async () => mark, feeds: () => feeds });
  const fed = open(true);
  await fed.apply('acme', CHANGES);
  await fed.commit(2);
  for (const feeds of [true, false]) assert.equal(await open(feeds).committedSequence(), 2);
  mark = 'of other changes';
  await assert.rejects(open(false).connected(), UNAVAILABLE);
  const { sequence, rebuildUntil } = await open(true).connected();
  assert.deepEqual([sequence, rebuildUntil], [0, 2]);
});

for (const member of ['sequence', 'covered', 'rebuildUntil'] as const) {
  test(`indexes whose ${member} is beyond the last change of the store are filled up to that`, async () => {
    const { fed, options } = await fedWorld();
    const state = await options.state.read(FIRST_GENERATION);
    assert.ok(state);
    await options.state.write(FIRST_GENERATION, { ...state, [member]: 5 });
    fed.drop();
    const { rebuildUntil, sequence, covered } = await fed.connected();
    assert.deepEqual([rebuildUntil, sequence, covered], [2, 0, 2]);
    // What is pending from before is refused once.
    await fed.apply('acme', CHANGES).catch((error) => assert.equal(error.code, 'unavailable'));
    await fed.apply('acme', CHANGES);
    await fed.commit(2);
    assert.equal(await fed.rebuilding(), false);
  });
}

test('after a loss of the indexes the next changes are refused once, and then all are fed again', async () => {
  const { cluster, fed } = await fedWorld();
  cluster.indexes.clear();
  fed.drop();
  await assert.rejects(fed.apply('acme', CHANGES.slice(1)), UNAVAILABLE);
  assert.equal(cluster.indexes.has(NAME), false);
  assert.equal(await fed.committedSequence(), 0);
  await fed.apply('acme', CHANGES);
  assert.equal(fed.applied, 2);
});

test('indexes that another program changes twice are fed no further, and no document is skipped', async () => {
  const world = await fedWorld();
  const { cluster, fed, refused } = world;
  mapColour(world);
  await assert.rejects(fed.apply('acme', CHANGES), UNAVAILABLE);
  await fed.apply('acme', CHANGES);
  await fed.commit(2);
  mapColour(world);
  const later = [change(3, 'r2', 'Three')];
  for (let time = 0; time < 2; time++) {
    await assert.rejects(fed.apply('acme', later), UNAVAILABLE);
    assert.equal(await fed.committedSequence(), 2);
  }
  assert.equal(cluster.indexes.get(NAME)?.uuid, 'uuid2');
  assert.equal(refused.count('acme', 'roles'), 0);
});

test('documents are listed as refused until another node has fed them', async () => {
  const { cluster, fed, refused, node, options } = await fedWorld();
  cluster.isRefused = (id) => id === 'r2';
  await fed.apply('acme', CHANGES);
  await fed.commit(2);
  assert.equal(refused.count('acme', 'roles'), 1);
  fed.drop();
  await fed.connected();
  assert.equal(refused.count('acme', 'roles'), 1);
  const follow = async () => {
    node.feeds = false;
    fed.drop();
    await fed.connected();
    node.feeds = true;
  };
  // As after an outage in which no other node could feed either.
  await follow();
  await fed.connected();
  assert.equal(refused.count('acme', 'roles'), 1);
  await follow();
  const other = { ...options, refused: new RefusedDocuments(SILENT), feeds: () => true };
  await new FedIndexes(other).commit(2);
  // Also if the first attempt to connect fails.
  cluster.failing = 'GET /';
  await assert.rejects(fed.connected(), UNAVAILABLE);
  cluster.failing = null;
  await fed.connected();
  assert.equal(refused.warning, null);
});

test('documents are listed as refused until all are fed again, but not beside the others', async () => {
  const { cluster, fed, refused, options } = await fedWorld();
  cluster.isRefused = (id) => id === 'r2';
  await fed.apply('acme', CHANGES);
  const successor = new FedIndexes(options, generationAfter(FIRST_GENERATION));
  await successor.connected();
  assert.equal(refused.count('acme', 'roles'), 1);
  await fed.clear();
  assert.equal(refused.warning, null);
  await fed.apply('acme', CHANGES);
  await fed.commit(2);
  assert.equal(refused.count('acme', 'roles'), 1);
  cluster.indexes.clear();
  fed.drop();
  await fed.connected();
  assert.equal(refused.warning, null);
});
