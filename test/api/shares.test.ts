// suite: slow
// One caller that takes all it can get, beside others that must not notice: stalled bodies, places of changes and
// searches. The bounds are set low, so that few requests reach them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../src/auth/caller.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Fault } from '../../src/http/observers/request-observer.ts';
import type { SearchAnswer } from '../../src/service/searching/search.ts';
import { eventually } from '../support/eventually.ts';
import { fakeApp } from './fakes.ts';
import { ask, connections, form, head, statusOf, tokens } from './raw-requests.ts';
import { AUTH, SEARCH, serving, Wire } from './wire.ts';

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
    { anonymousMemory: 100_000, bodyMemory: 100_000 },
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

type Work = (...given: readonly unknown[]) => Promise<never>;

/** Work of a change that goes on until `end`, although its client has gone. */
function endlessWork() {
  const state = { begun: false, aborted: false, end: () => {} };
  const work: Work = (...given) =>
    new Promise((_resolve, reject) => {
      const signal = given.find((one) => one instanceof AbortSignal);
      assert.ok(signal, 'the work is given a signal');
      signal.addEventListener('abort', () => {
        state.aborted = true;
      });
      state.end = () => reject(new ServiceError('cancelled', 'The client has gone.'));
      state.begun = true;
    });
  /** Sends a change, and hangs up while it is at work. */
  const hangUp = async (port: number, change: string) => {
    const gone = new Wire(port);
    gone.send(change);
    await eventually(() => assert.ok(state.begun));
    gone.socket.destroy();
    await eventually(() => assert.ok(state.aborted));
  };
  return { work, hangUp, end: () => state.end() };
}

/** The status of a change of another tenant. */
async function otherChange(port: number, body = '{}') {
  const change = head('POST', '/v3/personal-access-tokens', 'b.1', body.length) + body;
  const wire = await ask(port, change);
  wire.socket.destroy();
  return statusOf(wire);
}

const ID = 'c0ffee00-0000-4000-8000-000000000009';
const CHECKED: readonly (readonly [
  method: string,
  path: string,
  change: (work: Work) => Parameters<typeof fakeApp>[0],
])[] = [
  ['POST', '/v3/saved-searches', (work) => ({ savedSearches: { create: work } })],
  ['PUT', `/v3/saved-searches/${ID}`, (work) => ({ savedSearches: { replace: work } })],
  ['POST', '/admin/v1/dashboards', (work) => ({ dashboards: { create: work } })],
  ['PUT', `/admin/v1/dashboards/${ID}`, (work) => ({ dashboards: { replace: work } })],
];
for (const [method, path, change] of CHECKED) {
  test(`${method} ${path}: a client that hangs up aborts the work, which keeps its place until it ends`, () => {
    const { work, hangUp, end } = endlessWork();
    return serving(
      async ({ port }) => {
        await hangUp(port, `${head(method, path, 'a.1', 2)}{}`);
        assert.equal(await otherChange(port), '503');
        end();
        await eventually(async () => assert.equal(await otherChange(port), '200'));
      },
      { ...change(work), tokens },
      { maxWrites: 1, queueWaitMs: 0 },
    );
  });
}

test('the body of a change whose client hangs up counts until its work ends', () => {
  const { work, hangUp, end } = endlessWork();
  const body = `${' '.repeat(60_000)}{}`;
  return serving(
    async ({ port }) => {
      await hangUp(port, head('POST', '/v3/saved-searches', 'a.1', body.length) + body);
      assert.equal(await otherChange(port, body), '503');
      end();
      await eventually(async () => assert.equal(await otherChange(port, body), '200'));
    },
    { savedSearches: { create: work }, tokens },
    { bodyMemory: 100_000 },
  );
});

test('the body of a request in which a fault is injected counts until its answer ends', () => {
  const body = `${' '.repeat(60_000)}{}`;
  let fault: Fault | null = null;
  const observer = { tenantOf: async () => null, faultFor: () => fault, ended() {} };
  return serving(
    async ({ port }) => {
      const faults: readonly (readonly [Fault, string | undefined])[] = [
        [{ status: 500 }, '500'],
        [{ drop: true }, undefined],
      ];
      for (const [injected, status] of faults) {
        fault = injected;
        const wire = new Wire(port);
        wire.send(head('POST', '/v3/saved-searches', 'a.1', body.length) + body);
        await wire.until(() => wire.closed || statusOf(wire) !== undefined, 'the fault');
        assert.equal(statusOf(wire), status);
        wire.socket.destroy();
        fault = null;
        await eventually(async () => assert.equal(await otherChange(port, body), '200'));
      }
    },
    { tokens },
    { bodyMemory: 100_000, observer },
  );
});

test('a change that is refused once its body has arrived gives its place back', () => {
  let checks = 0;
  const verify = async (authorization: string | undefined) => {
    const caller = await tokens.verify(authorization);
    if (caller.clientId === 'revoked' && ++checks > 1) {
      throw new ServiceError('token_invalid', 'The token was revoked.');
    }
    return caller;
  };
  return serving(
    async ({ port }) => {
      const change = `${head('POST', '/v3/personal-access-tokens', 'a.revoked', 2)}{}`;
      const refused = await ask(port, change);
      assert.equal(statusOf(refused), '401');
      assert.equal(await otherChange(port), '200');
      refused.socket.destroy();
    },
    { tokens: { verify } },
    { maxWrites: 1, queueWaitMs: 0 },
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

test('a download of the results of a run takes no place of searches', () => {
  let begun = 0;
  async function* csv(): AsyncGenerator<Uint8Array> {
    begun += 1;
    yield await new Promise<never>(() => {});
  }
  return serving(
    async ({ port }) => {
      const path = `/v3/saved-searches/${ID}/runs/${ID}/results.csv`;
      const busy = connections();
      busy.open(port, `GET ${path} HTTP/1.1\r\n${AUTH}\r\n`);
      await eventually(() => assert.equal(begun, 1));
      const search = busy.open(port, SEARCH);
      await search.until(() => statusOf(search) !== undefined, 'an answer');
      assert.equal(statusOf(search), '200');
      const second = busy.open(port, `GET ${path} HTTP/1.1\r\n${AUTH}\r\n`);
      await second.until(() => statusOf(second) === '503', 'a refusal');
      busy.end();
    },
    { searchRuns: { csv: async () => csv() } },
    { maxSearches: 1, queueWaitMs: 0, stopTimeoutMs: 100 },
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
