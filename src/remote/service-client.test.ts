// Requests to a service: repeated while that can help, paused as the service asks, with one token.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type OutboundRequest, type OutboundResponse, OutboundTooLarge } from '../auth/outbound.ts';
import { ServiceError } from '../errors.ts';
import {
  BadAnswer,
  type ServiceAnswer,
  ServiceClient,
  type ServiceClientOptions,
  type ServiceCredentials,
} from './service-client.ts';
import { ServiceRefusal, warningTexts } from './service-refusal.ts';

type Answer = Partial<Omit<OutboundResponse, 'body'>> & { readonly body?: unknown };
type Sent = OutboundRequest & { readonly url: URL };

interface Clients {
  readonly credentials?: ServiceCredentials;
  readonly repeated?: ServiceClientOptions['repeated'];
  readonly now?: () => number;
}

const CLIENT = { clientId: 'id', clientSecret: 's&cret' };

/** A client whose requests get the answers of a function. */
function clientWith(answerOf: (sent: Sent) => Answer | Error, options: Clients = {}) {
  const { credentials = { token: 'given' }, repeated = 'failed', now = () => 0 } = options;
  const waits: number[] = [];
  const stop = new AbortController();
  const client = new ServiceClient(
    { baseUrl: 'https://acme.example/base/', credentials },
    {
      sender: {
        async send(url, request) {
          await new Promise((resolve) => setImmediate(resolve));
          const answer = answerOf({ ...request, url });
          if (answer instanceof Error) throw answer;
          const { status = 200, headers = {}, body = {} } = answer;
          const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
          return { status, headers, body: bytes };
        },
        open: () => Promise.reject(new Error('no stream')),
        end() {},
      },
      async sleep(ms) {
        waits.push(ms);
      },
      ...{ repeated, now, random: () => 1, signal: stop.signal },
      ...{ allowPrivateAddresses: false, bodyBytesMax: 1_000 },
    },
  );
  return { client, waits, stop };
}

/** A client whose requests get these answers, in order; the last one again and again. */
function clientOf(answers: readonly (Answer | Error)[], options: Clients = {}) {
  const sent: Sent[] = [];
  const answerOf = (request: Sent) => {
    sent.push(request);
    return answers[Math.min(sent.length, answers.length) - 1] ?? {};
  };
  return { ...clientWith(answerOf, options), sent };
}

/** A service that issues the tokens `t1`, `t2`, … and refuses some. */
function tokenClient(isRefused: (token: string) => boolean, options: Clients = {}) {
  const sent: string[] = [];
  let issued = 0;
  const { client } = clientWith(
    ({ url, headers, body }) => {
      if (url.pathname === '/base/oauth/token') {
        issued += 1;
        assert.match(body ?? '', /client_secret=s%26cret/);
        return { body: { access_token: `t${issued}`, expires_in: 720 } };
      }
      const token = headers['authorization']?.slice('Bearer '.length) ?? '';
      sent.push(token);
      return { status: isRefused(token) ? 401 : 200 };
    },
    { credentials: CLIENT, ...options },
  );
  return { client, sent, issued: () => issued };
}

const GET = { method: 'GET', path: '/v3/things?limit=1' } as const;
const text = ({ body }: ServiceAnswer) => body.toString();
const lost = new ServiceError('unavailable', 'Could not fetch: socket hang up');

test('returns what it reads, from below the base URL', async () => {
  const { client, sent } = clientOf([{ body: { a: 1 } }]);
  assert.equal(await client.call(GET, text), '{"a":1}');
  assert.equal(sent[0]?.url.href, 'https://acme.example/base/v3/things?limit=1');
});

test('repeats after lost connections, busy servers and answers that cannot be read', async () => {
  const { client, sent, waits } = clientOf([
    lost,
    { status: 500 },
    { body: 'no' },
    { body: 'yes' },
  ]);
  const answer = await client.call(GET, ({ body }) => {
    if (body.toString() === '"no"') throw new BadAnswer('a no');
    return body.toString();
  });
  assert.equal(answer, '"yes"');
  assert.equal(sent.length, 4);
  assert.deepEqual(waits, [250, 500, 1_000]);
});

test('waits as long as Retry-After says, in seconds or until a date', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const { client, waits } = clientOf([
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 503, headers: { 'retry-after': '2' } },
    { status: 429, headers: { 'retry-after': date } },
    { status: 429 },
    {},
  ]);
  await client.call(GET, text);
  // Waiting for the pace and for the refusal are one: the clock of the test stands still.
  const asked = waits.filter((ms) => ms > 0);
  assert.ok(asked.includes(7_000) && asked.includes(2_000) && asked.includes(10_000), `${asked}`);
  assert.ok(
    asked.some((ms) => ms > 50_000 && ms <= 60_000),
    `${asked}`,
  );
});

test('backs off from a service that says to come back at once, or at a time that has passed', async () => {
  const past = new Date(Date.now() - 60_000).toUTCString();
  const { client, waits } = clientOf([
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 503, headers: { 'retry-after': past } },
    { status: 429, headers: { 'retry-after': '0' } },
    {},
  ]);
  await client.call(GET, text);
  // The pace repeats them: the clock of the test stands still.
  assert.deepEqual([...new Set(waits.filter((ms) => ms > 0))], [250, 500, 1_000]);
});

test('reads the date of Retry-After by the clock of the service', async () => {
  const ahead = Date.now() + 86_400_000;
  const headers = {
    date: new Date(ahead).toUTCString(),
    'retry-after': new Date(ahead + 8_000).toUTCString(),
  };
  const { client, waits } = clientOf([{ status: 503, headers }, {}]);
  await client.call(GET, text);
  assert.deepEqual(waits, [8_000]);
});

test('gives up at once when repeating does not help, and says what was answered', async () => {
  const place = 'GET https://acme.example/base/v3/things';
  const cases: readonly (readonly [causes: readonly string[], message: string])[] = [
    [[], 'Not valid.'],
    [['sort: no field "a"', 'limit: 0'], 'Not valid. sort: no field "a"'],
    [['Not valid.', 'limit: 0'], 'Not valid. limit: 0'],
    [['x'.repeat(300)], `Not valid. ${'x'.repeat(200)}…`],
    [['\u001b[2K\r\u009b1A\u202e'], 'Not valid. \\u001b[2K\\u000d\\u009b1A\\u202e'],
  ];
  for (const [causes, message] of cases) {
    const messages = [{ text: 'Not valid.' }];
    const body = { messages, causes: causes.map((cause) => ({ text: cause })) };
    const { client, sent } = clientOf([{ status: 400, body }]);
    await assert.rejects(client.call(GET, text), { message: `${place} answered 400: ${message}` });
    assert.equal(sent.length, 1);
  }
});

test('gives up after many failures in a row', async () => {
  const { client, sent } = clientOf([{ status: 502 }]);
  await assert.rejects(client.call(GET, text), /answered 502/);
  assert.equal(sent.length, 25);
});

test('gives up soon after a request was given up, until one is answered', async () => {
  const { client, sent } = clientOf([...Array(30).fill({ status: 502 }), {}, { status: 502 }]);
  const attempts = async () => {
    const before = sent.length;
    await client.call(GET, text).catch(() => {});
    return sent.length - before;
  };
  assert.deepEqual(
    [await attempts(), await attempts(), await attempts(), await attempts()],
    [25, 5, 1, 25],
  );
});

test('unpacks answers, and refuses those that grow too large', async () => {
  const gzip = { 'content-encoding': 'gzip' };
  const packed = clientOf([{ headers: gzip, body: gzipSync('[1]') }]);
  assert.equal(await packed.client.call(GET, text), '[1]');
  const bomb = clientOf([{ headers: gzip, body: gzipSync('x'.repeat(2_000)) }]);
  await assert.rejects(bomb.client.call(GET, text), OutboundTooLarge);
  const broken = clientOf([{ headers: gzip, body: Buffer.from('no') }, { body: [] }]);
  assert.equal(await broken.client.call(GET, text), '[]');
});

test('stops waiting when the run is stopped', async () => {
  const { client, stop } = clientOf([{ status: 500 }]);
  stop.abort();
  await assert.rejects(client.call(GET, text), { name: 'AbortError' });
});

test('gives up soon if no request was ever answered, as the address may be wrong', async () => {
  const { client, sent } = clientOf([lost]);
  await assert.rejects(client.call(GET, text), {
    message: `${lost.message} (given up after 5 attempts in 4 s, 4 s of it waiting)`,
  });
  assert.equal(sent.length, 5);
});

test('an answer, whatever it is, shows that the address is right', async () => {
  const { client, sent } = clientOf([{ status: 500 }, lost]);
  await assert.rejects(client.call(GET, text), {
    message: `${lost.message} (given up after 25 attempts in 542 s, 542 s of it waiting)`,
  });
  assert.equal(sent.length, 25);
});

describe('the access token', () => {
  test('is used until shortly before it expires, and replaced once it is refused', async () => {
    let now = 0;
    const service = tokenClient((token) => token === 't2', { now: () => now });
    const { client } = service;
    await Promise.all([client.call(GET, text), client.call(GET, text)]);
    now = 659_000;
    await client.call(GET, text);
    assert.equal(service.issued(), 1);
    now = 661_000;
    await client.call(GET, text);
    assert.equal(service.issued(), 3);
    assert.deepEqual(service.sent, [...Array(3).fill('t1'), 't2', 't3']);
  });

  test('is requested once for requests that are refused together', async () => {
    const service = tokenClient((token) => token === 't1');
    await Promise.all(Array.from({ length: 5 }, () => service.client.call(GET, text)));
    assert.equal(service.issued(), 2);
  });

  test('that is refused again ends the request', async () => {
    const service = tokenClient(() => true);
    await assert.rejects(service.client.call(GET, text), { status: 401 });
    assert.equal(service.issued(), 2);
  });

  test('that was given is never replaced', async () => {
    const service = tokenClient(() => true, { credentials: { token: 'given' } });
    await assert.rejects(service.client.call(GET, text), { status: 401 });
    assert.deepEqual(service.sent, ['given']);
  });

  test('that is missing in the answer says so', async () => {
    const { client } = clientOf([{}], { credentials: CLIENT, repeated: 'none' });
    await assert.rejects(client.token(), /oauth\/token answered 200 with no access token/);
  });
});

describe('a refusal', () => {
  const CASES: readonly (readonly [name: string, body: unknown, ...reasons: string[]])[] = [
    [
      'lists the causes of an error of the API',
      { messages: [{ text: 'Invalid.' }], causes: [{ text: 'limit: 0' }, { text: 'sort: x' }] },
      'limit: 0',
      'sort: x',
    ],
    ['has the message of an error without causes', { messages: [{ text: 'No.' }] }, 'No.'],
    ['has the description of an OAuth error', { error_description: 'Bad client.' }, 'Bad client.'],
    ['is unpacked', gzipSync('{"error":"No."}'), 'No.'],
    ...['<html>', 'x'.repeat(2 ** 21), null].map(
      (body) =>
        [
          `has the status for ${JSON.stringify(body)?.slice(0, 9)}`,
          Buffer.from(String(body)),
          'GET https://acme.example/base/v3/things answered 418',
        ] as const,
    ),
  ];
  for (const [name, body, ...reasons] of CASES) {
    test(name, async () => {
      const headers = name === 'is unpacked' ? { 'content-encoding': 'gzip' } : {};
      const { client } = clientOf([{ status: 418, headers, body }]);
      await assert.rejects(client.call(GET, text), (error) => {
        assert(error instanceof ServiceRefusal);
        assert.deepEqual(error.reasons, reasons);
        assert.equal(error.path, '/base/v3/things');
        return true;
      });
    });
  }
});

const AGAIN: readonly (readonly [repeated: ServiceClientOptions['repeated'], sent: number[]])[] = [
  ['none', [1, 1, 1, 1]],
  ['postponed', [2, 2, 1, 1]],
  ['failed', [2, 2, 2, 2]],
];
for (const [repeated, requests] of AGAIN) {
  test(`sends again what the option says: ${repeated}`, async () => {
    const counts: number[] = [];
    for (const fault of [{ status: 429 }, { status: 503 }, { status: 500 }, lost]) {
      const { client, sent } = clientOf([fault, {}], { repeated });
      await client.call(GET, text).catch(() => {});
      counts.push(sent.length);
    }
    assert.deepEqual(counts, requests);
  });
}

describe('over HTTP', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  async function serve(listener: RequestListener) {
    const server = createServer(listener);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function openClient(baseUrl: string, options: Partial<ServiceClientOptions> = {}) {
    return new ServiceClient(
      { baseUrl, credentials: { token: 't' } },
      { allowPrivateAddresses: true, repeated: 'none', ...options },
    );
  }

  async function textOf(client: ServiceClient, opened = () => {}): Promise<string> {
    const { body } = await client.stream(GET);
    opened();
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  test('a redirect is not followed, since it would send the credentials elsewhere', async () => {
    let isReached = false;
    const elsewhere = await serve((_, outgoing) => {
      isReached = true;
      outgoing.end('{"access_token":"t"}');
    });
    const baseUrl = await serve((_, outgoing) => {
      outgoing.writeHead(307, { location: `${elsewhere}/oauth/token` }).end();
    });
    const access = { baseUrl, credentials: CLIENT };
    const client = new ServiceClient(access, { allowPrivateAddresses: true, repeated: 'none' });
    await assert.rejects(client.call(GET, text), { status: 307, path: '/oauth/token' });
    assert.equal(isReached, false);
  });

  test('an answer is read while it arrives, or is a refusal', async () => {
    const baseUrl = await serve(({ headers }, outgoing) => {
      if (headers.accept === 'text/csv') outgoing.writeHead(400).end('{"error":"no CSV"}');
      else outgoing.end('rows');
    });
    const client = openClient(baseUrl);
    assert.equal(await textOf(client), 'rows');
    await assert.rejects(client.stream({ ...GET, accept: 'text/csv' }), { reasons: ['no CSV'] });
  });

  test('an answer that breaks off is a failure', async () => {
    const baseUrl = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' });
      outgoing.write('["begun', () => outgoing.destroy());
    });
    const client = openClient(baseUrl);
    await assert.rejects(client.call(GET, text), { code: 'unavailable' });
    await assert.rejects(textOf(client), { code: 'unavailable' });
  });

  test('an answer that is aborted has the reason of the signal', async () => {
    const baseUrl = await serve((_, outgoing) => {
      outgoing.writeHead(200).write('["begun');
    });
    const stop = new AbortController();
    const client = openClient(baseUrl, { signal: stop.signal });
    await assert.rejects(
      textOf(client, () => stop.abort()),
      { name: 'AbortError' },
    );
  });

  test('an aborted signal ends the wait of a postponed request', async () => {
    const baseUrl = await serve((_, outgoing) => {
      outgoing.writeHead(503, { 'retry-after': '250' }).end();
    });
    const stop = new AbortController();
    const onRetry = () => stop.abort();
    const client = openClient(baseUrl, { signal: stop.signal, repeated: 'postponed', onRetry });
    await assert.rejects(client.call(GET, text), { name: 'AbortError' });
  });
});

test('warnings are unquoted', () => {
  assert.deepEqual(warningTexts('299 - "say \\"x\\"", 299 cardea "b"'), ['say "x"', 'b']);
  assert.deepEqual(warningTexts(undefined), []);
});
