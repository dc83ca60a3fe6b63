// suite: slow
// Addresses that take all they can get, beside others: connections, endless requests for tokens, unread answers, forged
// addresses. The bounds are set low, so that few requests reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ask, connections, form, statusOf, TOKEN_REQUEST } from './raw-requests.ts';
import { serving, Wire } from './wire.ts';

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

const LARGE = Buffer.alloc(16 * 1024 * 1024, 0x20);

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
      anonymousMemory: LARGE.length,
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
