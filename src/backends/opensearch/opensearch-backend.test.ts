// A backend on a server that answers as an OpenSearch with one index of roles would.

import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { planOf } from '../../../test/contract/backend-world.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { searchOptions } from '../../../test/support/search-options.ts';
import { staticMapping } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { SearchBackend } from '../../service/ports/search-backend.ts';
import { FIRST_GENERATION } from './indexes/committed-state.ts';
import { openOpenSearchBackend } from './opensearch-backend.ts';
import { FORMAT } from './requests/index-template.ts';

const ALIAS = 'cardea-acme-roles';
const NAME = `${ALIAS}-${FIRST_GENERATION}`;
const MARK = { prefix: 'cardea', alias: ALIAS, format: FORMAT, generation: FIRST_GENERATION };
const VERSION = { _seq_no: 1, _primary_term: 1 };
const COMMITTED = { sequence: 5, covered: 5, rebuildUntil: null, indexes: { [ALIAS]: 'uuid' } };
const FOUND = { timed_out: false, _shards: { failed: 0 }, hits: { hits: [], total: { value: 0 } } };

interface Reply {
  readonly status?: number;
  /** Milliseconds before the answer. */
  readonly afterMs?: number;
  readonly body: object;
}

/** By the beginning of `METHOD /path`. */
const CLUSTER: readonly (readonly [request: string, reply: Reply])[] = [
  [
    'GET /_cluster/settings',
    { body: { persistent: { 'indices.query.bool.max_clause_count': '65536' } } },
  ],
  ['GET /_cluster/health', { body: { number_of_data_nodes: 1 } }],
  [
    'GET /cardea-state/_doc/current',
    { body: { _source: { generation: FIRST_GENERATION, listing: 1 }, ...VERSION } },
  ],
  ['GET /cardea-state/_doc/committed', { body: { _source: COMMITTED, ...VERSION } }],
  ['GET /cardea-*/_settings', { body: { [NAME]: { settings: { 'index.uuid': 'uuid' } } } }],
  [`GET /${NAME}/_mapping`, { body: { [NAME]: { mappings: { _meta: { cardea: MARK } } } } }],
];

interface Answering {
  readonly replies?: typeof CLUSTER;
  search?(request: IncomingMessage, body: string, response: ServerResponse): void;
}

/** A backend on a server with these replies; others are those of `CLUSTER`. */
async function backendOf(t: TestContext, { replies = [], search }: Answering) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    if (request.url?.includes('/_search') && search) return search(request, text, response);
    const line = `${request.method} ${request.url}`;
    const [, reply] = [...replies, ...CLUSTER].find(([start]) => line.startsWith(start)) ?? [];
    const { status = 200, afterMs = 0, body } = reply ?? { status: 404, body: {} };
    if (afterMs > 0) await pause(afterMs);
    return send(response, body, status);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const backend: SearchBackend = openOpenSearchBackend({
    ...{ url: `http://127.0.0.1:${port}`, prefix: 'cardea' },
    mapping: (tenantId, index) => staticMapping(index, { name: tenantId, pod: 'cardea' }),
    lastSequence: async () => 5,
  });
  t.after(async () => {
    await backend.close();
    server.closeAllConnections();
    server.close();
  });
  return backend;
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

test('a search has the time that is left when the indexes are known', async (t) => {
  let left = '';
  const backend = await backendOf(t, {
    replies: [['GET /_cluster/health', { afterMs: 500, body: { number_of_data_nodes: 1 } }]],
    search: ({ url = '' }, _body, response) => {
      left = new URL(url, 'http://localhost').searchParams.get('cancel_after_time_interval') ?? '';
      send(response, FOUND);
    },
  });
  const options = { ...searchOptions(), deadline: new Deadline(60_000) };
  await backend.search('acme', planOf(), options);
  assert.match(left, /^\d+ms$/);
  assert.ok(Number.parseInt(left, 10) <= 59_500, left);
});

const AGGREGATING: Plan = {
  ...planOf(),
  targets: [
    {
      index: 'roles',
      query: { kind: 'matchAll' },
      aggregations: { many: { kind: 'valueCount', source: { kind: 'id' } } },
    },
  ],
  maxBuckets: 100,
};

test('aggregations without hits are one request, which ends with its caller', async (t) => {
  const running: ServerResponse[] = [];
  const backend = await backendOf(t, {
    search: (_request, _body, response) => running.push(response),
  });
  const alone = { ...AGGREGATING, size: 0, trackTotal: false };
  const search = backend.search('acme', alone, searchOptions());
  await eventually(() => assert.equal(running.length, 1));
  const [first] = running;
  assert.ok(first);
  send(first, { ...FOUND, aggregations: { a0: { value: 3 } } });
  const { hits, total, aggregations } = await search;
  assert.deepEqual([hits, total, aggregations?.value()], [[], null, { many: { value: 3 } }]);
  const caller = new AbortController();
  const options = { ...searchOptions(), signal: caller.signal };
  const ended = assert.rejects(backend.search('acme', alone, options), { code: 'cancelled' });
  await eventually(() => assert.equal(running.length, 2));
  caller.abort();
  await ended;
});

test('aggregations are not continued after their hits have failed', async (t) => {
  const waiting: { hits?: ServerResponse; aggregations?: ServerResponse } = {};
  const backend = await backendOf(t, {
    search: (_request, body, response) => {
      waiting[body.includes('"aggs"') ? 'aggregations' : 'hits'] = response;
      if (waiting.hits === undefined || waiting.aggregations === undefined) return;
      const error = { type: 'circuit_breaking_exception', reason: 'Data too large' };
      send(waiting.hits, { error }, 429);
    },
  });
  // Its signal is used again for others.
  const caller = new AbortController();
  const options = { ...searchOptions(), signal: caller.signal };
  await assert.rejects(backend.search('acme', AGGREGATING, options), { code: 'unavailable' });
  assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
  const { aggregations } = waiting;
  assert.ok(aggregations);
  const signal = AbortSignal.timeout(20_000);
  if (!aggregations.closed) await once(aggregations, 'close', { signal });
});

test('a search with aggregations ends with its caller, before and while it runs', async (t) => {
  const running: ServerResponse[] = [];
  const backend = await backendOf(t, {
    search: (_request, _body, response) => running.push(response),
  });
  const caller = new AbortController();
  const options = { ...searchOptions(), signal: caller.signal };
  const search = backend.search('acme', AGGREGATING, options);
  await eventually(() => assert.equal(running.length, 2));
  caller.abort();
  await assert.rejects(search, { code: 'cancelled' });
  await eventually(() => assert.ok(running.every(({ closed }) => closed)));
  await assert.rejects(backend.search('acme', AGGREGATING, options), { code: 'cancelled' });
  assert.equal(running.length, 2);
});

test('the holdings of closed indexes that cannot be opened are unavailable', async (t) => {
  const closed = { error: { type: 'index_closed_exception', reason: 'closed' } };
  const blocked = { error: { type: 'cluster_block_exception', reason: 'blocked' } };
  const backend = await backendOf(t, {
    replies: [
      [`GET /${NAME}/_count`, { status: 400, body: closed }],
      [`GET /${NAME}/_stats`, { status: 400, body: closed }],
      [`POST /${NAME}/_open`, { status: 403, body: blocked }],
    ],
  });
  await assert.rejects(backend.holdings('acme'), { code: 'unavailable' });
});

test('the holdings of indexes that are closed again at once are unavailable', async (t) => {
  const closed = { error: { type: 'index_closed_exception', reason: 'closed' } };
  const backend = await backendOf(t, {
    replies: [
      [`GET /${NAME}/_count`, { status: 400, body: closed }],
      [`GET /${NAME}/_stats`, { status: 400, body: closed }],
      [`POST /${NAME}/_open`, { body: {} }],
    ],
  });
  await assert.rejects(backend.holdings('acme'), { code: 'unavailable' });
});
