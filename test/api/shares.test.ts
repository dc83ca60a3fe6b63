// One caller that takes all it can get, beside others who are to notice nothing: stalled bodies, unread answers, gzip,
// connections, wrong secrets, forged addresses. The bounds are set low, so that few requests reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Caller } from '../../src/auth/caller.ts';
import type { HttpOptions } from '../../src/http/options.ts';
import type { SourceLine } from '../../src/identity/json/json-source.ts';
import type { SearchAnswer } from '../../src/identity/searching/search.ts';
import { eventually } from '../support/eventually.ts';
import { fakeApp, fakeServices, IMPORTED_NOTHING } from './fakes.ts';
import { SEARCH, serving, Wire } from './wire.ts';

/** Tokens are `TENANT.CLIENT`. */
const tokens = {
  async verify(authorization: string | undefined): Promise<Caller> {
    const admin = await fakeServices().tokens.verify('Bearer admin');
    const [tenantId = '', clientId = ''] = (authorization ?? '').replace('Bearer ', '').split('.');
    return { ...admin, tenantId, clientId, identityId: clientId };
  },
};

function head(method: string, path: string, token: string, length: number, more = ''): string {
  const type = 'Content-Type: application/json\r\n';
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${type}${more}Content-Length: ${length}\r\n\r\n`;
}

const statusOf = (wire: Wire) => /^HTTP\/1\.1 (\d+)/.exec(wire.heard)?.[1];

async function ask(port: number, request: string): Promise<Wire> {
  const wire = new Wire(port);
  wire.send(request);
  await wire.until(() => statusOf(wire) !== undefined, 'an answer');
  return wire;
}

/** Connections that a test opens and that end with it. */
function connections() {
  const wires: Wire[] = [];
  return {
    open(port: number, request: string): Wire {
      const wire = new Wire(port);
      wires.push(wire);
      wire.send(request);
      return wire;
    },
    end: () => {
      for (const { socket } of wires) socket.destroy();
    },
  };
}

const TOKEN_REQUEST = 'grant_type=client_credentials&client_id=a&client_secret=b';
const form = (length: number, path = '/oauth/token') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`;

test('stalled bodies without a token take no memory from requests with one', () =>
  serving(
    async ({ port }) => {
      const stalled = connections();
      for (let n = 0; n < 40; n++) stalled.open(port, `${form(10_000)}${'x'.repeat(9_000)}`);
      const refused = stalled.open(port, `${form(10_000)}${'x'.repeat(9_000)}`);
      await refused.until(() => statusOf(refused) === '503', 'the pool of the address is full');
      const body = `${' '.repeat(30_000)}{}`;
      const search = await ask(port, head('POST', '/v3/search', 'b.1', body.length) + body);
      assert.equal(statusOf(search), '200');
      search.socket.destroy();
      stalled.end();
    },
    { tokens },
    { anonymousMemoryBytes: 100_000, bodyMemoryBytes: 100_000 },
  ));

test('a token request has 16 KiB at most, however it comes', async () => {
  const app = fakeApp();
  for (const type of [
    'application/x-www-form-urlencoded',
    'application/json',
    'multipart/form-data; boundary=b',
  ]) {
    const response = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': type },
      payload: 'x'.repeat(16 * 1024 + 1),
    });
    assert.equal(response.statusCode, 413, type);
    assert.equal(response.json().error, 'invalid_request');
  }
  await app.close();
  await serving(async ({ port }) => {
    const chunked = form(1).replace('Content-Length: 1', 'Transfer-Encoding: chunked');
    const wire = await ask(port, `${chunked}5000\r\n${'x'.repeat(0x5000)}\r\n0\r\n\r\n`);
    assert.equal(statusOf(wire), '413');
    wire.socket.destroy();
  });
});

test('a stalled body is refused with 408 and its connection is closed', () =>
  serving(
    async ({ port }) => {
      const stalled = [
        form(100),
        head('POST', '/v3/search', 'a.1', 100),
        head('POST', '/admin/v1/documents', 'a.1', 100),
        `${head('POST', '/admin/v1/documents', 'a.1', 100, 'Content-Encoding: gzip\r\n')}${'\x1f'}`,
      ];
      for (const request of stalled) {
        const wire = await ask(port, request);
        assert.equal(statusOf(wire), '408', request);
        assert.match(wire.heard, /\r\nConnection: close\r\n/i);
        await wire.until(() => wire.closed, 'the end of the connection');
      }
    },
    { tokens },
    // Its time in all is 30 s.
    { stallMs: 100 },
  ));

test('an import that drips in is refused when its time is over', () =>
  serving(
    async ({ port }) => {
      const wire = new Wire(port);
      wire.send(head('POST', '/admin/v1/documents', 'a.1', 1_000_000));
      const drip = setInterval(() => !wire.closed && wire.send('{"id":"a"}\n'), 10);
      await wire.until(() => statusOf(wire) === '408', 'a refusal');
      clearInterval(drip);
      wire.socket.destroy();
    },
    { tokens },
    { importTimeoutMs: 300, leastBodyRate: 1 },
  ));

test('stalled changes take no places: another tenant writes, and a token is deleted at once', () =>
  serving(
    async ({ port }) => {
      const stalled = connections();
      for (let n = 0; n < 40; n++) {
        stalled.open(port, head('POST', '/v3/personal-access-tokens', 'a.1', 1_000));
        stalled.open(port, head('POST', '/admin/v1/documents', 'a.1', 1_000));
      }
      const made = await ask(port, `${head('POST', '/v3/personal-access-tokens', 'b.1', 2)}{}`);
      assert.equal(statusOf(made), '200');
      const path = '/v3/personal-access-tokens/0c9d5be01f22c4a67f3c0d51aa9e4be8';
      const gone = await ask(port, head('DELETE', path, 'a.2', 0));
      assert.equal(statusOf(gone), '204');
      for (const wire of [made, gone]) wire.socket.destroy();
      stalled.end();
    },
    { tokens },
    { maxWrites: 8, queueWaitMs: 0 },
  ));

test('rights are taken away while changes take all places', () =>
  serving(
    async ({ port }) => {
      const busy = connections();
      busy.open(port, `${head('POST', '/v3/personal-access-tokens', 'a.1', 2)}{}`);
      const full = await ask(port, `${head('POST', '/v3/personal-access-tokens', 'b.1', 2)}{}`);
      assert.equal(statusOf(full), '503');
      const id = '0c9d5be01f22c4a67f3c0d51aa9e4be8';
      const urgent: readonly (readonly [string, string])[] = [
        ['DELETE', `/v3/personal-access-tokens/${id}`],
        ['DELETE', '/v3/oauth-clients/c0ffee00000040008000000000000003'],
        ['DELETE', '/admin/v1/api-keys/c0ffee00-0000-4000-8000-000000000002'],
      ];
      for (const [method, path] of urgent) {
        const wire = await ask(port, head(method, path, 'a.1', 0));
        assert.equal(statusOf(wire), '204', path);
        wire.socket.destroy();
      }
      full.socket.destroy();
      busy.end();
    },
    { tokens, personalAccessTokens: { create: () => new Promise(() => {}) } },
    { maxWrites: 1, queueWaitMs: 0, stopTimeoutMs: 100 },
  ));

const PROXY = { trustedProxies: ['127.0.0.1'] };
/** The requests as a client behind the proxy sends them. */
const via = (requests: string, address: string) =>
  requests.replaceAll('Host', `X-Forwarded-For: ${address}\r\nHost`);
/** More addresses than there are places for token requests. */
const MANY = Array.from({ length: 120 }, (_, n) => `198.51.100.${n}`);
const PAGE = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
const TOKEN = form(TOKEN_REQUEST.length) + TOKEN_REQUEST;
const REVOCATION = form(TOKEN_REQUEST.length, '/oauth/revoke') + TOKEN_REQUEST;

test('token requests behind an answer that is not delivered take no places, from however many addresses', () => {
  const begun: string[] = [];
  let pages = 0;
  const render = () => {
    pages++;
    return new Promise<string>(() => {});
  };
  return serving(
    async ({ port }) => {
      const blocked = connections();
      for (const address of MANY) blocked.open(port, via(PAGE + TOKEN + REVOCATION, address));
      await eventually(() => assert.equal(pages, MANY.length));
      for (const request of [TOKEN, REVOCATION, TOKEN]) {
        const wire = await ask(port, via(request, '203.0.113.7'));
        assert.equal(statusOf(wire), '200', request);
        wire.socket.destroy();
      }
      assert.deepEqual(begun, ['203.0.113.7', '203.0.113.7']);
      blocked.end();
    },
    {
      tokens: {
        async issue(_parameters, _basic, address) {
          begun.push(address);
          return { access_token: 'a' };
        },
      },
    },
    { ...PROXY, metricsPage: { contentType: 'text/plain', render }, stopTimeoutMs: 100 },
  );
});

test('an address gets its turn at the token endpoints while many others send without end', () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return serving(
    async ({ port }) => {
      const flood = connections();
      for (const address of MANY) {
        for (let n = 0; n < 2; n++) flood.open(port, via(TOKEN, address));
      }
      await eventually(() => assert.equal(begun.length, 64));
      // Those of the flood that have been answered are sent again.
      const mine = flood.open(port, via(TOKEN, '203.0.113.7'));
      const revocation = flood.open(port, via(REVOCATION, '203.0.113.8'));
      await revocation.until(
        () => statusOf(revocation) === '200',
        'revocations have places of their own',
      );
      await eventually(() => {
        for (const address of begun.splice(0)) flood.open(port, via(TOKEN, address));
        for (const end of ends.splice(0)) end();
        assert.equal(statusOf(mine), '200');
      });
      for (const end of ends.splice(0)) end();
      flood.end();
    },
    {
      tokens: {
        issue: (_parameters, _basic, address) => {
          begun.push(address);
          return new Promise((resolve) => ends.push(() => resolve({ access_token: 'a' })));
        },
      },
    },
    { ...PROXY, queueWaitMs: 60_000, stopTimeoutMs: 100 },
  );
});

test('clients that send token requests and leave have no more of them worked on at a time', () => {
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  return serving(
    async ({ port }) => {
      const leaves = async (address: string) => {
        const before = running;
        const wire = new Wire(port);
        wire.send(via(TOKEN, address));
        if (before < 64) await eventually(() => assert.ok(running > before));
        wire.socket.resetAndDestroy();
      };
      for (const address of MANY) await leaves(address);
      const stays = new Wire(port);
      stays.send(via(TOKEN, '203.0.113.7'));
      await eventually(() => {
        for (const end of ends.splice(0)) end();
        assert.equal(statusOf(stays), '200');
      });
      assert.equal(most, 64);
      stays.socket.destroy();
    },
    {
      tokens: {
        issue: () => {
          most = Math.max(most, ++running);
          return new Promise((resolve) =>
            ends.push(() => {
              running--;
              resolve({ access_token: 'a' });
            }),
          );
        },
      },
    },
    { ...PROXY, queueWaitMs: 60_000, stopTimeoutMs: 100 },
  );
});

test('requests without a token take no place of changes', () => {
  let begun = 0;
  return serving(
    async ({ port }) => {
      const body = 'client_id=a&client_secret=b&token=c';
      const busy = connections();
      busy.open(port, form(body.length, '/oauth/revoke') + body);
      await eventually(() => assert.equal(begun, 1));
      const made = await ask(port, `${head('POST', '/v3/personal-access-tokens', 'b.1', 2)}{}`);
      assert.equal(statusOf(made), '200');
      made.socket.destroy();
      busy.end();
    },
    {
      tokens: {
        ...tokens,
        revoke: () => {
          begun += 1;
          return new Promise(() => {});
        },
      },
    },
    { maxWrites: 1, queueWaitMs: 0, stopTimeoutMs: 100 },
  );
});

test('searches of one tenant never take all places, and those that wait get theirs', async () => {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const search = (caller: Caller) => {
    begun.push(`${caller.tenantId}.${caller.clientId}`);
    return new Promise<SearchAnswer>((resolve) =>
      ends.push(() => resolve({ total: null, body: [Buffer.from('[]')], warnings: [] })),
    );
  };
  await serving(
    async ({ port }) => {
      const busy = connections();
      const asks = (token: string) => busy.open(port, `${head('POST', '/v3/search', token, 2)}{}`);
      for (let n = 0; n < 3; n++) asks('a.1');
      await eventually(() => assert.equal(begun.length, 2));
      asks('b.1');
      await eventually(() => assert.deepEqual(begun.slice(2), ['b.1']));
      asks('a.2');
      const health = await ask(port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
      assert.equal(statusOf(health), '200');
      health.socket.destroy();
      for (let n = 0; n < 5; n++) {
        await eventually(() => assert.ok(ends.length > 0));
        ends.shift()?.();
      }
      await eventually(() => assert.equal(begun.length, 5));
      busy.end();
    },
    { tokens, search: { search } },
    { maxSearches: 4, queueWaitMs: 60_000, callerShare: 1 },
  );
});

test('a search that waits longer than its time is refused with 503', () =>
  serving(
    async ({ port }) => {
      const busy = connections();
      busy.open(port, SEARCH);
      const second = busy.open(port, SEARCH);
      await second.until(() => statusOf(second) === '503', 'a refusal');
      assert.match(second.heard, /\r\nRetry-After: 1\r\n/);
      busy.end();
    },
    { search: { search: () => new Promise(() => {}) } },
    { maxSearches: 1, queueWaitMs: 100, stopTimeoutMs: 100 },
  ));

/** An answer that does not fit into what the kernel takes for a client that reads nothing. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 0x20);
const UNREAD: Partial<HttpOptions> = { answerMemoryBytes: 64 * 1024 * 1024, callerShare: 1 };

test('answers that are not read count for who asked, and others get theirs', () =>
  serving(
    async ({ port }) => {
      const unread = connections();
      const asks = (token: string) => {
        const wire = unread.open(port, `${head('POST', '/v3/search', token, 2)}{}`);
        wire.socket.pause();
      };
      const refusal = async () => {
        const wire = await ask(port, `${head('POST', '/v3/search', 'a.2', 2)}{}`);
        const status = statusOf(wire);
        wire.socket.destroy();
        assert.equal(status, '503');
        assert.match(wire.heard, /this tenant/);
      };
      for (let n = 0; n < 2; n++) asks('a.1');
      await eventually(refusal);
      const other = await ask(port, `${head('POST', '/v3/search', 'b.1', 2)}{}`);
      assert.equal(statusOf(other), '200');
      other.socket.destroy();
      unread.end();
      // What a connection held is free when it has ended.
      await eventually(async () => {
        const again = await ask(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
        again.socket.destroy();
        assert.equal(statusOf(again), '200');
      });
    },
    { tokens, search: { search: async () => ({ total: null, body: [LARGE], warnings: [] }) } },
    UNREAD,
  ));

test('an answer that is taken too slowly is cut off when its memory is needed', () =>
  serving(
    async ({ port }) => {
      const unread = connections();
      const slow = [1, 2].map(() => {
        const wire = unread.open(port, `${head('POST', '/v3/search', 'a.1', 2)}{}`);
        wire.socket.pause();
        return wire;
      });
      await eventually(async () => {
        const next = await ask(port, `${head('POST', '/v3/search', 'a.2', 2)}{}`);
        next.socket.destroy();
        assert.equal(statusOf(next), '200');
        for (const { socket } of slow) socket.resume();
        assert.ok(slow.some(({ closed }) => closed));
      });
      unread.end();
    },
    { tokens, search: { search: async () => ({ total: null, body: [LARGE], warnings: [] }) } },
    { ...UNREAD, stallMs: 100, leastAnswerRate: 1024 ** 3 },
  ));

test('an address that holds no answers is served though others do not read theirs', () => {
  let pages = 0;
  return serving(
    async ({ port }) => {
      const unread = connections();
      unread.open(port, via(PAGE, '198.51.100.1')).socket.pause();
      await eventually(() => assert.equal(pages, 1));
      const other = await ask(port, via(PAGE, '203.0.113.7'));
      assert.equal(statusOf(other), '200');
      other.socket.destroy();
      unread.end();
    },
    {},
    {
      ...PROXY,
      anonymousMemoryBytes: LARGE.length,
      metricsPage: {
        contentType: 'text/plain',
        render: async () => {
          pages++;
          return LARGE.toString('latin1');
        },
      },
    },
  );
});

test('lists that the framework sends are counted as answers, too', () => {
  const rows = Array.from({ length: 16 }, (_, n) => ({
    id: String(n),
    text: LARGE.toString('latin1', 0, 1024 ** 2),
  }));
  return serving(
    async ({ port }) => {
      const unread = connections();
      const request = 'GET /api/profiles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a.1\r\n\r\n';
      for (let n = 0; n < 2; n++) unread.open(port, request).socket.pause();
      await eventually(async () => {
        const wire = await ask(port, request);
        wire.socket.destroy();
        assert.equal(statusOf(wire), '503');
      });
      unread.end();
    },
    { tokens, profiles: { list: async () => ({ rows, total: 16 }) } },
    UNREAD,
  );
});

test('unfinished lines of compressed imports count as memory of their tenant', () => {
  const pending: (() => void)[] = [];
  const importDocuments = async (_tenant: string, lines: AsyncIterable<SourceLine>) => {
    for await (const _ of lines) await new Promise<void>((resolve) => pending.push(resolve));
    return IMPORTED_NOTHING;
  };
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, 0x61));
  // All but the last bytes: the line stays unfinished.
  const part = bomb.subarray(0, bomb.length - 12);
  return serving(
    async ({ port }) => {
      const imports = connections();
      const starts = (token: string) => {
        const gzip = 'Content-Encoding: gzip\r\n';
        const wire = imports.open(
          port,
          head('POST', '/admin/v1/documents', token, bomb.length, gzip),
        );
        wire.socket.write(part);
        return wire;
      };
      const wires = [1, 2, 3, 4].map(() => starts('a.1'));
      await eventually(() => {
        const refused = wires.filter((wire) => statusOf(wire) === '503');
        assert.ok(refused.length >= 2, String(refused.length));
      });
      const other = starts('b.1');
      other.socket.write(bomb.subarray(part.length));
      await eventually(() => assert.equal(pending.length, 1));
      pending[0]?.();
      await other.until(() => statusOf(other) === '200', 'an import of another tenant');
      imports.end();
    },
    { tokens, documents: { importDocuments } },
    { bodyMemoryBytes: 16 * 1024 * 1024, callerShare: 1 },
  );
});

test('an address has so many connections, and a proxy that is trusted as many as it needs', async () => {
  const bound = { maxConnectionsPerAddress: 3 };
  const ready = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
  await serving(
    async ({ port }) => {
      const open = connections();
      const wires = [1, 2, 3].map(() => open.open(port, ready));
      for (const wire of wires) await wire.until(() => statusOf(wire) === '200', 'served');
      const refused = open.open(port, ready);
      await refused.until(() => refused.closed, 'closed at once');
      assert.equal(refused.heard, '');
      wires[0]?.socket.destroy();
      await eventually(async () => {
        const wire = new Wire(port);
        wire.send(ready);
        await wire.until(() => wire.closed || statusOf(wire) === '200', 'an end');
        wire.socket.destroy();
        assert.equal(statusOf(wire), '200');
      });
      open.end();
    },
    {},
    bound,
  );
  await serving(
    async ({ port }) => {
      const open = connections();
      const wires = [1, 2, 3, 4, 5].map(() => open.open(port, ready));
      for (const wire of wires) await wire.until(() => statusOf(wire) === '200', 'served');
      open.end();
    },
    {},
    { ...bound, trustedProxies: ['127.0.0.1'] },
  );
});

test('idle connections are closed when most connections are in use', () =>
  serving(
    async ({ port }) => {
      const open = connections();
      const idle = open.open(port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
      await idle.until(() => statusOf(idle) === '200', 'served');
      for (let n = 0; n < 3; n++) open.open(port, 'GET / HTTP/1.1\r\n');
      await idle.until(() => idle.closed, 'closed, long before its 72 s are over');
      open.end();
    },
    {},
    { maxConnections: 4 },
  ));

const FORWARDED: readonly [string, readonly string[], string, string][] = [
  ['of nobody', [], 'X-Forwarded-For: 203.0.113.7', '127.0.0.1'],
  ['of another proxy', ['10.0.0.0/8'], 'X-Forwarded-For: 203.0.113.7', '127.0.0.1'],
  ['of a proxy', ['127.0.0.0/8'], 'X-Forwarded-For: 203.0.113.7', '203.0.113.7'],
  [
    'through two proxies',
    ['127.0.0.1', '10.0.0.0/8'],
    'X-Forwarded-For: 198.51.100.1, 203.0.113.7, 10.0.0.9',
    '203.0.113.7',
  ],
  ['of a proxy by RFC 7239', ['127.0.0.1'], 'Forwarded: for="[2001:db8::7]:80"', '2001:db8::7'],
];
for (const [name, trustedProxies, header, expected] of FORWARDED) {
  test(`a forwarded address ${name} makes the client ${expected}`, () => {
    let seen = '';
    return serving(
      async ({ port }) => {
        const wire = await ask(
          port,
          form(TOKEN_REQUEST.length).replace('Host', `${header}\r\nHost`) + TOKEN_REQUEST,
        );
        assert.equal(seen, expected);
        wire.socket.destroy();
      },
      {
        tokens: {
          async issue(_parameters, _basic, address) {
            seen = address;
            return { access_token: 'a' };
          },
        },
      },
      { trustedProxies },
    );
  });
}

test('what is refused is counted by its reason', () => {
  const reasons: string[] = [];
  const meter = {
    route: () => ({ ended: () => {} }),
    refused: (reason: string) => reasons.push(reason),
  };
  return serving(
    async ({ port }) => {
      const busy = connections();
      busy.open(port, SEARCH);
      const second = busy.open(port, SEARCH);
      await second.until(() => statusOf(second) === '503', 'a refusal');
      assert.deepEqual(reasons, ['searches']);
      busy.end();
    },
    { search: { search: () => new Promise(() => {}) } },
    { maxSearches: 1, queueWaitMs: 0, meter, stopTimeoutMs: 100 },
  );
});
