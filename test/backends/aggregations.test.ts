// Aggregations of the embedded engine against those of a real OpenSearch, through the port: the same documents are fed
// to both, the same random trees put to both. Kinds that OpenSearch is not asked for must be refused by name.
// CARDEA_DIFFERENTIAL_CASES trees (200) from CARDEA_SEED.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import type { SearchBackend } from '../../src/identity/search-backend.ts';
import type { DocumentChange } from '../../src/identity/store.ts';
import { planAggregate } from '../../src/query/aggregate-request.ts';
import { DEFAULT_LIMITS } from '../../src/query/limits.ts';
import type { Mapping } from '../../src/query/mapping.ts';
import type { IndexName, Plan } from '../../src/query/plan.ts';
import { openEmbeddedBackend } from '../../src/search/embedded/embedded-backend.ts';
import { openOpenSearchBackend } from '../../src/search/opensearch/opensearch-backend.ts';
import { Random } from '../differential/random.ts';
import { randomAggregations } from '../differential/random-aggregations.ts';
import { MAPPING, NESTED, randomDocument } from '../differential/random-documents.ts';
import { type OpenSearch, startOpenSearch } from '../support/opensearch.ts';
import { sourceDocument } from '../support/segments.ts';

const CASES = Number(process.env['CARDEA_DIFFERENTIAL_CASES'] ?? 200);
const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);
const TENANT = 'acme';
const OPTIONS = { timeoutMs: 30_000 };
const INDEXES: readonly IndexName[] = ['identities', 'roles'];

/** The second index lacks some fields and one array. */
const OTHER: Mapping = {
  ...MAPPING,
  index: 'roles',
  fields: new Map([...MAPPING.fields].filter(([path]) => !/^(status|count|apps)/.test(path))),
  nestedPaths: ['accounts'],
  constants: { _type: 'role', org: 'acme' },
};
const mappingOf = (index: IndexName): Mapping => (index === 'roles' ? OTHER : MAPPING);

let openSearch: OpenSearch;
let folder: string;

before(async () => {
  openSearch = await startOpenSearch();
  folder = mkdtempSync(join(tmpdir(), 'cardea-aggregations-'));
});
after(async () => {
  await openSearch.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function feed(backends: readonly SearchBackend[], random: Random): Promise<void> {
  let sequence = 0;
  for (let round = 0; round < 3; round++) {
    const changes: DocumentChange[] = [];
    for (let i = 0; i < 40; i++) {
      const index = random.pick(INDEXES);
      const id = `d${random.int(60)}`;
      sequence += 1;
      const { id: _, ...members } = randomDocument(random, id);
      const { root, nested } = sourceDocument(id, members, NESTED);
      const document = random.chance(0.15) ? null : { index, id, root, nested };
      changes.push({ sequence, tenantId: TENANT, index, id, document });
    }
    for (const backend of backends) {
      await backend.apply(TENANT, changes);
      await backend.refresh();
    }
  }
}

function planOf(body: unknown, random: Random): Plan {
  const context = { mapping: mappingOf, now: 0, limits: DEFAULT_LIMITS };
  const indices = random.chance(0.5) ? INDEXES : INDEXES.slice(0, 1);
  const { plan } = planAggregate({ indices, aggregationsDsl: body }, { limit: '0' }, context);
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

/** Sums may differ by their rounding. */
function checkSame(found: unknown, expected: unknown, path: string): void {
  if (typeof expected === 'number' && typeof found === 'number') {
    if (/squares|variance|deviation/.test(path)) return;
    const near = Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
    assert.ok(near, `${path}: ${found}, expected ${expected}`);
  } else if (isObject(expected) && isObject(found)) {
    assert.deepEqual(Object.keys(found), Object.keys(expected), path);
    for (const [name, one] of Object.entries(expected)) {
      checkSame(found[name], one, `${path}.${name}`);
    }
  } else assert.deepEqual(found, expected, path);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

test(`both backends aggregate alike, in ${CASES} random cases`, async () => {
  const random = new Random(SEED);
  const mapping = (_tenantId: string, index: IndexName) => mappingOf(index);
  const lastSequence = async () => 0;
  const engine = await openEmbeddedBackend({ path: join(folder, 'a'), mapping, lastSequence });
  const other = openOpenSearchBackend({
    ...{ url: openSearch.url, prefix: 'aggregations', mapping, lastSequence },
  });
  await feed([engine, other], random);
  const faults: string[] = [];
  let served = 0;
  for (let at = 0; at < CASES && faults.length < 5; at++) {
    const body = randomAggregations(random);
    try {
      const plan = planOf(body, random);
      const expected = await engine.search(TENANT, plan, OPTIONS);
      const found = await other.search(TENANT, plan, OPTIONS);
      checkSame(found.aggregations, expected.aggregations, 'aggregations');
      served += 1;
    } catch (error) {
      const refused = error instanceof ServiceError && error.code === 'request_invalid';
      if (refused && / is not served with OpenSearch/.test(error.message)) continue;
      const details = (error as { details?: object }).details ?? '';
      const text = `${error instanceof Error ? error.stack : error}`.slice(0, 1500);
      faults.push(
        `CARDEA_SEED=${SEED} case ${at}: ${JSON.stringify(body)}\n${text} ${JSON.stringify(details)}`,
      );
    }
  }
  await engine.close();
  await other.close();
  assert.equal(faults.join('\n\n'), '');
  assert.ok(served >= CASES / 4, `only ${served} trees were served`);
});

test('more buckets than OpenSearch makes are a limit that is told', async () => {
  const mapping = (_tenantId: string, index: IndexName) => mappingOf(index);
  const lastSequence = async () => 0;
  const backend = openOpenSearchBackend({
    ...{ url: openSearch.url, prefix: 'buckets', mapping, lastSequence },
  });
  const tags = Array.from({ length: 300 }, (_, at) => `tag ${at}`);
  const { root, nested } = sourceDocument('d1', { tags }, NESTED);
  const document = { index: 'identities', id: 'd1', root, nested } as const;
  await backend.apply(TENANT, [
    { sequence: 1, tenantId: TENANT, index: 'identities', id: 'd1', document },
  ]);
  await backend.refresh();
  const terms = { field: 'tags.exact' };
  const body = { pairs: { terms, aggs: { others: { terms } } } };
  const plan = planOf(body, new Random(1));
  await assert.rejects(backend.search(TENANT, plan, OPTIONS), { code: 'limit_exceeded' });
  await backend.close();
});
