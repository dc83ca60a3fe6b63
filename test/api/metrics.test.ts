// suite: alone
// Figures for Prometheus: where they are served, that they count what happened, and that no label tells of a tenant.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';
import { type RunningService, startService } from '../support/service.ts';

const PLANTED = 'plantedvalue';

describe('on the port of the API', () => {
  let service: RunningService;
  before(async () => {
    service = await startService({ CARDEA_METRICS: 'on' });
    await service.addDocuments([
      { _type: 'identity', id: `${PLANTED}1`, name: PLANTED, attributes: { [PLANTED]: PLANTED } },
      { _type: 'role', id: `${PLANTED}2`, name: 'Auditor' },
    ]);
  });
  after(() => service.stop());

  const metrics = async () => (await service.call('GET', '/metrics')).text();
  const scrape = async () => figuresOf(await metrics());
  const search = (body: object, path = '') => service.call('POST', `/v3/search${path}`, body);

  test('requests are counted by method, route and status, whatever they end with', async () => {
    await search({ indices: ['identities'], query: { query: PLANTED } });
    await search({ indices: ['identities'], query: { query: 'a AND (' } });
    await fetch(`${service.url}/v3/auth-users/${PLANTED}`);
    await service.call('GET', `/v3/auth-users/${PLANTED}`);
    for (const method of ['HEAD', 'GET', 'GET']) {
      await service.call(method, `/v2025/search/roles/${PLANTED}2`);
    }
    await service.call('GET', `/search/v1/roles/${PLANTED}2`);
    await fetch(`${service.url}/${PLANTED}`);
    const figures = await scrape();
    const requests = (method: string, route: string, status: string) =>
      figures.value('cardea_http_requests_total', { method, route, status });
    assert.equal(requests('POST', '/v3/search', '200'), 1);
    assert.equal(requests('POST', '/v3/search', '400'), 1);
    assert.equal(requests('GET', '/v3/auth-users/:id', '401'), 1);
    assert.equal(requests('GET', '/v3/auth-users/:id', '404'), 1);
    assert.equal(requests('HEAD', '/v2025/search/:index/:id', '200'), 1);
    assert.equal(requests('GET', '/v2025/search/:index/:id', '200'), 2);
    assert.equal(requests('GET', '/search/v1/:index/:id', '200'), 1);
    assert.equal(requests('GET', 'other', '404'), 1);
    const labels = { method: 'POST', route: '/v3/search' };
    assert.equal(figures.value('cardea_http_request_duration_seconds_count', labels), 2);
  });

  test('searches are counted by kind, and their stages are timed where they went well', async () => {
    const before = await scrape();
    const indices = ['identities'];
    await search({ indices, query: { query: '*' } });
    await search({ indices, queryType: 'DSL', queryDsl: { match_all: {} } });
    await search({ indices, queryType: 'TEXT', textQuery: { terms: ['x'], fields: ['name'] } });
    await search({
      ...{ indices, queryType: 'TYPEAHEAD' },
      typeAheadQuery: { query: 'p', field: 'name' },
    });
    await search({ indices, queryType: PLANTED });
    await search({ indices, query: { query: '*' } }, '/count');
    await search(
      { indices, query: { query: '*' }, aggregationsDsl: { n: { terms: { field: 'name' } } } },
      '/aggregate',
    );
    await search({ indices, query: { query: '*' } }, '/explain');
    const figures = await scrape();
    const grown = (name: string, labels: Record<string, string>) =>
      (figures.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    const kinds = ['sailpoint', 'dsl', 'text', 'typeahead', 'other'];
    for (const query_type of kinds) {
      const labels = { operation: 'search', query_type };
      assert.equal(grown('cardea_searches_total', labels), 1, query_type);
    }
    for (const operation of ['count', 'aggregate', 'explain']) {
      const labels = { operation, query_type: 'sailpoint' };
      assert.equal(grown('cardea_searches_total', labels), 1, operation);
    }
    const stages = 'cardea_search_stage_duration_seconds_count';
    assert.equal(grown(stages, { operation: 'search', stage: 'plan' }), 4);
    assert.equal(grown(stages, { operation: 'search', stage: 'present' }), 4);
    assert.equal(grown(stages, { operation: 'count', stage: 'search' }), 1);
    assert.equal(grown(stages, { operation: 'aggregate', stage: 'search' }), 1);
  });

  test('the index, its caches and the process are told as they are', async () => {
    const text = await metrics();
    const figures = figuresOf(text);
    const live = { index: 'identities', state: 'live' };
    assert.equal(figures.value('cardea_documents', live), 1);
    assert.ok(Number(figures.value('cardea_segments', { index: 'roles' })) >= 1);
    assert.equal(figures.value('cardea_index_lag_changes', {}), 0);
    assert.equal(figures.value('cardea_index_lag_seconds', {}), 0);
    assert.equal(figures.value('cardea_index_feeder', {}), 1);
    assert.ok(figures.value('cardea_merges_total', {}) !== undefined);
    assert.match(text, /# HELP cardea_cache_hits_total Lookups that a cache answered/);
    assert.match(text, /# HELP cardea_cache_misses_total Lookups that a cache missed/);
    const cache = { cache: 'sources' };
    const hits = (of: typeof figures) => Number(of.value('cardea_cache_hits_total', cache));
    // Documents are cached once their segment is in a file.
    await eventually(async () => {
      await search({ indices: ['identities'], query: { query: PLANTED } });
      assert.ok(hits(await scrape()) > hits(figures), 'a source read again is a hit');
    });
    assert.ok(Number((await scrape()).value('cardea_cache_bytes', cache)) > 0);
    assert.ok(Number(figures.value('process_resident_memory_bytes', {})) > 1e6);
    assert.ok(figures.value('nodejs_eventloop_lag_p99_seconds', {}) !== undefined);
  });

  test('readiness, reachable parts, disk and backups are told', async () => {
    const before = await scrape();
    assert.equal(before.value('cardea_ready', {}), 1);
    for (const part of ['store', 'search']) {
      assert.equal(before.value('cardea_reachable', { part }), 1, part);
    }
    const [free, size] = ['free', 'size'].map((what) =>
      Number(before.value(`cardea_disk_${what}_bytes`, {})),
    );
    assert.ok(size && free !== undefined && size >= free);
    const backup = 'cardea_last_backup_timestamp_seconds';
    assert.equal(before.value(backup, { store: 'sqlite' }), 0, 'there was none');
    const directory = join(service.dataDir, 'backup');
    const now = Date.parse('2026-05-04T03:02:01Z');
    const made = commandLine(['backup', directory, '--data-dir', service.dataDir], {
      now: () => now,
    });
    assert.equal(await made.ended, 0, made.err());
    assert.equal((await scrape()).value(backup, { store: 'sqlite' }), now / 1_000);
    const verified = commandLine(['backup', '--verify', directory, '--data-dir', service.dataDir]);
    assert.equal(await verified.ended, 0, verified.err());
    assert.equal((await scrape()).value(backup, { store: 'sqlite' }), now / 1_000);
    writeFileSync(join(service.dataDir, 'last-backup.json'), '{');
    assert.equal((await scrape()).value(backup, { store: 'sqlite' }), 0);
  });

  test('no name of a tenant and nothing that anybody sent stands in it', async () => {
    await service.call('GET', `/v3/search/identities/${PLANTED}1?x=${PLANTED}`);
    const text = await metrics();
    for (const secret of [PLANTED, service.tenantId, service.adminId, service.clientId]) {
      assert.ok(!text.includes(secret), secret);
    }
  });
});

test('a port of their own serves them and nothing else, and the API does not', async () => {
  const service = await startService();
  const config = parseConfig({
    ...{ CARDEA_PORT: '0', CARDEA_METRICS: '0', CARDEA_LOG_LEVEL: 'silent' },
    CARDEA_DATA_DIR: `${service.dataDir}/other`,
  });
  const cardea = await compose(config);
  try {
    assert.equal((await fetch(`${service.url}/metrics`)).status, 404);
    const { url, metricsUrl } = await cardea.start();
    assert.ok(metricsUrl);
    assert.match(metricsUrl, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    assert.equal((await fetch(`${url}/metrics`)).status, 404);
    const answer = await fetch(metricsUrl);
    assert.match(String(answer.headers.get('content-type')), /^text\/plain; version=0\.0\.4/);
    assert.equal(
      figuresOf(await answer.text()).value('cardea_build_info', { version: 'unknown' }),
      1,
    );
    assert.equal((await fetch(new URL('/health', metricsUrl))).status, 404);
    assert.equal((await fetch(metricsUrl, { method: 'POST' })).status, 404);
  } finally {
    await cardea.stop();
    await service.stop();
  }
});

test('what is refused for want of a share is counted by reason', async () => {
  const service = await startService({ CARDEA_METRICS: 'on', CARDEA_STALL_MS: '1000' });
  try {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    socket.resume();
    await eventually(async () => {
      const answer = await service.call('GET', '/metrics');
      const figures = figuresOf(await answer.text());
      assert.equal(figures.value('cardea_refused_total', { reason: 'slow_body' }), 1);
    });
    socket.destroy();
  } finally {
    await service.stop();
  }
});
