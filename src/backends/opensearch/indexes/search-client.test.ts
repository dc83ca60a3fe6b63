// Many searches in one request: how they are sent, and that one failure fails all.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { ServiceError } from '../../../errors.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { Deadline } from '../../../scheduling/deadline.ts';
import { OpenSearchClient } from '../requests/client.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';
import { SearchClient } from './search-client.ts';

const TARGET: OpenTarget = {
  ...{ index: 'identities', query: { kind: 'matchAll' }, concreteIndex: 'cardea-acme-v3' },
  mapping: staticMapping('identities', { name: 'acme', pod: 'cardea' }),
};
const OPTIONS = { deadline: new Deadline(3_600_000) };
const FOUND = { timed_out: false, _shards: { failed: 0 }, hits: { hits: [] } };

let server: Server | undefined;
let client: OpenSearchClient | undefined;

afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  server?.close();
});

/** An searchClient of a server with these answers; `requests` are the lines of each request. */
async function answering(answer: (search: unknown) => object) {
  const requests: string[][] = [];
  let gone = 0;
  const opened: string[] = [];
  const httpServer = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
      requests.push(lines);
      const bodies = lines.filter((_, at) => at % 2 === 1);
      const responses = bodies.map((body) => answer(JSON.parse(body)));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ responses }));
    });
  });
  server = httpServer;
  await once(httpServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = httpServer.address() as AddressInfo;
  client = new OpenSearchClient(`http://127.0.0.1:${port}`);
  const searchClient = new SearchClient(client, {
    onGone() {
      gone += 1;
    },
    async open(names) {
      opened.push(...names);
    },
  });
  return { searchClient, requests, opened, goneCount: () => gone };
}

test('sends many searches in few requests and returns the answers in order', async () => {
  const { searchClient, requests } = await answering((search) => ({ ...FOUND, search }));
  const bodies = Array.from({ length: 450 }, (_, size) => ({ size }));
  const answers = await searchClient.within(OPTIONS).multiSearch(TARGET, bodies);
  assert.deepEqual(
    answers.map((answer) => (answer as unknown as { search: unknown }).search),
    bodies,
  );
  assert.deepEqual(
    requests.map((lines) => lines.length / 2),
    [200, 200, 50],
  );
  const [head = ''] = requests[0] ?? [];
  const { index, allow_partial_search_results: partial } = JSON.parse(head);
  assert.deepEqual([index, partial], ['cardea-acme-v3', false]);
});

test('asks for the statistics of all shards where there are several', async () => {
  const { searchClient, requests } = await answering(() => FOUND);
  for (const shards of [1, 2]) {
    await searchClient.within(OPTIONS).multiSearch({ ...TARGET, shards }, [{ size: 0 }]);
  }
  const types = requests.map(([head = '{}']) => JSON.parse(head).search_type);
  assert.deepEqual(types, [undefined, 'dfs_query_then_fetch']);
});

test('a page that there is no memory for fails with the error of the memory', async () => {
  const hits = [{ sort: ['x'.repeat(2_000_000)] }];
  const httpServer = createServer((_request, response) => {
    response.end(JSON.stringify({ ...FOUND, hits: { hits } }));
  });
  server = httpServer;
  await once(httpServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = httpServer.address() as AddressInfo;
  client = new OpenSearchClient(`http://127.0.0.1:${port}`);
  const searchClient = new SearchClient(client, { onGone() {}, async open() {} });
  const holdBytes = () => {
    throw new ServiceError('unavailable', 'There is no memory.');
  };
  const refused = searchClient.within({ ...OPTIONS, memory: { holdBytes } }).search([TARGET], {});
  await assert.rejects(refused, { code: 'unavailable', message: 'There is no memory.' });
  const { hits: found } = await searchClient.within(OPTIONS).search([TARGET], {});
  assert.equal(found.hits.length, 1);
});

test('opens a closed index and repeats the request', async () => {
  const closed = { status: 400, error: { type: 'index_closed_exception', reason: 'closed' } };
  let searches = 0;
  const { searchClient, requests, opened } = await answering(() => {
    searches += 1;
    return searches === 1 ? closed : FOUND;
  });
  const answers = await searchClient.within(OPTIONS).multiSearch(TARGET, [{ size: 0 }]);
  assert.deepEqual([answers.length, requests.length], [1, 2]);
  assert.deepEqual(opened, [TARGET.concreteIndex]);
});

test('an index that is closed again at once is unavailable', async () => {
  const closed = { status: 400, error: { type: 'index_closed_exception', reason: 'closed' } };
  const { searchClient, requests } = await answering(() => closed);
  const answers = searchClient.within(OPTIONS).multiSearch(TARGET, [{ size: 0 }]);
  await assert.rejects(answers, { code: 'unavailable' });
  assert.equal(requests.length, 2);
});

test('sends large searches in requests of their own', async () => {
  const { searchClient, requests } = await answering(() => FOUND);
  const text = 'x'.repeat(3 * 1024 * 1024);
  await searchClient.within(OPTIONS).multiSearch(TARGET, [{ text }, { text }, { size: 0 }]);
  assert.deepEqual(
    requests.map((lines) => lines.length / 2),
    [1, 2],
  );
});

const FAILING: readonly (readonly [code: string, answer: object, gone: number])[] = [
  ['unavailable', { status: 404, error: { type: 'index_not_found_exception' } }, 1],
  ['limit_exceeded', { status: 400, error: { type: 'too_many_buckets_exception' } }, 0],
  ['deadline_exceeded', { status: 400, error: { type: 'task_cancelled_exception' } }, 0],
  ['unavailable', { ...FOUND, _shards: { failed: 1 } }, 0],
  ['unavailable', { ...FOUND, timed_out: true }, 0],
];

for (const [code, answer, gone] of FAILING) {
  test(`one failed search fails all: ${JSON.stringify(answer).slice(0, 60)}`, async () => {
    const { searchClient, goneCount } = await answering((search) =>
      'fails' in (search as object) ? answer : FOUND,
    );
    const answers = searchClient
      .within(OPTIONS)
      .multiSearch(TARGET, [{ size: 0 }, { fails: true }]);
    await assert.rejects(answers, { code });
    assert.equal(goneCount(), gone);
  });
}

const FOREIGN: readonly (readonly [status: number, text: string])[] = [
  [200, '<html>Maintenance</html>'],
  [200, '{"status":"ok"}'],
  [200, 'null'],
  [302, ''],
];
for (const [status, text] of FOREIGN) {
  test(`an answer ${status} '${text}' of another program than OpenSearch is unavailable`, async () => {
    const httpServer = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(text));
    });
    server = httpServer;
    await once(httpServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = httpServer.address() as AddressInfo;
    client = new OpenSearchClient(`http://127.0.0.1:${port}`);
    const { search } = new SearchClient(client, { onGone() {}, async open() {} }).within(OPTIONS);
    await assert.rejects(search([TARGET], {}), { code: 'unavailable' });
  });
}

/** A server that does not answer searches; `answers` decides about its n-th GET request. */
async function silentOnSearches(answers: (at: number) => boolean): Promise<SearchClient> {
  let requests = 0;
  const httpServer = createServer((request, response) => {
    if (request.method !== 'GET') return;
    requests += 1;
    if (!answers(requests)) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server = httpServer;
  await once(httpServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = httpServer.address() as AddressInfo;
  client = new OpenSearchClient(`http://127.0.0.1:${port}`);
  return new SearchClient(client, { onGone() {}, async open() {} });
}

const OUT_OF_TIME: readonly [string, (at: number) => boolean, string, RegExp][] = [
  ['of a cluster that answers other requests', () => true, 'deadline_exceeded', /longer than 2 s$/],
  ['of a cluster that answers no request', () => false, 'unavailable', /./],
  ['of a cluster that recovers at the end', (at) => at > 1, 'unavailable', /./],
];
for (const [name, answers, code, message] of OUT_OF_TIME) {
  test(`a search that runs out of time ${name} is ${code}`, async () => {
    const searchClient = await silentOnSearches(answers);
    await assert.rejects(
      searchClient.within({ deadline: new Deadline(2_000) }).search([TARGET], {}),
      {
        code,
        message,
      },
    );
  });
}
