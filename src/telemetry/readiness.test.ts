// The readiness of a node: reasons, warnings and condition, derived from its parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { type ReadinessParts, readinessOf } from './readiness.ts';

const UNDAMAGED = { damaged: async () => [], unnamed: async () => 0, damagedTrails: async () => 0 };
const SOUND = {
  store: { ping: async () => {}, now: async () => null, read: { tenants: async () => [{}] } },
  backend: { ping: async () => {}, unreadyReason: async () => null },
  indexer: { status: () => ({ applied: 5, lag: 0, error: null }) },
  counts: null,
  clock: { now: () => 0 },
  clockSkewMs: 30_000,
  atOpening: 5,
  background: [],
  disk: () => ({ free: 1e12, size: 2e12 }),
  storeFaults: () => [],
  wrongRows: () => [],
  watch: UNDAMAGED,
  log: { warn: () => {} },
};

const readiness = (parts: object) =>
  readinessOf({ ...SOUND, ...parts } as unknown as ReadinessParts);
const away = async () => {
  throw new Error('It does not answer.');
};

test('a node in order is ready, without warnings', async () => {
  const { unreadyReasons, warnings, condition } = readiness({});
  assert.deepEqual(await unreadyReasons(), []);
  assert.deepEqual(await warnings(), []);
  assert.deepEqual(await condition(), { ready: true, store: true, search: true });
});

const CASES: readonly (readonly [name: string, parts: object, warnings: readonly RegExp[]])[] = [
  [
    'a full disk',
    { disk: () => ({ free: 0, size: 1e9 }) },
    [/^The disk of the data directory has 0 MiB free/],
  ],
  [
    'a store without a tenant',
    { store: { ...SOUND.store, read: { tenants: async () => [] } } },
    [/^There is no tenant/],
  ],
  [
    'a clock that is far from that of the database',
    { store: { ...SOUND.store, now: async () => 60_000 } },
    [/^The clock of this node is 60 s behind that of the database/],
  ],
  ['an unknown disk', { disk: () => null }, []],
  ['a damaged store', { storeFaults: () => ['Page 7 is damaged', 'x'] }, [/damaged, .*: Page 7/]],
  [
    'a damaged document',
    {
      watch: { ...UNDAMAGED, damaged: async () => [{ tenantId: 't', index: 'roles', id: 'r1' }] },
    },
    [/^1 document is damaged in the store and set aside: the log /],
  ],
  [
    'more damaged documents than are named',
    {
      watch: {
        ...UNDAMAGED,
        damaged: async () => [{ tenantId: 't', index: 'roles', id: 'r1' }],
        unnamed: async () => 7,
      },
    },
    [
      /^8 documents are damaged .*: the log of this node names 1 of them, cardea doctor --json names all\.$/,
    ],
  ],
  [
    'a derived row that is wrong',
    { wrongRows: () => [{ kind: 'wrong', table: 'capability_holder', rows: 2 }] },
    [/^Rows of capability_holder, which are derived .* damaged: run cardea doctor --repair\.$/],
  ],
  [
    'a damaged audit trail',
    { watch: { ...UNDAMAGED, damagedTrails: async () => 1 } },
    [/^The audit trail of 1 tenant is damaged: the log /],
  ],
  [
    'an export that fails',
    { background: [{ warning: 'The export fails' }] },
    [/^The export fails$/],
  ],
];
for (const [name, parts, expected] of CASES) {
  test(`${name} is a warning, and the node stays ready`, async () => {
    const { warnings, condition } = readiness(parts);
    const sentences = await warnings();
    assert.equal(sentences.length, expected.length, sentences.join());
    for (const [at, pattern] of expected.entries()) assert.match(sentences[at] ?? '', pattern);
    assert.equal((await condition()).ready, true);
  });
}

const storeAt = (sequence: number) => ({
  ...SOUND.store,
  read: { ...SOUND.store.read, lastSequence: async () => sequence },
});

test('a node is ready again once it has what is left of a store that was restored to an older state', async () => {
  let applied = 0;
  let last = 9;
  const store = { ...SOUND.store, read: { lastSequence: async () => last } };
  const indexer = { status: () => ({ applied, lag: 0, error: null }) };
  const { unreadyReasons } = readiness({ store, indexer, atOpening: 9 });
  assert.deepEqual(await unreadyReasons(), ['The search index is 9 changes behind.']);
  last = 4;
  assert.deepEqual(await unreadyReasons(), ['The search index is 4 changes behind.']);
  applied = 4;
  assert.deepEqual(await unreadyReasons(), []);
  last = 20;
  assert.deepEqual(await unreadyReasons(), []);
});

const UNREADY: readonly (readonly [name: string, parts: object, condition: object])[] = [
  ['no store', { store: { ping: away } }, { ready: false, store: false, search: true }],
  [
    'no search',
    { backend: { ping: away, unreadyReason: async () => 'It does not answer.' } },
    { ready: false, store: true, search: false },
  ],
  [
    'an index that is being rebuilt',
    { backend: { ping: async () => {}, unreadyReason: async () => 'It is being rebuilt.' } },
    { ready: false, store: true, search: true },
  ],
  [
    'an index that is behind',
    { atOpening: 9, store: storeAt(9) },
    { ready: false, store: true, search: true },
  ],
  [
    'an indexer that fails',
    { indexer: { status: () => ({ applied: 5, lag: 0, error: 'away' }) } },
    { ready: false, store: true, search: true },
  ],
];
for (const [name, parts, expected] of UNREADY) {
  test(`with ${name} the node is not ready, and metrics tell which part is away`, async () => {
    const { unreadyReasons, condition } = readiness(parts);
    assert.equal((await unreadyReasons()).length, 1);
    assert.deepEqual(await condition(), expected);
  });
}

const feeding = (error: string) => ({ indexer: { status: () => ({ applied: 5, lag: 0, error }) } });
const FEEDING: readonly (readonly [error: string, reason: string])[] = [
  [
    'OpenSearch is not available: validation_exception: [1000]/[1000] maximum shards open;',
    'The search index cannot be fed: OpenSearch has reached its limit of shards (maximum shards open).',
  ],
  [
    'index [cardea-tenant-1-roles] blocked by: [flood-stage watermark exceeded, index has read-only-allow-delete block]',
    'The search index cannot be fed: a disk of OpenSearch is nearly full (flood-stage watermark).',
  ],
  [
    'connect ECONNREFUSED 10.1.2.3:9200',
    'The search index cannot be fed: the log of this node says why.',
  ],
];
for (const [error, reason] of FEEDING) {
  test(`says of "${error}" no more than anybody may read`, async () => {
    assert.deepEqual(await readiness(feeding(error)).unreadyReasons(), [reason]);
  });
}

test('errors of store and search are in the log, once while they stay the same, and not in reasons', async () => {
  const logged: string[] = [];
  const log = { warn: ({ err }: { readonly err: Error }) => logged.push(err.message) };
  let isAway = true;
  const ping = async () => {
    if (isAway) throw new Error('connect ECONNREFUSED 10.1.2.3:5432');
  };
  const unreadyReason = async () => {
    if (!isAway) return null;
    const causes = ['ConnectionError: 10.1.2.3:9200'];
    throw new ServiceError('unavailable', 'OpenSearch is not available', { causes });
  };
  const { unreadyReasons } = readiness({ log, store: { ping }, backend: { unreadyReason } });
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await unreadyReasons(), [
      'The store does not answer; the log of this node says why.',
      'OpenSearch is not available',
    ]);
  }
  const once = ['connect ECONNREFUSED 10.1.2.3:5432', 'OpenSearch is not available'];
  assert.deepEqual(logged, once);
  isAway = false;
  assert.deepEqual(await unreadyReasons(), []);
  isAway = true;
  await unreadyReasons();
  assert.deepEqual(logged, [...once, ...once]);
});
