import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { collectGarbage } from '../../test/support/garbage.ts';
import { type ServiceAccess, ServiceClient, ServiceUnreachable } from './service-client.ts';
import { BodyTooLarge, boundedText, ServiceRefusal, warningTexts } from './service-refusal.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves tokens `t1`, `t2`, … and accepts those from `valid` on. */
async function tokenService(valid: number, answer: (token: number) => [number, object | string]) {
  let issued = 0;
  const baseUrl = await serve((incoming, outgoing) => {
    incoming.resume();
    if (incoming.url === '/oauth/token') {
      issued += 1;
      outgoing.end(JSON.stringify({ access_token: `t${issued}` }));
      return;
    }
    const token = Number(incoming.headers.authorization?.slice('Bearer t'.length));
    const [status, body] = token < valid ? [401, {}] : answer(token);
    outgoing.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { baseUrl, issued: () => issued };
}

const CLIENT = { clientId: 'id', clientSecret: 'a-secret' };
const REQUEST = { method: 'POST', path: '/v2024/search?limit=1', body: {} } as const;

function clientOf(baseUrl: string, credentials: ServiceAccess['credentials'] = CLIENT) {
  return new ServiceClient({ baseUrl, credentials }, {});
}

describe('the access token', () => {
  test('serves all requests until it is refused, then a new one is requested once', async () => {
    const service = await tokenService(2, () => [200, 'done']);
    const client = clientOf(service.baseUrl);
    assert.equal(await (await client.send(REQUEST)).text(), 'done');
    assert.equal(await (await client.send(REQUEST)).text(), 'done');
    assert.equal(service.issued(), 2);
  });

  test('that is refused again ends the request', async () => {
    const service = await tokenService(9, () => [200, '']);
    const refusal = clientOf(service.baseUrl).send(REQUEST);
    await assert.rejects(
      refusal,
      (error) => error instanceof ServiceRefusal && error.status === 401,
    );
    assert.equal(service.issued(), 2);
  });

  test('that was given is never replaced', async () => {
    const service = await tokenService(9, () => [200, '']);
    await assert.rejects(clientOf(service.baseUrl, { token: 't1' }).send(REQUEST), ServiceRefusal);
    assert.equal(service.issued(), 0);
  });
});

describe('a refusal', () => {
  const CASES: readonly (readonly [name: string, body: object | string, message: string])[] = [
    [
      'lists the causes of an error of the API',
      { messages: [{ text: 'Invalid.' }], causes: [{ text: 'limit: 0' }, { text: 'sort: x' }] },
      'limit: 0\nsort: x',
    ],
    ['has the message of an error without causes', { messages: [{ text: 'No.' }] }, 'No.'],
    ['has the description of an OAuth error', { error_description: 'Bad client.' }, 'Bad client.'],
    ['has the status if the body is not JSON', '<html>', 'The server answered 418.'],
    ['has the status if the body is JSON of another kind', 'null', 'The server answered 418.'],
    ['has the status if the body is too long', 'x'.repeat(2 ** 21), 'The server answered 418.'],
  ];
  for (const [name, body, message] of CASES) {
    test(name, async () => {
      const { baseUrl } = await tokenService(1, () => [418, body]);
      await assert.rejects(clientOf(baseUrl).send(REQUEST), (error) => {
        assert(error instanceof ServiceRefusal);
        assert.equal(error.message, message);
        assert.equal(error.path, '/v2024/search');
        return true;
      });
    });
  }
});

test('a redirect is not followed, since it would send the credentials elsewhere', async () => {
  let reached = false;
  const elsewhere = await serve((_, outgoing) => {
    reached = true;
    outgoing.end('{"access_token":"t"}');
  });
  const baseUrl = await serve((_, outgoing) => {
    outgoing.writeHead(307, { location: `${elsewhere}/oauth/token` }).end();
  });
  await assert.rejects(clientOf(baseUrl).send(REQUEST), ServiceUnreachable);
  assert.equal(reached, false);
});

test('a postponed request is sent again after its Retry-After', async () => {
  let asked = 0;
  const baseUrl = await serve((_, outgoing) => {
    asked += 1;
    if (asked === 1) outgoing.writeHead(429, { 'retry-after': '0' });
    outgoing.end('done');
  });
  const waits: number[] = [];
  const client = new ServiceClient(
    { baseUrl, credentials: { token: 't' } },
    { onWait: (_, waitMs) => waits.push(waitMs) },
  );
  assert.equal(await (await client.send({ method: 'GET', path: '/' })).text(), 'done');
  assert.deepEqual(waits, [0]);
});

test('an aborted signal ends the wait of a postponed request', async () => {
  const baseUrl = await serve((_, outgoing) => {
    outgoing.writeHead(503, { 'retry-after': '250' }).end();
  });
  const stop = new AbortController();
  const client = new ServiceClient(
    { baseUrl, credentials: { token: 't' } },
    { signal: stop.signal, onWait: () => stop.abort() },
  );
  await assert.rejects(client.send({ method: 'GET', path: '/' }), { name: 'AbortError' });
});

test('a request without an answer ends after its time', { timeout: 60_000 }, async () => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const baseUrl = await serve(() => isAsked());
  const client = new ServiceClient({ baseUrl, credentials: { token: 't' } }, { timeoutMs: 1_000 });
  const unreachable = assert.rejects(client.send({ method: 'GET', path: '/' }), ServiceUnreachable);
  await asked;
  await collectGarbage();
  await unreachable;
});

describe('an answer that breaks off', () => {
  for (const [name, status, read] of [
    ['while its text is read', 200, (answer: Response) => answer.text()],
    ['while its JSON is read', 200, (answer: Response) => answer.json()],
    ['while it is read in pieces', 200, (answer: Response) => boundedText(answer)],
    ['although it is a refusal', 400, (answer: Response) => answer.text()],
  ] as const) {
    test(`is reported as an unreachable service ${name}`, async () => {
      const baseUrl = await serve((_, outgoing) => {
        outgoing.writeHead(status, { 'content-length': '100' });
        outgoing.write('["begun', () => outgoing.destroy());
      });
      const answer = clientOf(baseUrl, { token: 't' })
        .send({ method: 'GET', path: '/' })
        .then(read);
      await assert.rejects(answer, (error) => {
        assert(error instanceof ServiceUnreachable, String(error));
        assert.ok(error.message.startsWith(`${baseUrl} broke off in the middle of an answer: `));
        return true;
      });
    });
  }

  test('is the reason of the signal if that aborted it', async () => {
    const baseUrl = await serve((_, outgoing) => {
      outgoing.writeHead(200).write('["begun');
    });
    const stop = new AbortController();
    const access = { baseUrl, credentials: { token: 't' } };
    const client = new ServiceClient(access, { signal: stop.signal });
    const answer = await client.send({ method: 'GET', path: '/' });
    stop.abort();
    await assert.rejects(answer.text(), { name: 'AbortError' });
  });
});

test('a body is read up to its limit', async () => {
  assert.equal(await boundedText(new Response('abc'), 3), 'abc');
  await assert.rejects(boundedText(new Response('abcd'), 3), BodyTooLarge);
});

test('warnings are unquoted', () => {
  assert.deepEqual(warningTexts('299 - "say \\"x\\"", 299 cardea "b"'), ['say "x"', 'b']);
  assert.deepEqual(warningTexts(null), []);
});
