// Requests of a mirror: repeated while that can help, paused as the service asks, with one token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  type OutboundRequest,
  type OutboundResponse,
  OutboundTooLarge,
} from '../../auth/outbound.ts';
import { ServiceError } from '../../errors.ts';
import { ClientCredentials } from './client-credentials.ts';
import { BadAnswer, RemoteClient } from './remote-client.ts';
import { RequestPace } from './request-pace.ts';

type Answer = Partial<Omit<OutboundResponse, 'body'>> & { readonly body?: unknown };

/** A client whose requests get these answers, in order; the last one again and again. */
function clientOf(answers: readonly (Answer | Error)[], credential = null) {
  const sent: (OutboundRequest & { readonly url: URL })[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const options = {
    sender: {
      async send(url: URL, request: OutboundRequest): Promise<OutboundResponse> {
        sent.push({ ...request, url });
        const answer = answers[Math.min(sent.length, answers.length) - 1] ?? {};
        if (answer instanceof Error) throw answer;
        const { status = 200, headers = {}, body = {} } = answer;
        const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
        return { status, headers, body: bytes };
      },
      end() {},
    },
    pace: new RequestPace(null, () => 0),
    sleep: async (ms: number) => {
      waits.push(ms);
      stop.signal.throwIfAborted();
    },
    random: () => 1,
    signal: stop.signal,
    bodyBytesMax: 1_000,
    backoffMs: 100,
  };
  const client = new RemoteClient(new URL('https://acme.example/base/'), credential, options);
  return { client, options, sent, waits, stop };
}

const GET = { method: 'GET', path: '/v3/things?limit=1' } as const;
const text = ({ body }: { body: Buffer }) => body.toString();
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
  assert.deepEqual(waits, [100, 200, 400]);
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
  assert.deepEqual([...new Set(waits.filter((ms) => ms > 0))], [100, 200, 400]);
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
  const { client, sent } = clientOf([
    { status: 403, body: { messages: [{ text: 'The server understood the request' }] } },
  ]);
  await assert.rejects(
    client.call(GET, text),
    /GET https:\/\/acme\.example\/base\/v3\/things answered 403: The server understood/,
  );
  assert.equal(sent.length, 1);
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

test('uses one token until shortly before it expires, and a new one after a refusal', async () => {
  let now = 0;
  let tokens = 0;
  const { options } = clientOf([]);
  const sent: string[] = [];
  const sender = {
    async send(url: URL, request: OutboundRequest): Promise<OutboundResponse> {
      const answer = (status: number, body: object) => {
        return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
      };
      if (url.pathname === '/oauth/token') {
        tokens += 1;
        assert.match(request.body ?? '', /client_secret=s%26cret/);
        return answer(200, { access_token: `t${tokens}`, expires_in: 720 });
      }
      const authorization = request.headers['authorization'] ?? '';
      sent.push(authorization);
      return answer(authorization === 'Bearer t2' ? 401 : 200, {});
    },
    end() {},
  };
  const base = new URL('https://acme.example');
  const anonymous = new RemoteClient(base, null, { ...options, sender });
  const credentials = new ClientCredentials(anonymous, 'id', 's&cret', () => now);
  const client = new RemoteClient(base, credentials, { ...options, sender });
  await Promise.all([client.call(GET, text), client.call(GET, text)]);
  now = 659_000;
  await client.call(GET, text);
  assert.equal(tokens, 1);
  now = 661_000;
  await client.call(GET, text);
  assert.equal(tokens, 3);
  assert.deepEqual(sent, [...Array(3).fill('Bearer t1'), 'Bearer t2', 'Bearer t3']);
});

test('shares one new token among requests that are refused together', async () => {
  let tokens = 0;
  const { options } = clientOf([]);
  const sender = {
    async send(url: URL, request: OutboundRequest): Promise<OutboundResponse> {
      const answer = (status: number, body: object) => {
        return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
      };
      await new Promise((resolve) => setImmediate(resolve));
      if (url.pathname === '/oauth/token') {
        tokens += 1;
        return answer(200, { access_token: `t${tokens}`, expires_in: 720 });
      }
      return answer(request.headers['authorization'] === 'Bearer t1' ? 401 : 200, {});
    },
    end() {},
  };
  const base = new URL('https://acme.example');
  const anonymous = new RemoteClient(base, null, { ...options, sender });
  const credentials = new ClientCredentials(anonymous, 'id', 'secret', () => 0);
  const client = new RemoteClient(base, credentials, { ...options, sender });
  await Promise.all(Array.from({ length: 5 }, () => client.call(GET, text)));
  assert.equal(tokens, 2);
});

test('gives up soon if no request was ever answered, as the address may be wrong', async () => {
  const { client, sent } = clientOf([lost]);
  await assert.rejects(client.call(GET, text), lost);
  assert.equal(sent.length, 5);
});

test('an answer, whatever it is, shows that the address is right', async () => {
  const { client, sent } = clientOf([{ status: 500 }, lost]);
  await assert.rejects(client.call(GET, text), lost);
  assert.equal(sent.length, 25);
});
