// suite: slow
// Traces as a collector gets them: the tree of a request, the caller's trace gone on with, nothing of a tenant in it, and a
// collector that is away holds nobody up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type Span as Ended, OtlpExporter } from '../../src/telemetry/otlp-exporter.ts';
import { type RunningService, startService } from '../support/service.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number };
  readonly attributes: readonly {
    key: string;
    value: { stringValue?: string; intValue?: string };
  }[];
}

/** Answers like a collector and keeps what it got. */
class Collector {
  readonly spans: Span[] = [];
  readonly texts: string[] = [];
  status = 200;
  readonly #server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    assert.equal(request.url, '/v1/traces');
    assert.equal(request.headers['content-type'], 'application/json');
    if (this.status === 200) {
      this.texts.push(text);
      const { resourceSpans } = JSON.parse(text);
      for (const { scopeSpans } of resourceSpans) {
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      }
    }
    response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Of one trace, once its request is there. */
  async trace(traceId: string): Promise<Span[]> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      if (spans.some(({ kind }) => kind === SERVER)) return spans;
      assert.ok(Date.now() < deadline, 'the trace never came');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const SERVER = 2;
const CALLER_SPAN = '00f067aa0ba902b7';
const PLANTED = 'plantedvalue';

describe('a service with a collector', () => {
  const collector = new Collector();
  let service: RunningService;
  before(async () => {
    service = await startService({ CARDEA_OTLP_URL: await collector.start() });
    await service.addDocuments([{ _type: 'role', id: `${PLANTED}1`, name: PLANTED }]);
  });
  after(async () => {
    await service.stop();
    await collector.stop();
  });

  let traces = 0;
  const traceparent = (flags: string) => {
    const traceId = `4bf92f3577b34da6a3ce929d0e0e${String(++traces).padStart(4, '0')}`;
    return { traceId, headers: { traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}` } };
  };
  const search = (headers: Record<string, string>, query = PLANTED) =>
    service.call('POST', '/v3/search', { indices: ['roles'], query: { query } }, headers);
  const textOf = (span: Span | undefined, key: string) => {
    const value = span?.attributes.find((attribute) => attribute.key === key)?.value;
    return value?.stringValue ?? value?.intValue;
  };

  test('a search is a request, below it its stages and what it asked of the store', async () => {
    const { traceId, headers } = traceparent('01');
    assert.equal((await search(headers)).status, 200);
    const spans = await collector.trace(traceId);
    const request = spans.find(({ kind }) => kind === SERVER);
    assert.equal(request?.name, 'POST /v3/search');
    assert.equal(request?.parentSpanId, CALLER_SPAN);
    assert.equal(textOf(request, 'http.response.status_code'), '200');
    const names = spans.map(({ name }) => name);
    for (const name of ['search plan', 'search search', 'search present']) {
      assert.ok(names.includes(name), `${name} of ${names}`);
    }
    assert.ok(
      names.some((name) => name.startsWith('store ')),
      String(names),
    );
    for (const span of spans) {
      assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano));
      if (span !== request) assert.equal(span.parentSpanId, request?.spanId, span.name);
    }
    const age = Date.now() - Number(BigInt(request?.startTimeUnixNano ?? 0) / 1_000_000n);
    assert.ok(Math.abs(age) < 60_000, `${age} ms old`);
  });

  test('searches at once keep their traces apart', async () => {
    const parents = Array.from({ length: 20 }, () => traceparent('01'));
    await Promise.all(parents.map(({ headers }) => search(headers)));
    for (const { traceId } of parents) {
      const spans = await collector.trace(traceId);
      assert.equal(spans.filter(({ name }) => name === 'search search').length, 1);
    }
  });

  test('a write, a refusal and a route that is not there are told as they ended', async () => {
    const made = traceparent('01');
    const patch = [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }];
    const type = { 'content-type': 'application/json-patch+json' };
    const path = `/v3/auth-users/${service.adminId}`;
    assert.equal(
      (await service.call('PATCH', path, patch, { ...made.headers, ...type })).status,
      200,
    );
    const written = await collector.trace(made.traceId);
    assert.ok(written.some(({ name }) => name === 'store write'));
    assert.ok(written.some(({ name }) => name === 'PATCH /v3/auth-users/:id'));
    const lost = traceparent('01');
    await fetch(`${service.url}/${PLANTED}`, { headers: lost.headers });
    const [span] = await collector.trace(lost.traceId);
    assert.equal(span?.name, 'GET other');
    assert.equal(textOf(span, 'http.response.status_code'), '404');
    assert.equal(span?.status, undefined, 'a fault of the caller is none of ours');
  });

  test('what its caller does not record is not recorded; without a caller a trace begins', async () => {
    const { traceId, headers } = traceparent('00');
    await search(headers);
    const next = traceparent('01');
    await search(next.headers);
    await collector.trace(next.traceId);
    assert.ok(!collector.spans.some((span) => span.traceId === traceId));
    const before = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined).length;
    await search({ traceparent: 'nonsense' });
    await service.call('GET', '/health');
    const deadline = Date.now() + 120_000;
    const begun = () => collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    while (begun().length < before + 2) {
      assert.ok(Date.now() < deadline);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test('nothing of a tenant stands in them', () => {
    const sent = collector.texts.join('');
    for (const text of [PLANTED, service.tenantId, service.adminId, service.clientId]) {
      assert.ok(!sent.includes(text), text);
    }
  });
});

describe('a collector that is away or refuses', () => {
  const collector = new Collector();
  const messages: string[] = [];
  const log = {
    info: (_details: object, message: string) => void messages.push(message),
    warn: (_details: object, message: string) => void messages.push(message),
  };
  let url: string;
  beforeEach(async () => {
    url = await collector.start();
    messages.length = 0;
  });
  afterEach(() => collector.stop());

  const span = (n: number): Ended => ({
    ...{ traceId: 'a'.repeat(32), spanId: String(n).padStart(16, '0'), parentId: null },
    ...{ name: 'n', kind: 'internal', start: 1_000, end: 2_000, failed: true, attributes: {} },
  });

  test('is told of once, costs a bounded memory, and gets what comes after', async () => {
    const exporter = new OtlpExporter({ url, version: '0', log });
    collector.status = 503;
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 10_000; n++) exporter.add(span(n));
      await exporter.flush();
    }
    assert.equal(messages.length, 1);
    assert.equal(collector.spans.length, 0);
    collector.status = 200;
    for (let n = 0; n < 10_000; n++) exporter.add(span(n));
    await exporter.flush();
    assert.equal(collector.spans.length, 4_096);
    assert.deepEqual(collector.spans[0]?.status, { code: 2 });
    assert.equal(messages.length, 2);
    assert.match(messages[1] ?? '', /accepts traces again/);
  });

  test('delays a stop by a moment only, however many spans are pending', async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const exporter = new OtlpExporter({ url: `http://127.0.0.1:${port}`, version: '0', log });
    for (let n = 0; n < 4_096; n++) exporter.add(span(n));
    const began = performance.now();
    await exporter.close();
    const took = performance.now() - began;
    assert.ok(took < 30_000, `${took} ms`);
    silent.closeAllConnections();
    silent.close();
  });
});
