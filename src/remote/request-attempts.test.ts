// How long a request is tried, with a clock that only waits and answers move.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OutboundRequest } from '../auth/outbound.ts';
import { ServiceError } from '../errors.ts';
import {
  ANSWER_MS_MAX,
  ANSWER_MS_MIN,
  JSON_DEPTH_MAX,
  JSON_PARTS_MAX,
  REQUEST_MS_MAX,
} from './remote-limits.ts';
import { shownText } from './remote-text.ts';
import { jsonOf, ServiceClient, type ServiceClientOptions } from './service-client.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds until it is here. */
  readonly after?: number;
}

const GET = { method: 'GET', path: '/v3/things' } as const;
const PLACE = 'GET https://acme.example/v3/things answered';
const NEVER = { after: Number.POSITIVE_INFINITY };

/** A client of a service with these answers, in order; the last one again and again. */
function clientOf(answers: readonly Answer[], options: Partial<ServiceClientOptions> = {}) {
  const clock = { ms: 0 };
  const waits: number[] = [];
  let sent = 0;
  const client = new ServiceClient(
    { baseUrl: 'https://acme.example', credentials: { token: 'given' } },
    {
      sender: {
        async send(_: URL, { timeoutMs = 0 }: OutboundRequest) {
          const {
            status = 200,
            headers = {},
            body = {},
            after = 1,
          } = answers[sent++] ?? {
            ...answers.at(-1),
          };
          clock.ms += Math.min(after, timeoutMs);
          if (after > timeoutMs) throw new ServiceError('unavailable', 'no complete answer');
          return { status, headers, body: Buffer.from(JSON.stringify(body)) };
        },
        open: () => Promise.reject(new Error('no stream')),
        end() {},
      },
      async sleep(ms) {
        waits.push(ms);
        clock.ms += ms;
      },
      ...{ now: () => clock.ms, random: () => 0.5, allowPrivateAddresses: false },
      ...{ repeated: 'failed', ...options },
    },
  );
  const call = () => client.call(GET, ({ body }) => jsonOf(body));
  return { call, clock, waits, sent: () => sent };
}

const busy = (seconds: string): Answer => ({ status: 429, headers: { 'retry-after': seconds } });

const ENDLESS: readonly (readonly [
  name: string,
  answer: Answer,
  expected: { readonly message: RegExp; readonly sentMax: number },
])[] = [
  [
    'postpones it by Retry-After: 30',
    busy('30'),
    {
      message:
        /429 \(given up after 20 attempts in 570 s, 570 s of it waiting: .* 30 s more than the limit of 600 s allows\)$/,
      sentMax: 20,
    },
  ],
  [
    'postpones it without a time',
    { status: 429 },
    { message: /answered 429 \(given up after/, sentMax: 60 },
  ],
  [
    'says to come back at once',
    busy('0'),
    { message: /answered 429 \(given up after/, sentMax: 60 },
  ],
  [
    'answers so slowly that no answer is complete',
    NEVER,
    {
      message: /^no complete answer \(given up after 5 attempts in 600 s, 2 s of it waiting\)$/,
      sentMax: 6,
    },
  ],
  ['fails', { status: 502 }, { message: /502 \(given up after 25 attempts in/, sentMax: 25 }],
];
for (const [name, answer, { message, sentMax }] of ENDLESS) {
  test(`a service that only ${name} is given up within ten minutes`, async () => {
    const { call, clock, sent } = clientOf([{ status: 500 }, {}, answer]);
    await call();
    const began = [clock.ms, sent()] as const;
    await assert.rejects(call(), { message });
    assert.ok(clock.ms - began[0] <= REQUEST_MS_MAX + ANSWER_MS_MIN, `${clock.ms}`);
    assert.ok(sent() - began[1] <= sentMax, `${sent()}`);
    // The others are given up soon: the service is known to be away.
    const given = clock.ms;
    await assert.rejects(call());
    assert.ok(clock.ms - given <= ANSWER_MS_MAX, `${clock.ms - given}`);
  });
}

test('before its first answer, a service that answers too slowly is given up after one attempt', async () => {
  const { call, clock } = clientOf([NEVER]);
  await assert.rejects(call(), {
    message: 'no complete answer (given up after 1 attempt in 120 s)',
  });
  assert.equal(clock.ms, ANSWER_MS_MAX);
});

test('an address that answers something else is given up soon', async () => {
  const { call, sent } = clientOf([{ body: '<html>' }]);
  await assert.rejects(call(), {
    message: `${PLACE} 200 with a body that is not JSON (given up after 5 attempts in 2 s, 2 s of it waiting)`,
  });
  assert.equal(sent(), 5);
});

const LONG_WAITS: readonly (readonly [header: string, seconds: string])[] = [
  ['601', '601'],
  ['1000000000', '1000000000'],
  ['9'.repeat(400), '1000000000000'],
  ['Fri, 31 Dec 9999 23:59:59 GMT', String.raw`\d{12}`],
];
for (const [header, seconds] of LONG_WAITS) {
  test(`Retry-After: ${header.slice(0, 30)} ends the request, and is named`, async () => {
    const { call, waits, sent } = clientOf([busy(header)]);
    const asks = `the service asks to wait ${seconds} s, longer than the limit of 600 s`;
    const message = new RegExp(`429 \\(given up after 1 attempt in 0 s: ${asks}\\)$`);
    await assert.rejects(call(), { message });
    assert.deepEqual([sent(), waits], [1, []]);
  });
}

test('a service that refuses many requests in a row, each for a while, gets its time', async () => {
  const storm = Array.from({ length: 25 }, () => busy('20'));
  const { call, clock } = clientOf([{}, ...storm, { body: [1] }]);
  await call();
  assert.deepEqual(await call(), [1]);
  assert.ok(clock.ms >= 500_000);
});

test('answers that take nearly two minutes each are waited for', async () => {
  const slow = { after: ANSWER_MS_MAX - 1 };
  const { call, sent } = clientOf([slow]);
  for (let i = 0; i < 20; i++) await call();
  assert.equal(sent(), 20);
});

test('waits for the pace of the operator count for no limit', async () => {
  const reserve = () => 400_000;
  const failures = Array.from({ length: 5 }, () => ({ status: 503 }));
  const { call, clock } = clientOf([...failures, { body: [1] }], {
    pace: { reserve, pause() {} },
  });
  assert.deepEqual(await call(), [1]);
  assert.ok(clock.ms > 2_000_000);
});

describe('an access token', () => {
  const UNSENDABLE = ['a\r\nx-injected: 1', 'a b', 'ä', '\u0000', '', 'x'.repeat(20_000)];
  for (const token of UNSENDABLE) {
    test(`that no header can hold, ${JSON.stringify(token.slice(0, 9))}, is one sentence`, async () => {
      const client = new ServiceClient(
        { baseUrl: 'https://acme.example', credentials: { clientId: 'id', clientSecret: 's' } },
        {
          sender: {
            send: async () => ({
              ...{ status: 200, headers: {} },
              body: Buffer.from(JSON.stringify({ access_token: token })),
            }),
            open: () => Promise.reject(new Error('no stream')),
            end() {},
          },
          ...{ allowPrivateAddresses: false, repeated: 'none' },
        },
      );
      await assert.rejects(client.token(), {
        code: 'unavailable',
        message: /oauth\/token answered 200 with an access token that no HTTP header can hold$/,
      });
    });
  }

  test('that was given and cannot be sent is named, and not sent', async () => {
    const client = new ServiceClient(
      { baseUrl: 'https://acme.example', credentials: { token: 'key\n' } },
      { allowPrivateAddresses: false, repeated: 'failed' },
    );
    await assert.rejects(
      client.call(GET, () => null),
      { message: /^The key or token for https:\/\/acme\.example has characters that no HTTP/ },
    );
    client.end();
  });
});

test('JSON that is nested too deeply, or has too many parts, is no answer', () => {
  const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
  assert.doesNotThrow(() => jsonOf(nested(JSON_DEPTH_MAX)));
  assert.throws(() => jsonOf(nested(100_000)), /nested deeper than 70 levels/);
  const parts = Buffer.from(`[${'{},'.repeat(JSON_PARTS_MAX)}{}]`);
  assert.throws(() => jsonOf(parts), /more than 2000000 objects, arrays and members/);
});

test('a text of a service is shown on one line, escaped and shortened', () => {
  assert.equal(
    shownText('done\r\n\u001b[2Kmirror complete'),
    'done\\u000d\\u000a\\u001b[2Kmirror complete',
  );
  assert.equal(shownText('x'.repeat(10_000)), `${'x'.repeat(300)}…`);
  assert.equal(shownText('a💡b', 2), 'a…');
});
