// The log names requests by their tracking id and holds no secrets; callers learn nothing of our insides.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { ServiceError } from '../../src/errors.ts';
import { asAdmin, fakeApp, json } from './fakes.ts';
import { AUTH, serving, Wire } from './wire.ts';

function logged() {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: pino({ level: 'debug' }, sink) };
}

test('a line per request, with the id the client has and without query, headers and body', async () => {
  const { lines, log } = logged();
  const app = fakeApp({}, { log });
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token?client_secret=SECRET1',
    headers: { authorization: 'Basic U0VDUkVUMjpTRUNSRVQz' },
    payload: { client_secret: 'SECRET4' },
  });
  await app.inject({
    url: '/v3/search/identities/i-1',
    headers: { authorization: 'Bearer SECRET5' },
  });
  await app.close();
  const first = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request');
  assert.equal(first.trackingId, response.headers['slpt-request-id']);
  assert.equal(first.path, '/oauth/token');
  assert.equal(first.status, 400);
  assert.doesNotMatch(lines.join(''), /SECRET\d|U0VDUkVU/);
});

test('probes are logged at level debug, and when they fail like other requests', async () => {
  const { lines, log } = logged();
  let reasons: readonly string[] = [];
  const status = { unreadyReasons: async () => reasons };
  let now = 0;
  const app = fakeApp({ status }, { log, clock: { now: () => now } });
  const paths = ['/health', '/ready', '/health_check'];
  for (const url of paths) await app.inject({ url: `${url}?x=1` });
  reasons = ['The store does not answer.'];
  now += 1_000;
  await app.inject({ url: '/ready' });
  await app.close();
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ level, path, status }) => [level, path, status]),
    [...paths.map((path) => [20, path, 200]), [30, '/ready', 503]],
  );
});

test('a defect is logged whole and answered with nothing but its id', async () => {
  const { lines, log } = logged();
  const app = fakeApp(
    {
      search: {
        search: () => Promise.reject(new TypeError('inside of /srv/file.ts')),
      },
    },
    { log },
  );
  const response = await app.inject({
    method: 'POST',
    url: '/v3/search',
    headers: { ...asAdmin, ...json },
    payload: '{}',
  });
  await app.close();
  assert.equal(response.statusCode, 500);
  assert.doesNotMatch(response.body, /inside|TypeError|file\.ts/);
  const line = JSON.parse(lines[0] ?? '');
  assert.equal(line.trackingId, response.json().trackingId);
  assert.match(line.err.stack, /inside of/);
});

const CUT_OFF: readonly (readonly [error: Error, level: number])[] = [
  [new TypeError('inside of /srv/file.ts'), 50],
  [new ServiceError('unavailable', 'The store is away.'), 40],
];
for (const [error, level] of CUT_OFF) {
  test(`the log says why a response was cut off: ${error.message}`, () => {
    const { lines, log } = logged();
    let fail = () => {};
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
    async function* chunks() {
      yield { bytes: Buffer.from('["first",\n'), rows: 1 };
      await failing;
      throw error;
    }
    const rows = async () => ({ total: null, warnings: [], headers: [], chunks: chunks() });
    return serving(
      async ({ port }) => {
        const wire = new Wire(port);
        wire.send(`POST /v3/search/rows HTTP/1.1\r\n${AUTH}Content-Length: 2\r\n\r\n{}`);
        await wire.until(() => wire.heard.includes('"first"'), 'the first row');
        fail();
        await wire.until(() => wire.closed, 'the end of the connection');
        const all = lines.map((text) => JSON.parse(text));
        const line = all.find(({ msg }) => msg === 'response cut off');
        assert.deepEqual([line?.level, line?.err.message], [level, error.message]);
        assert.equal(line.trackingId, /SLPT-Request-ID: (\w+)/.exec(wire.heard)?.[1]);
      },
      { search: { rows } },
      { log },
    );
  });
}
