// What only a real connection shows: the spelling of headers, clients that are slow, broken or gone, and how the
// service stops. Time limits are set short; nothing sleeps longer than it must.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ServiceError } from '../../src/errors.ts';
import type { SourceLine } from '../../src/json/json-source.ts';
import { fakeApp, IMPORTED_NOTHING } from './fakes.ts';
import { AUTH, SEARCH, serving, Wire } from './wire.ts';

test('names that clients read by spelling are spelt so on the wire', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    wire.send(SEARCH);
    await wire.until(() => wire.heard.endsWith(']'), 'an answer');
    assert.match(wire.heard, /\r\nX-Total-Count: 1\r\n/);
    assert.match(wire.heard, /\r\nSLPT-Request-ID: [0-9a-f]{32}\r\n/);
    wire.heard = '';
    wire.send(`POST /v3/search/count HTTP/1.1\r\n${AUTH}Content-Length: 2\r\n\r\n{}`);
    await wire.until(() => wire.heard.endsWith('\r\n\r\n'), 'a count');
    assert.match(wire.heard, /^HTTP\/1\.1 204 .*\r\nX-Total-Count: 12345\r\n/s);
    assert.doesNotMatch(wire.heard, /content-length|transfer-encoding/i);
    wire.heard = '';
    wire.send('GET /v3/auth-users/x HTTP/1.1\r\nHost: x\r\n\r\n');
    await wire.until(() => wire.heard.endsWith('}'), 'a refusal');
    assert.match(wire.heard, /\r\nWWW-Authenticate: Bearer\r\n/);
    wire.socket.destroy();
  }));

test('repeated slashes and absolute targets reach the route', () =>
  serving(async ({ port }) => {
    for (const target of [
      '//v3//search',
      '/v3/search//count',
      'http://x/v3/search',
      '//search/v1',
    ]) {
      const wire = new Wire(port);
      wire.send(SEARCH.replace('/v3/search', target));
      await wire.until(() => /HTTP\/1\.1 20[04]/.test(wire.heard), target);
      wire.socket.destroy();
    }
  }));

test('pipelined requests are answered in their order on one connection', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    wire.send(`${SEARCH}GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n${SEARCH}`);
    await wire.until(() => wire.count('HTTP/1.1 ') === 3 && wire.heard.endsWith(']'), 'three');
    assert.deepEqual(wire.heard.match(/HTTP\/1\.1 \d+/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
    ]);
    wire.socket.destroy();
  }));

test('a body may come with its headers, behind them or in pieces', () => {
  const bodies: unknown[] = [];
  return serving(
    async ({ port, received }) => {
      const wire = new Wire(port);
      let sent = 0;
      const body = '{"query":{"query":"*"}}';
      const head = `POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: ${body.length}\r\n\r\n`;
      for (const pieces of [
        [head + body],
        [head, body],
        [head + body.slice(0, 5), body.slice(5, 9), body.slice(9)],
        [head + body],
      ]) {
        for (const piece of pieces) {
          wire.send(piece);
          sent += piece.length;
          await wire.until(() => received() === sent, 'the piece is read');
        }
        await wire.until(() => wire.heard.endsWith(']'), 'an answer');
        wire.heard = '';
      }
      const chunked = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
      wire.send(`${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      await wire.until(() => wire.heard.endsWith(']'), 'an answer');
      wire.socket.destroy();
      assert.deepEqual(bodies, new Array(5).fill({ query: { query: '*' } }));
    },
    {
      search: {
        async search(_caller, sent) {
          bodies.push(sent);
          return { total: null, body: [Buffer.from('[]')], warnings: [] };
        },
      },
    },
  );
});

test('headers over 16 KiB are refused with 431, bytes that are no request with 400', () =>
  serving(async ({ port }) => {
    const large = new Wire(port);
    large.send(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(17_000)}\r\n\r\n`);
    await large.until(() => large.closed, 'closed');
    assert.match(large.heard, /^HTTP\/1\.1 431 .*SLPT-Request-ID: [0-9a-f]{32}.*"trackingId"/s);
    const garbage = new Wire(port);
    garbage.send('\x16\x03\x01 hello\r\n\r\n');
    await garbage.until(() => garbage.closed, 'closed');
    assert.match(garbage.heard, /^HTTP\/1\.1 400 .*"400\.0 Bad request syntax error"/s);
  }));

test('a request without Host is a 400 with the usual headers and body', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    wire.send(SEARCH.replace('Host: x\r\n', ''));
    await wire.until(() => wire.heard.endsWith('}'), 'an answer');
    assert.match(wire.heard, /^HTTP\/1\.1 400 .*SLPT-Request-ID: [0-9a-f]{32}.*no Host header/is);
  }));

const TWO_HOSTS: readonly (readonly [name: string, request: string])[] = [
  ['with a token', SEARCH],
  ['without a token', SEARCH.replace(/Authorization: .*\r\n/, '')],
  ['of the token endpoint', SEARCH.replace('/v3/search?count=true', '/oauth/token')],
  ['of the status', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['of the console', 'GET /console/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['of profile management', 'GET /api/profiles HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['of an unknown path', 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['of HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: x\r\n\r\n'],
];
for (const [name, request] of TWO_HOSTS) {
  test(`a request ${name} with two Host headers, or with one that is no host, is a 400`, () =>
    serving(async ({ port }) => {
      for (const headers of ['Host: x\r\nHost: x', 'Host: x\r\nhost: evil.example', 'Host: x/y']) {
        const wire = new Wire(port);
        wire.send(request.replace('Host: x', headers));
        await wire.until(() => wire.heard.endsWith('}'), 'an answer');
        assert.match(
          wire.heard,
          /^HTTP\/1\.[01] 400 .*SLPT-Request-ID: [0-9a-f]{32}.*Host header/is,
        );
        wire.socket.destroy();
      }
    }));
}

const FORWARDED: readonly (readonly [header: string, trusted: string, url: string])[] = [
  ['X-Forwarded-Proto: https', '127.0.0.1', 'https://x'],
  ['X-Forwarded-Proto: HTTPS', '127.0.0.1', 'https://x'],
  ['X-Forwarded-Proto: javascript', '127.0.0.1', 'http://x'],
  ['X-Forwarded-Proto: https\r\nX-Forwarded-Proto: javascript', '127.0.0.1', 'http://x'],
  ['X-Forwarded-Host: id.example:8443', '127.0.0.1', 'http://id.example:8443'],
  ['X-Forwarded-Host: evil.example/a?', '127.0.0.1', 'http://x'],
  ['X-Forwarded-Port: 1', '127.0.0.1', 'http://x'],
  ['Forwarded: for=192.0.2.1;proto=javascript;host="a b"', '127.0.0.1', 'http://x'],
  ['X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example', '192.0.2.1', 'http://x'],
];
for (const [header, trusted, url] of FORWARDED) {
  const sender = trusted === '127.0.0.1' ? 'a trusted proxy' : 'a client';
  test(`${header.replaceAll('\r\n', ', ')} of ${sender} makes the address ${url}`, () =>
    serving(
      async ({ port }) => {
        const wire = new Wire(port);
        wire.send(`GET /oauth/info HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
        await wire.until(() => wire.heard.endsWith('}'), 'an answer');
        assert.ok(wire.heard.includes(`{"address":"${url}"}`), wire.heard);
        wire.socket.destroy();
      },
      { tokens: { info: async (address: string) => ({ address }) } },
      { trustedProxies: [trusted], publicUrl: null },
    ));
}

test('an unknown expectation is ignored', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    wire.send(SEARCH.replace('Host: x\r\n', 'Host: x\r\nExpect: wonders\r\n'));
    await wire.until(() => wire.heard.endsWith(']'), 'an answer');
    assert.match(wire.heard, /^HTTP\/1\.1 200 /);
  }));

test('a raw CR in a header value is no request', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    wire.send('GET / HTTP/1.1\r\nHost: x\r\nX: a\rSet-Cookie: b\r\n\r\n');
    await wire.until(() => wire.closed, 'closed');
    assert.match(wire.heard, /^HTTP\/1\.1 400 /);
  }));

test('slow headers are cut off while others are served', () =>
  serving(
    async ({ port }) => {
      const slow = new Wire(port);
      slow.send('GET / HTTP/1.1\r\n');
      const drip = setInterval(() => !slow.closed && slow.send('X: y\r\n'), 50);
      const other = new Wire(port);
      other.send(SEARCH);
      await other.until(() => other.heard.endsWith(']'), 'an answer for the other');
      await slow.until(() => slow.closed, 'the slow one is closed');
      clearInterval(drip);
      other.socket.destroy();
    },
    {},
    { headersTimeoutMs: 200 },
  ));

test('a body that drips in is cut off', () =>
  serving(
    async ({ port }) => {
      const wire = new Wire(port);
      wire.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: 1000\r\n\r\n`);
      const drip = setInterval(() => !wire.closed && wire.send(' '), 20);
      await wire.until(() => wire.closed, 'closed');
      clearInterval(drip);
    },
    {},
    { bodyTimeoutMs: 200 },
  ));

test('a reader that does not take its answer is cut off', () =>
  serving(
    async ({ app, port }) => {
      const wire = new Wire(port);
      wire.socket.pause();
      const accepted = once(app.server, 'connection') as Promise<[Socket]>;
      wire.send(SEARCH);
      const [served] = await accepted;
      // Without the setting it would take a minute.
      await once(served, 'close', { signal: AbortSignal.timeout(55_000) });
      wire.socket.destroy();
    },
    {
      search: {
        search: async () => ({
          total: 1,
          body: [Buffer.alloc(64 * 1024 * 1024, 0x20)],
          warnings: [],
        }),
      },
    },
    { responseTimeoutMs: 200 },
  ));

test('a client that hangs up ends its search', () => {
  let aborted: (reason: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    aborted = resolve;
  });
  let begun = false;
  return serving(
    async ({ port }) => {
      const wire = new Wire(port);
      wire.send(SEARCH);
      await wire.until(() => begun, 'the search');
      wire.socket.destroy();
      await ended;
    },
    {
      search: {
        search: (_caller, _body, _page, waiter) =>
          new Promise((_, reject) => {
            begun = true;
            waiter?.signal?.addEventListener('abort', () => {
              aborted('aborted');
              reject(new Error('aborted'));
            });
          }),
      },
    },
  );
});

test('a refusal is readable although the body is still on its way', () =>
  serving(async ({ port }) => {
    const wire = new Wire(port);
    const length = 3 * 1024 * 1024;
    wire.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: ${length}\r\n\r\n`);
    wire.send(' '.repeat(length));
    await wire.until(() => wire.heard.endsWith('}'), 'a refusal');
    assert.match(wire.heard, /^HTTP\/1\.1 413 /);
    wire.heard = '';
    wire.send(SEARCH);
    await wire.until(() => wire.heard.endsWith(']'), 'the next answer on the same connection');
    const chunked = new Wire(port);
    chunked.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Transfer-Encoding: chunked\r\n\r\n`);
    chunked.send(`200000\r\n${' '.repeat(0x200000)}\r\n0\r\n\r\n`);
    await chunked.until(() => chunked.heard.endsWith('}'), 'a refusal');
    assert.match(chunked.heard, /^HTTP\/1\.1 413 /);
    chunked.socket.destroy();
    wire.socket.destroy();
  }));

test('behind a refusal that closes the connection, as proxies ask for, the body is still taken', () =>
  serving(async ({ port }) => {
    const quarter = ' '.repeat(1024 * 1024);
    const wire = new Wire(port, { allowHalfOpen: true });
    wire.send(
      `POST /v3/search HTTP/1.1\r\n${AUTH}Connection: close\r\nContent-Length: ${4 * quarter.length}\r\n\r\n`,
    );
    await wire.until(() => wire.heard.endsWith('}'), 'a refusal');
    assert.match(wire.heard, /^HTTP\/1\.1 413 /);
    for (let n = 0; n < 4; n++) {
      const fault = await new Promise((resolve) => wire.socket.write(quarter, resolve));
      assert.equal(fault ?? null, null, 'no reset, which would overtake the answer');
    }
    wire.socket.end();
    await wire.until(() => wire.closed, 'the end of the connection');
    assert.ok(!wire.failed);
  }));

test('an import that stops early leaves its connection usable', () => {
  const stopping = async (_caller: unknown, lines: AsyncIterable<SourceLine>) => {
    for await (const { line } of lines) {
      return { ...IMPORTED_NOTHING, created: line };
    }
    throw new Error('there is a line');
  };
  const text = '{"id":"a"}\n'.repeat(300_000);
  const zipped = gzipSync(
    randomBytes(3_000_000)
      .toString('hex')
      .replace(/(.{60})/g, '{"$1":1}\n'),
  );
  return serving(
    async ({ port }) => {
      for (const [body, encoding] of [
        [Buffer.from(text), 'identity'],
        [zipped, 'gzip'],
      ] as const) {
        const wire = new Wire(port);
        wire.send(
          `POST /admin/v1/documents HTTP/1.1\r\n${AUTH}Content-Encoding: ${encoding}\r\n` +
            `Content-Length: ${body.length}\r\n\r\n`,
        );
        wire.socket.write(body);
        wire.send(SEARCH);
        await wire.until(() => wire.count('HTTP/1.1 200') === 2, `both answers, ${encoding}`);
        wire.socket.destroy();
      }
    },
    { documents: { importDocuments: stopping } },
  );
});

test('a client that goes away in the middle of an import ends it', () => {
  let ended: (error: unknown) => void = () => {};
  const end = new Promise((resolve) => {
    ended = resolve;
  });
  let begun = false;
  return serving(
    async ({ port }) => {
      const wire = new Wire(port);
      wire.send(`POST /admin/v1/documents HTTP/1.1\r\n${AUTH}Content-Length: 1000\r\n\r\n{}\n{`);
      await wire.until(() => begun, 'the first line');
      wire.socket.destroy();
      assert.equal(((await end) as ServiceError).code, 'cancelled');
    },
    {
      documents: {
        async importDocuments(_tenant, lines) {
          try {
            for await (const _ of lines) begun = true;
          } catch (error) {
            ended(error);
            throw error;
          }
          throw new Error('cut off lines must not look like an end');
        },
      },
    },
  );
});

test('stopping lets a request in flight end and closes idle connections', async () => {
  let release: () => void = () => {};
  const inside = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = false;
  const app = fakeApp({
    search: {
      search: async () => {
        begun = true;
        await inside;
        return { total: null, body: [Buffer.from('[]')], warnings: [] };
      },
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const idle = new Wire(port);
  idle.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  await idle.until(() => idle.heard.endsWith('}'), 'an answer');
  const busy = new Wire(port);
  busy.send(SEARCH);
  await busy.until(() => begun, 'the search');
  const closed = app.close();
  await idle.until(() => idle.closed, 'the idle one is closed');
  assert.equal(busy.closed, false);
  release();
  await busy.until(() => busy.closed, 'the busy one is closed');
  assert.match(busy.heard, /^HTTP\/1\.1 200 .*\[\]$/s);
  await closed;
});

test('stopping answers a request that was on its way on an idle connection', async () => {
  const app = fakeApp();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const wires = [new Wire(port), new Wire(port), new Wire(port)];
  for (const wire of wires) {
    wire.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await wire.until(() => wire.heard.endsWith('}'), 'an answer');
  }
  const closed = app.close();
  for (const wire of wires) wire.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  for (const wire of wires) {
    await wire.until(() => wire.closed, 'the end of the connection');
    assert.equal(wire.count('HTTP/1.1 200'), 2, wire.heard);
    assert.match(wire.heard.toLowerCase(), /connection: close/);
    assert.ok(!wire.failed, 'no reset');
  }
  await closed;
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`), 'new connections are refused');
});

test('stopping cuts what does not end in time', { timeout: 60_000 }, async () => {
  let enter = (): void => {};
  const inside = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const endless = () => {
    enter();
    return new Promise<never>(() => {});
  };
  const app = fakeApp({ search: { search: endless } }, { stopTimeoutMs: 200 });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const wire = new Wire((app.server.address() as AddressInfo).port);
  wire.send(SEARCH);
  await inside;
  await app.close();
  await wire.until(() => wire.closed, 'the connection is cut');
  assert.equal(wire.heard, '');
});
