import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { ServiceError } from '../../../errors.ts';
import { OpenSearchClient, OpenSearchFault, OpenSearchTimeout, serviceError } from './client.ts';

let server: Server | undefined;
let client: OpenSearchClient | undefined;

afterEach(end);

async function end(): Promise<void> {
  await client?.close();
  client = undefined;
  server?.closeAllConnections();
  server?.close();
}

/** Starts a server that gives this answer, or none if `status` is null, and a client of it. */
async function answering(
  status: number | null,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<{ client: OpenSearchClient; received: Promise<unknown>; aborted: Promise<unknown> }> {
  const httpServer = createServer((_request, response) => {
    if (status === null) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  server = httpServer;
  const received = once(httpServer, 'request');
  const aborted = once(httpServer, 'connection').then(([socket]) => once(socket, 'close'));
  await once(httpServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = httpServer.address() as AddressInfo;
  client = new OpenSearchClient(`http://127.0.0.1:${port}`);
  return { client, received, aborted };
}

const ping = (one: OpenSearchClient, timeoutMs = 60_000, signal?: AbortSignal) =>
  one.send({ method: 'GET', path: '/' }, { timeoutMs, signal });

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return assert.fail('it did not fail');
}

const exception = (type: string, reason: string) => ({ error: { type, reason } });
const shards = (type: string) => ({
  error: {
    ...exception('search_phase_execution_exception', 'all shards failed').error,
    failed_shards: [{ reason: { type: 'x', reason: 'y', caused_by: { type, reason: 'z' } } }],
  },
});

test('a cluster that cannot serve is unavailable, with a time to retry', async () => {
  const cases = [
    [429, exception('rejected_execution', 'queue'), { 'retry-after': '7' }, 7, /queue/],
    [429, exception('circuit_breaking_exception', 'Data too large'), {}, 2, /Data too large/],
    [503, shards('no_shard_available_action_exception'), {}, 2, /no_shard_available/],
    [500, exception('io_exception', 'disk'), {}, 2, /disk/],
    [404, exception('index_not_found_exception', 'no such index'), {}, 2, /no such index/],
    [401, { error: 'Unauthorized' }, {}, 2, /Unauthorized/],
  ] as const;
  for (const [status, body, headers, seconds, cause] of cases) {
    const { client: each } = await answering(status, body, headers);
    const fault = serviceError(await faultOf(ping(each)));
    assert.ok(fault instanceof ServiceError, String(fault));
    assert.equal(fault.code, 'unavailable');
    assert.equal(fault.details.retryAfterSeconds, seconds);
    assert.match(String(fault.details.causes), cause);
    await end();
  }
});

test('a cluster that has too many shards is unavailable, and says what to do', async () => {
  const reason =
    'Validation Failed: 1: this action would add [2] total shards, but this cluster currently has [999]/[1000] maximum shards open;';
  const { client: full } = await answering(400, exception('validation_exception', reason));
  const fault = serviceError(await faultOf(ping(full)));
  assert.ok(fault instanceof ServiceError && fault.code === 'unavailable');
  assert.match(String(fault.details.causes), /Raise cluster\.max_shards_per_node/);
});

test('an answer that is not one of OpenSearch is unavailable', async () => {
  for (const [status, type, text] of [
    [200, 'text/html', '<html>Maintenance</html>'],
    [200, 'application/json', 'null'],
    [302, 'text/html', ''],
  ] as const) {
    const httpServer = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(text);
    });
    server = httpServer;
    await once(httpServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = httpServer.address() as AddressInfo;
    client = new OpenSearchClient(`http://127.0.0.1:${port}`);
    const fault = await faultOf(ping(client));
    assert.ok(fault instanceof ServiceError && fault.code === 'unavailable', text);
    await end();
  }
});

test('a query that exceeds a limit of OpenSearch is limit_exceeded', async () => {
  const { client: rejected } = await answering(400, shards('too_complex_to_determinize_exception'));
  const fault = serviceError(await faultOf(ping(rejected)));
  assert.ok(fault instanceof ServiceError && fault.code === 'limit_exceeded');
});

test('a request that OpenSearch rejects as invalid stays an OpenSearchFault', async () => {
  const { client: rejected } = await answering(
    400,
    exception('parsing_exception', 'unknown query'),
  );
  const fault = serviceError(await faultOf(ping(rejected)));
  assert.ok(fault instanceof OpenSearchFault && fault.type === 'parsing_exception');
});

test('a request without an answer in time is aborted, and its connection closed', async () => {
  const { client: silent, aborted } = await answering(null);
  assert.ok((await faultOf(ping(silent, 500))) instanceof OpenSearchTimeout);
  await aborted;
});

test('a caller that cancels aborts the request', async () => {
  const { client: silent, received, aborted } = await answering(null);
  const controller = new AbortController();
  const fault = faultOf(ping(silent, 60_000, controller.signal));
  await received;
  controller.abort();
  const error = await fault;
  assert.ok(error instanceof ServiceError && error.code === 'cancelled');
  await aborted;
});

test('a server that does not listen is unavailable', async () => {
  const { client: stopped } = await answering(200);
  server?.close();
  server?.closeAllConnections();
  const fault = await faultOf(ping(stopped));
  assert.ok(fault instanceof ServiceError && fault.code === 'unavailable');
});

test('answers that arrive in pieces at the same time are kept apart', async () => {
  const PIECES = 40;
  const textOf = (path: string) => path.repeat(4_000);
  const httpServer = createServer(({ url = '' }, response) => {
    let left = PIECES;
    const next = () => {
      if (left-- === 0) return void response.end();
      response.write(textOf(url));
      setImmediate(next);
    };
    next();
  });
  server = httpServer;
  await once(httpServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = httpServer.address() as AddressInfo;
  const one = new OpenSearchClient(`http://127.0.0.1:${port}`);
  client = one;
  const paths = Array.from({ length: 8 }, (_, at) => `/${at}`);
  const answers = await Promise.all(
    paths.map((path) => one.sendForBytes({ method: 'GET', path }, { timeoutMs: 60_000 })),
  );
  for (const [at, path] of paths.entries()) {
    assert.ok(answers[at]?.bytes.equals(Buffer.from(textOf(path).repeat(PIECES))), path);
  }
});

test('closing ends a request that waits for an answer, and refuses those after it', async () => {
  const { client: one, received, aborted } = await answering(null);
  const both = [ping(one), one.sendForBytes({ method: 'GET', path: '/' }, { timeoutMs: 60_000 })];
  const faults = Promise.all(both.map(faultOf));
  await received;
  await one.close();
  client = undefined;
  await aborted;
  for (const fault of [...(await faults), await faultOf(ping(one))]) {
    assert.ok(fault instanceof ServiceError);
    assert.equal(fault.code, 'unavailable');
    assert.match(String(fault.details.causes), /closed/);
  }
});
