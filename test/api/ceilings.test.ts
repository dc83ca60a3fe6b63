// suite: slow
// Ceilings over real connections: memory for bodies, searches and changes at a time. The limits are set low,
// so that few requests reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpSettings } from '../../src/http/options.ts';
import { IMPORTED_NOTHING } from './fakes.ts';
import { AUTH, SEARCH, serving, Wire } from './wire.ts';

test('bodies are turned away while others hold the memory for bodies', () =>
  serving(
    async ({ port }) => {
      const first = new Wire(port);
      first.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: 9000\r\n\r\n`);
      first.send(' '.repeat(8_998));
      const body = `${' '.repeat(1_498)}{}`;
      const head = `POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: ${body.length}\r\n\r\n`;
      const small = new Wire(port);
      // Until the bytes of the first one have arrived, the small one finds room.
      for (let attempts = 0; !small.heard.startsWith('HTTP/1.1 503'); attempts++) {
        assert.ok(attempts < 2_000, 'it is never turned away');
        small.heard = '';
        small.send(head + body);
        await small.until(() => /[\]}]$/.test(small.heard), 'an answer');
        assert.match(small.heard, /^HTTP\/1\.1 (?:200|503) /);
      }
      assert.match(small.heard, /\r\nRetry-After: 1\r\n/);
      const second = new Wire(port);
      second.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: 9000\r\n\r\n`);
      second.send(' '.repeat(8_000));
      await second.until(() => second.heard.endsWith('}'), 'a refusal before the body has come');
      assert.match(second.heard, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
      second.socket.destroy();
      first.send('{}');
      await first.until(() => first.heard.endsWith(']'), 'an answer');
      small.heard = '';
      small.send(head + body);
      await small.until(() => small.heard.endsWith(']'), 'an answer');
      first.socket.destroy();
      small.socket.destroy();
    },
    {},
    { bodyMemory: 10_000 },
  ));

test('a body of exactly the limit is taken, and one of a byte more refused, however they come', () =>
  serving(
    async ({ port }) => {
      for (const [length, status] of [
        [1_000, 200],
        [1_001, 413],
      ] as const) {
        const body = `${' '.repeat(length - 2)}{}`;
        const head = `POST /v3/search HTTP/1.1\r\n${AUTH}`;
        const declared = `${head}Content-Length: ${length}\r\n\r\n${body}`;
        const chunk = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`;
        for (const request of [declared, chunked]) {
          const wire = new Wire(port);
          wire.send(request);
          await wire.until(() => /[\]}]$/.test(wire.heard), 'an answer');
          assert.match(wire.heard, new RegExp(`^HTTP/1\\.1 ${status} `));
          wire.socket.destroy();
        }
      }
    },
    {},
    { bodyLimit: 1_000 },
  ));

test('searches over the ceiling are turned away at once', () => {
  const waiting: (() => void)[] = [];
  return serving(
    async ({ port }) => {
      const first = new Wire(port);
      first.send(SEARCH);
      await first.until(() => waiting.length === 1, 'the first one is inside');
      const second = new Wire(port);
      second.send(SEARCH);
      await second.until(() => second.heard.endsWith('}'), 'a refusal');
      assert.match(second.heard, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
      const third = new Wire(port);
      third.send(SEARCH.slice(0, -'{}'.length));
      await third.until(() => third.heard.endsWith('}'), 'a refusal before the body has come');
      third.socket.destroy();
      waiting.pop()?.();
      await first.until(() => first.heard.endsWith(']'), 'an answer');
      second.heard = '';
      second.send(SEARCH);
      await second.until(() => waiting.length === 1, 'room again');
      waiting.pop()?.();
      await second.until(() => second.heard.endsWith(']'), 'an answer');
      first.socket.destroy();
      second.socket.destroy();
    },
    {
      search: {
        search: () =>
          new Promise((resolve) =>
            waiting.push(() => resolve({ total: null, body: [Buffer.from('[]')], warnings: [] })),
          ),
      },
    },
    { maxSearches: 1, queueWaitMs: 0 },
  );
});

interface Waiting {
  end(): void;
  readonly gone: AbortSignal | undefined;
}

/** Reads that need a place: their path, services in which they wait, and a ceiling of one. */
const READS: readonly (readonly [
  name: string,
  path: string,
  services: (waiting: Waiting[]) => Parameters<typeof serving>[1],
  ceiling: Partial<HttpSettings>,
])[] = [
  [
    'advanced searches over the ceiling are turned away, and one whose client goes is told',
    '/api/advanced_search/1/run',
    (waiting) => ({
      advancedSearches: {
        run: (_caller, _id, _page, { signal: gone } = {}) =>
          new Promise((resolve) =>
            waiting.push({ gone, end: () => resolve({ rows: [], total: null }) }),
          ),
      },
    }),
    { maxProfileSearches: 1 },
  ],
  [
    'lists of access paths over the ceiling are turned away like searches',
    '/admin/v1/identities/i1/access-paths',
    (waiting) => ({
      accessPaths: {
        of: (_caller, id, gone) =>
          new Promise((resolve) =>
            waiting.push({ gone, end: () => resolve({ id, name: null, access: [] }) }),
          ),
      },
    }),
    { maxSearches: 1 },
  ],
];
for (const [name, path, services, ceiling] of READS) {
  test(name, () => {
    const waiting: Waiting[] = [];
    const run = `GET ${path} HTTP/1.1\r\n${AUTH}\r\n`;
    return serving(
      async ({ port }) => {
        const first = new Wire(port);
        first.send(run);
        await first.until(() => waiting.length === 1, 'the first one is inside');
        const second = new Wire(port);
        second.send(run);
        await second.until(() => second.heard.endsWith('}'), 'a refusal');
        assert.match(second.heard, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
        first.socket.destroy();
        await second.until(() => waiting[0]?.gone?.aborted === true, 'word that the client left');
        waiting.pop()?.end();
        const third = new Wire(port);
        third.send(run);
        await third.until(() => waiting.length === 1, 'room again');
        waiting.pop()?.end();
        await third.until(() => third.heard.endsWith('}'), 'an answer');
        for (const wire of [second, third]) wire.socket.destroy();
      },
      services(waiting),
      { ...ceiling, queueWaitMs: 0 },
    );
  });
}

test('changes over the ceiling are turned away before their bodies are read', () => {
  const waiting: (() => void)[] = [];
  const change = `POST /admin/v1/documents HTTP/1.1\r\n${AUTH}Content-Length: 2\r\n\r\n`;
  return serving(
    async ({ port }) => {
      const first = new Wire(port);
      first.send(`${change}{}`);
      await first.until(() => waiting.length === 1, 'the first one is inside');
      const second = new Wire(port);
      second.send(change);
      await second.until(() => second.heard.endsWith('}'), 'a refusal');
      assert.match(second.heard, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
      const search = new Wire(port);
      search.send(SEARCH);
      await search.until(() => search.heard.endsWith(']'), 'searches are counted for themselves');
      waiting.pop()?.();
      await first.until(() => first.heard.endsWith('}'), 'an answer');
      const third = new Wire(port);
      third.send(`${change}{}`);
      await third.until(() => waiting.length === 1, 'room again');
      waiting.pop()?.();
      await third.until(() => third.heard.endsWith('}'), 'an answer');
      for (const wire of [first, second, search, third]) wire.socket.destroy();
    },
    {
      documents: {
        importDocuments: () =>
          new Promise((resolve) => waiting.push(() => resolve(IMPORTED_NOTHING))),
      },
    },
    { maxWrites: 1, queueWaitMs: 0 },
  );
});
