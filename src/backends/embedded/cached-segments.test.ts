// What caches hold of segments that an index has no longer: nothing, in the thread that feeds it and
// in others, however the segments went and whatever still runs in them. The documents are the same in
// every case, so that a cache that holds anything of a segment can be told from an empty one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { searchOptions } from '../../../test/support/search-options.ts';
import { sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { openWithReaders } from '../../../test/support/thread-reader.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { Plan } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import type { SearchBackend } from '../../service/ports/search-backend.ts';
import type { DocumentChange } from '../../service/ports/store.ts';
import { openEmbeddedBackend } from './embedded-backend.ts';
import type { EmbeddedOptions } from './embedded-options.ts';

const MAPPING = testMapping(
  { id: 'keyword', name: 'text', city: 'keyword', age: 'long', 'access.name': 'keyword' },
  ['access'],
);
const OPTIONS = searchOptions(() => MAPPING);
const DOCUMENTS = 1_200;
/** An entry is counted with 400 bytes at least, and the documents of these take more. */
const CACHES = ['sources', 'results', 'queries', 'positions'] as const;
type CacheName = (typeof CACHES)[number];

let backend: SearchBackend;
let sequence: number;

/** Opens a backend for one test. */
async function open(
  t: TestContext,
  options: Partial<EmbeddedOptions> = {},
  openBackend: (options: EmbeddedOptions) => Promise<SearchBackend> = openEmbeddedBackend,
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'cardea-cached-'));
  sequence = 0;
  backend = await openBackend({
    path,
    mapping: () => MAPPING,
    lastSequence: async () => sequence,
    ...{ settleMs: 60_000, restMs: 60_000 },
    ...options,
  });
  const opened = backend;
  t.after(async () => {
    await opened.close();
    rmSync(path, { recursive: true, force: true });
  });
}

const idOf = (n: number) => `d${String(n).padStart(5, '0')}`;

/** Writes documents, or deletes them, and refreshes. */
async function feed(numbers: readonly number[], content: 'written' | 'deleted'): Promise<void> {
  const changes = numbers.map((n): DocumentChange => {
    sequence += 1;
    const id = idOf(n);
    const members = {
      ...{ name: `ada person${n} lovelace of london`, city: `city ${n % 7}`, age: n % 90 },
      access: [{ name: `access ${n % 50}` }, { name: `access ${n % 11}` }],
    };
    const { root, nested } = sourceDocument(id, members, ['access']);
    const document =
      content === 'deleted' ? null : { index: 'identities' as const, id, root, nested };
    return { sequence, tenantId: 'acme', index: 'identities', id, document };
  });
  await backend.apply('acme', changes);
  await backend.refresh();
}

const ALL = Array.from({ length: DOCUMENTS }, (_, n) => n);

function planOf(query: Query, changes: Partial<Plan> = {}): Plan {
  return {
    ...{ targets: [{ index: 'identities', query }], sort: [], from: 0, size: 10, trackTotal: true },
    source: { includes: [], excludes: [], nested: true },
    ...changes,
  };
}

const EVERY: Query = { kind: 'matchAll' };
const filterOf = (query: Query): Query => ({
  ...{ kind: 'bool', must: [], should: [], mustNot: [] },
  filter: [query],
});
const cities: Aggregation = {
  ...{ kind: 'terms', source: { kind: 'strings', field: 'city' }, size: 10 },
  ...{ minDocCount: 1, order: [], aggregations: {} },
};

/** Questions that add to a cache when they come several times. */
const QUESTIONS: readonly (readonly [what: string, cache: CacheName, Plan])[] = [
  ['documents', 'sources', planOf(EVERY, { size: 1_000 })],
  ['counts', 'results', planOf(EVERY, { size: 0 })],
  [
    'rows of a pattern',
    'queries',
    planOf(filterOf({ kind: 'wildcard', field: 'name', form: 'folded', pattern: '*son1*' })),
  ],
  [
    'rows of a term',
    'queries',
    planOf(filterOf({ kind: 'term', field: 'city', form: 'exact', value: 'city 3' })),
  ],
  [
    'rows of elements',
    'queries',
    planOf({
      ...{ kind: 'nested', path: 'access', scoreMode: 'none' },
      query: { kind: 'wildcard', field: 'access.name', form: 'folded', pattern: '*ss 1*' },
    }),
  ],
  [
    'postings of a word',
    'queries',
    planOf({ kind: 'term', field: 'name', form: 'word', value: 'ada' }),
  ],
  [
    'postings and positions of a phrase',
    'positions',
    planOf({ kind: 'phrase', field: 'name', terms: ['lovelace', 'of', 'london'], slop: 0 }),
  ],
  [
    'an order of documents',
    'queries',
    planOf(EVERY, { sort: [{ type: 'string', field: 'city', order: 'asc' }], size: 200 }),
  ],
  [
    'an order of elements',
    'queries',
    planOf(EVERY, {
      targets: [{ index: 'identities', query: EVERY, innerHit: { path: 'access', query: EVERY } }],
      ...{ sort: [{ type: 'string', field: 'access.name', order: 'asc' }], elementOrder: true },
    }),
  ],
  [
    'ordinals of an aggregation',
    'queries',
    planOf(filterOf({ kind: 'term', field: 'city', form: 'exact', value: 'city 4' }), {
      targets: [{ index: 'identities', query: EVERY, aggregations: { cities } }],
      ...{ size: 1, maxBuckets: 1_000 },
    }),
  ],
];
/** Enough for those that need several uses. */
const TIMES = 4;
/** Runs for a while; its patterns are cached from the second time on. */
const SLOW = planOf({
  ...{ kind: 'bool', must: [], filter: [], mustNot: [] },
  should: Array.from({ length: 100 }, (_, n) => ({
    ...({ kind: 'regexp', field: 'name', form: 'folded' } as const),
    pattern: `(.*[aeiou]){3}.*l.*o${n}.*`,
  })),
});

function bytes(): Record<CacheName, number> {
  const figures = backend.figures?.().caches ?? [];
  return Object.fromEntries(figures.map((one) => [one.cache, one.bytes])) as never;
}

const EMPTY = { sources: 0, results: 0, queries: 0, positions: 0 };
const segments = () => backend.figures?.().indexes[0]?.segments ?? 0;

/** Asks each question several times. @returns those that added nothing to their cache */
async function askAll(): Promise<string[]> {
  const silent: string[] = [];
  for (const [what, cache, plan] of QUESTIONS) {
    const before = bytes();
    for (let time = 0; time < TIMES; time += 1) await backend.search('acme', plan, OPTIONS);
    if (bytes()[cache] <= before[cache]) silent.push(what);
  }
  return silent;
}

/** Two segments in files. */
async function feedTwoSegments(): Promise<void> {
  await feed(ALL.slice(0, DOCUMENTS / 2), 'written');
  await feed(ALL.slice(DOCUMENTS / 2), 'written');
  await backend.commit(sequence);
}

/** Two segments in files, of which all caches have something. */
async function fillCaches(
  t: TestContext,
  openBackend: (options: EmbeddedOptions) => Promise<SearchBackend>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await open(t, {}, openBackend);
    await feedTwoSegments();
    const silent = await askAll();
    // The other thread may have got the files of the commit meanwhile, and with them empty caches.
    if (silent.length === 0) return;
    assert.ok(attempt < ATTEMPTS, `nothing is cached of ${silent}`);
    await backend.close();
  }
}
const ATTEMPTS = 5;

/** The ways in which an index loses all its segments; it may get new ones. */
const LOSSES: readonly (readonly [how: string, lose: () => Promise<void>])[] = [
  ['documents are deleted', () => feed(ALL, 'deleted')],
  ['documents are written again', () => feed(ALL, 'written')],
  ['the index is cleared', () => backend.clear()],
];

for (const where of ['feeding thread', 'other thread'] as const) {
  const openBackend = where === 'feeding thread' ? openEmbeddedBackend : openWithReaders;
  const isEmpty = () =>
    eventually(() =>
      assert.ok(
        CACHES.every((cache) => bytes()[cache] === 0),
        JSON.stringify(bytes()),
      ),
    );

  for (const [how, lose] of LOSSES) {
    test(`in the ${where}: when ${how}, nothing stays cached of the segments before`, async (t) => {
      await fillCaches(t, openBackend);
      await lose();
      if (where === 'feeding thread') assert.deepEqual(bytes(), EMPTY);
      await isEmpty();
    });
  }

  test(`in the ${where}: when segments are merged, nothing stays cached of them`, async (t) => {
    // A merge may come before all is asked: then a longer rest is needed.
    for (let restMs = 500; ; restMs *= 4) {
      await open(t, { restMs }, openBackend);
      await feedTwoSegments();
      await askAll();
      if (segments() === 2) break;
      await backend.close();
    }
    assert.ok(Math.max(...Object.values(bytes())) > 0);
    await eventually(() => assert.equal(segments(), 1));
    await isEmpty();
  });

  test(`in the ${where}: a search that still runs in segments that are gone caches nothing of them`, async (t) => {
    await open(t, {}, openBackend);
    await feedTwoSegments();
    await askAll();
    await feed(ALL, 'written');
    await isEmpty();
    let isRunning = true;
    const slow = Array.from({ length: 4 }, () => backend.search('acme', SLOW, OPTIONS));
    const ended = Promise.all(slow).then(() => {
      isRunning = false;
    });
    const others = QUESTIONS.map(([, , plan]) => backend.search('acme', plan, OPTIONS));
    await feed(ALL, 'deleted');
    assert.ok(isRunning, 'the slow search has ended too early for this test');
    await Promise.all([ended, ...others]);
    if (where === 'feeding thread') assert.deepEqual(bytes(), EMPTY);
    await isEmpty();
  });
}

test('a commit that moves segments to files drops what was cached of them in memory', async (t) => {
  await open(t);
  await feed(ALL, 'written');
  // Positions are read in pages from files only, and one segment numbers its strings itself.
  assert.deepEqual(await askAll(), [
    'postings and positions of a phrase',
    'ordinals of an aggregation',
  ]);
  await backend.commit(sequence);
  assert.deepEqual(bytes(), EMPTY);
});

test('of several segments only what is cached of those that are gone goes', async (t) => {
  await open(t);
  const half = DOCUMENTS / 2;
  await feed(ALL.slice(0, half), 'written');
  await askAll();
  await feed(ALL.slice(half), 'written');
  const first = bytes().queries;
  assert.ok(first > 0);
  await askAll();
  assert.ok(bytes().queries > first);
  await feed(ALL.slice(half), 'deleted');
  const rest = bytes().queries;
  // Ordinals of both segments went as well, and those of the first alone went before.
  assert.ok(rest > 0 && rest <= first, `${rest} of ${first}`);
  await feed(ALL.slice(0, half), 'deleted');
  assert.deepEqual(bytes(), EMPTY);
});
