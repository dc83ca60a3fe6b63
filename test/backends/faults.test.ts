// OpenSearch killed, held and emptied under the whole service (robustness line 36): searches answer 503 with
// Retry-After, writes are acknowledged all the while, and what waited is searchable once it is back, all of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createTenant } from '../../src/service/accounts/provisioning.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { type OpenSearch, startOpenSearch } from '../support/opensearch.ts';
import { lines, type RunningService, startService } from '../support/service.ts';

const BACK_MS = 240_000;
/** Shorter than the timeout of a bulk request. */
const STOPPED_MS = 45_000;
let openSearch: OpenSearch;
let service: RunningService;
let written = 0;

before(async () => {
  openSearch = await startOpenSearch();
  service = await startService({
    CARDEA_SEARCH_URL: openSearch.url,
    CARDEA_QUERY_TIMEOUT_MS: '2000',
  });
});
after(async () => {
  await service.stop();
  await openSearch.stop();
});
beforeEach(async () => {
  await write(20);
  await eventually(async () => (await total()) === written);
});

const role = (number: number) => ({
  _type: 'role',
  id: `r${String(number).padStart(5, '0')}`,
  name: `Role ${number}`,
  entitlementCount: number,
});

/** Writes roles over HTTP. */
const write = (count: number): Promise<void> =>
  put(Array.from({ length: count }, () => role(++written)));

/** Must be acknowledged. */
async function put(documents: readonly object[]): Promise<void> {
  const lines = documents.map((document) => JSON.stringify(document));
  const count = lines.length;
  const answer = await service.call('POST', '/admin/v1/documents', lines.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  const report = (await answer.json()) as { readonly created: number };
  assert.equal(report.created, count);
}

const search = () =>
  service.call('POST', '/v2024/search?limit=10000&count=true', {
    indices: ['roles'],
    query: { query: '*' },
    sort: ['id'],
  });

async function total(): Promise<number | null> {
  const answer = await search();
  await answer.arrayBuffer();
  return answer.ok ? Number(answer.headers.get('x-total-count')) : null;
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + BACK_MS; Date.now() < end; ) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail('it never came true');
}

async function assertUnavailable(): Promise<void> {
  const answer = await search();
  assert.equal(answer.status, 503, await answer.text());
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** Every role ever written, once, in order. */
async function assertAllThere(): Promise<void> {
  await eventually(async () => (await total()) === written);
  const found = (await (await search()).json()) as { readonly entitlementCount: number }[];
  const expected = Array.from({ length: written }, (_, at) => at + 1);
  assert.deepEqual(
    found.map(({ entitlementCount }) => entitlementCount),
    expected,
  );
  await eventually(async () => (await service.call('GET', '/ready')).status === 200);
}

test('killed while it is fed and searched: 503, writes go on, then all is there', async () => {
  const statuses = new Set<number>();
  let asking = true;
  const asked = (async () => {
    while (asking) {
      const answer = await search();
      await answer.arrayBuffer();
      statuses.add(answer.status);
    }
  })();
  for (let round = 0; round < 10; round++) await write(50);
  const killed = openSearch.kill();
  for (let round = 0; round < 10; round++) await write(50);
  await killed;
  await assertUnavailable();
  await eventually(async () => (await service.call('GET', '/ready')).status === 503);
  await write(50);
  await openSearch.restart();
  asking = false;
  await asked;
  assert.deepEqual([...statuses].sort(), [200, 503]);
  await assertAllThere();
});

test('held, so that it takes requests and answers none: 503', async () => {
  openSearch.suspend();
  try {
    await assertUnavailable();
    await write(50);
  } finally {
    openSearch.resume();
  }
  await assertAllThere();
});

test('held while a node stops: the stop ends, and the next start feeds what is missing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-faults-'));
  const search = { CARDEA_SEARCH_URL: openSearch.url, CARDEA_SEARCH_PREFIX: 'stopped' };
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', ...search });
  const log = pino({ level: 'silent' });
  try {
    const first = await compose(config, { log });
    const tenant = await createTenant(first.store, { name: 'held' });
    await first.start();
    const before = await first.documents.importDocuments(operatorOf(tenant.id), lines([role(0)]));
    await first.services.status.waitUntilSearchable(before.sequence, BACK_MS);
    openSearch.suspend();
    const { sequence } = await first.documents.importDocuments(
      operatorOf(tenant.id),
      lines([role(1)]),
    );
    const end = AbortSignal.timeout(STOPPED_MS);
    await Promise.race([
      first.stop(),
      once(end, 'abort').then(() => assert.fail('it waits for OpenSearch')),
    ]);
    openSearch.resume();
    const second = await compose(config, { log });
    await second.start();
    await second.services.status.waitUntilSearchable(sequence, BACK_MS);
    await second.stop();
  } finally {
    openSearch.resume();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('emptied: nothing is answered before everything has been fed again', async () => {
  await openSearch.kill();
  await openSearch.restart('lost');
  await eventually(async () => {
    const found = await total();
    assert.ok(found === null || found === written, `${found} of ${written}`);
    return found !== null;
  });
  await assertAllThere();
});

test('an index deleted behind its back is filled again', async () => {
  const names = await fetch(`${openSearch.url}/_cat/indices/cardea-*roles*?h=index`);
  const name = (await names.text()).trim();
  assert.equal((await fetch(`${openSearch.url}/${name}`, { method: 'DELETE' })).status, 200);
  await assertUnavailable();
  await write(1);
  await assertAllThere();
});

const found = async (query: string): Promise<number | null> => {
  const body = { indices: ['events'], query: { query } };
  const answer = await service.call('POST', '/v2024/search?count=true', body);
  await answer.arrayBuffer();
  return answer.ok ? Number(answer.headers.get('x-total-count')) : null;
};

const event = (id: string, attributes: object) => ({ _type: 'event', id, name: id, attributes });

test('attributes that nobody knew before can be asked for, as what they read as', async () => {
  await put([event('e1', { 'cost center': 'R&D', 'due*': '2024-05-01', level: 3, share: 7.5 })]);
  await put([event('e2', { level: 'many', 'due*': 'never', team: { lead: 'Ada Lovelace' } })]);
  await eventually(async () => (await found('attributes.team.lead:ada')) === 1);
  assert.equal(await found('attributes.due\\*:[2024-01-01 TO 2024-12-31]'), 1);
  assert.equal(await found('attributes.level:3'), 1);
  assert.equal(await found('attributes.cost\\ center.exact:R\\&D'), 1);
  assert.equal(await found('attributes.share:>5'), 1);
});

test('a field that somebody mapped otherwise: the indexes are made anew', async () => {
  const properties = { attributes: { properties: { badge: { type: 'long' } } } };
  const names = await fetch(`${openSearch.url}/_cat/indices/cardea-*events*?h=index`);
  const mapped = await fetch(`${openSearch.url}/${(await names.text()).trim()}/_mapping`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties }),
  });
  assert.equal(mapped.status, 200);
  await put([event('e3', { badge: 'blue' })]);
  await eventually(
    async () =>
      (await found('attributes.badge:blue')) === 1 && (await found('attributes.level:3')) === 1,
  );
  await assertAllThere();
});
