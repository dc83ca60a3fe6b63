// What a body may hold, and what becomes of one that may not be: a fault that says what and where.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { SourceLine } from '../../src/json/json-source.ts';
import { openapi, operations } from '../support/openapi.ts';
import { asAdmin, fakeApp, fakeRoutes, IMPORTED_NOTHING, json } from './fakes.ts';
import { AUTH, serving, Wire } from './wire.ts';

let seen: unknown;
const app = fakeApp({
  search: {
    async search(_caller, body) {
      seen = body;
      return { total: null, body: [Buffer.from('[]')], warnings: [] };
    },
  },
});
after(() => app.close());

const send = (payload: string | Buffer, headers: Record<string, string> = json) =>
  app.inject({ method: 'POST', url: '/v3/search', headers: { ...asAdmin, ...headers }, payload });

const REFUSED: readonly [string, string | Buffer, RegExp][] = [
  ['nothing', '', /empty/],
  ['an open object', '{"a":', /^the JSON is not valid at offset 5: the JSON ends before/],
  ['a comma too many', '{"a":1,}', /^the JSON is not valid at offset 7: .*one too many$/],
  ['a word of Python', '{"includeNested":True}', /at offset 17: True is written true$/],
  ['a word in line 2', '{\n"sort":[+created]}', /in line 2, column 9 \(offset 10\): '\+' stands/],
  ['a mark and a word', '\ufeff{"a":NaN}', /at offset 5: NaN is no number of JSON/],
  ['UTF-16 with a mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), /is UTF-16; send UTF-8$/],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), /at offset 1: .*U\+0000.*not UTF-16$/],
  ['one byte', Buffer.from([0xff]), /not UTF-8$/],
  ['depth 65', '['.repeat(65) + ']'.repeat(65), /deeper than 64/],
  ['20,000 levels', '['.repeat(20_000), /deeper than 64/],
  ['200,000 levels', '{"a":'.repeat(200_000), /deeper than 64/],
  ['70,000 objects', JSON.stringify(Array(70_000).fill({})), /than 65536 .* found 70001/],
  [
    '70,000 members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, n) => [`m${n}`, 1]))),
    /than 65536 .* found 70001/,
  ],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
  ['half a surrogate pair', '{"a":"\\ud800"}', /surrogate/],
  ['an escaped NUL', '{"a":"\\u0000"}', /NUL/],
  ['an integer beyond 2^53', '{"a":9007199254740993}', /byte 5/],
  ['a number beyond a double', '{"a":1e999}', /byte 5/],
];
for (const [name, payload, cause] of REFUSED) {
  test(`${name} is refused with its cause`, async () => {
    const response = await send(payload);
    assert.equal(response.statusCode, 400);
    const body = response.json();
    assert.equal(body.detailCode, '400.0 Bad request syntax');
    assert.match(body.causes[0].text, cause);
    assert.equal(body.trackingId, response.headers['slpt-request-id']);
  });
}

const TAKEN: readonly [string, string, unknown][] = [
  ['depth 64', `${'['.repeat(64)}${']'.repeat(64)}`, undefined],
  ['65,535 arrays in an array', JSON.stringify(Array(65_535).fill([])), undefined],
  ['150,000 numbers', JSON.stringify({ a: Array(150_000).fill(1) }), undefined],
  ['brackets inside strings', `{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`, undefined],
  ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
  ['the last of two members', '{"a":1,"a":2}', { a: 2 }],
  ['the largest exact integer', '{"a":9007199254740991}', { a: 9007199254740991 }],
];
for (const [name, payload, value] of TAKEN) {
  test(`${name} is taken`, async () => {
    assert.equal((await send(payload)).statusCode, 200);
    if (value !== undefined) assert.deepEqual(seen, value);
  });
}

test('a member called __proto__ sets no prototype', async () => {
  assert.equal((await send('{"__proto__":{"polluted":true}}')).statusCode, 200);
  assert.equal(Object.getPrototypeOf(seen), Object.prototype);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('a body whose length is over the limit is refused, and told the limit', async () => {
  const small = fakeApp({}, { bodyLimit: 100 });
  const declared = await small.inject({
    method: 'POST',
    url: '/v3/search',
    headers: { ...asAdmin, ...json },
    payload: `"${'a'.repeat(200)}"`,
  });
  assert.equal(declared.statusCode, 413);
  assert.match(declared.json().causes[0].text, /100 bytes/);
  await small.close();
});

const TYPES: readonly [string, string, number][] = [
  ['POST', 'application/json; charset=utf-8', 200],
  ['POST', 'APPLICATION/JSON', 200],
  ['POST', 'application/vnd.acme.v2+json', 200],
  ['POST', 'text/json', 415],
  ['POST', 'application/jsonp', 415],
  ['POST', 'application/x-www-form-urlencoded', 415],
  ['POST', 'not a type', 415],
  ['PATCH', 'application/json-patch+json', 200],
  ['PATCH', 'application/json-patch+json; charset=utf-8', 200],
  ['PATCH', 'application/json', 415],
];
for (const [method, type, status] of TYPES) {
  test(`${method} with ${type} is ${status}`, async () => {
    const response = await app.inject({
      method: method as 'POST',
      url: method === 'POST' ? '/v3/search' : '/v3/auth-users/x',
      headers: { ...asAdmin, 'content-type': type },
      payload: '[]',
    });
    assert.equal(response.statusCode, status);
  });
}

test('a compressed body is taken by imports only', async () => {
  const gzip = { ...json, 'content-encoding': 'gzip' };
  const refused = await send(gzipSync('{}'), gzip);
  assert.equal(refused.statusCode, 415);
  assert.equal(refused.headers['accept-encoding'], 'identity');
  assert.match(refused.json().causes[0].text, /Content-Encoding gzip .*; send identity$/);
  const brotli = { 'content-type': 'application/x-ndjson', 'content-encoding': 'br' };
  const imported = await importing('x', brotli);
  assert.equal(imported.headers['accept-encoding'], 'gzip, identity');
  assert.match(imported.body, /send gzip or identity"/);
});

test('every route that reads a body names the types that it takes when it refuses another', async () => {
  const everything = fakeApp();
  let checked = 0;
  for (const { method, path, body: kind, operation } of fakeRoutes()) {
    if (kind === 'none' || path.startsWith('/test')) continue;
    const url = path.replace(/:(\w+)(\([^)]*\))?/g, (_, name) => (name === 'version' ? 'v3' : 'x'));
    const at = `${method} ${url}`;
    const request = (type: string) => ({
      ...{ method, url, payload: '[]' },
      headers: { ...(operation === null ? {} : asAdmin), 'content-type': type },
    });
    for (const type of ['text/html', '']) {
      const { statusCode, headers, body } = await everything.inject(request(type));
      assert.equal(statusCode, 415, at);
      const types = String(headers['accept']).split(', ');
      for (const one of types) assert.ok(body.includes(one), `${at}: ${one} in ${body}`);
      const concrete = types.filter((one) => !one.includes('*')).join(', ');
      assert.equal(headers['accept-patch'], method === 'PATCH' ? concrete : undefined, at);
      if (type === '') continue;
      for (const one of types) {
        const { statusCode: taken } = await everything.inject(request(one.replace('*', 'acme')));
        assert.notEqual(taken, 415, `${at} with ${one}`);
      }
    }
    checked++;
  }
  assert.ok(checked > 60, `${checked} routes`);
  await everything.close();
});

test('the syntax fault is spelt otherwise outside of search', async () => {
  const headers = { ...asAdmin, 'content-type': 'application/json-patch+json' };
  for (const sent of [{ headers, payload: '[' }, { headers }]) {
    const response = await app.inject({ method: 'PATCH', url: '/v3/auth-users/x', ...sent });
    assert.equal(response.statusCode, 400);
    assert.equal(response.json().detailCode, '400.0 Bad request syntax error');
  }
});

const importing = (payload: Buffer | string, headers: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url: '/admin/v1/documents',
    headers: { ...asAdmin, ...headers },
    payload,
  });

test('an import takes NDJSON and arrays, gzip or not', async () => {
  for (const text of ['{"id":"a"}\n{"id":"b"}\n', '[{"id":"a"},{"id":"b"}]']) {
    for (const zip of [false, true]) {
      const response = await importing(zip ? gzipSync(text) : text, {
        'content-type': 'application/x-ndjson',
        ...(zip ? { 'content-encoding': 'gzip' } : {}),
      });
      assert.equal(response.statusCode, 200, response.body);
      assert.equal(response.json().created, 2);
    }
  }
});

test('gzip that is cut off or no gzip is refused', async () => {
  const whole = gzipSync(`{"id":"${'x'.repeat(1000)}"}\n`.repeat(1000));
  for (const payload of [whole.subarray(0, whole.length - 20), Buffer.from('no gzip')]) {
    const response = await importing(payload, {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
    assert.equal(response.statusCode, 400);
    assert.match(response.json().causes[0].text, /gzip/);
  }
});

test('a gzip bomb streams through without being held', async () => {
  const bomb = gzipSync(Buffer.alloc(140 * 1024 * 1024, 0x20));
  const before = process.memoryUsage().rss;
  let largest = 0;
  const watching = fakeApp({
    documents: {
      async importDocuments(_tenant, lines: AsyncIterable<SourceLine>) {
        for await (const _ of lines) largest = Math.max(largest, process.memoryUsage().rss);
        largest = Math.max(largest, process.memoryUsage().rss);
        return IMPORTED_NOTHING;
      },
    },
  });
  const response = await watching.inject({
    method: 'POST',
    url: '/admin/v1/documents',
    headers: { ...asAdmin, ...json, 'content-encoding': 'gzip' },
    payload: bomb,
  });
  assert.equal(response.statusCode, 200, response.body);
  assert.ok(largest - before < 100 * 1024 * 1024, `grew by ${largest - before} bytes`);
  await watching.close();
});

test('refresh=wait waits for the change that was made last', async () => {
  const waited: number[] = [];
  const waiting = fakeApp({
    status: {
      async waitUntilSearchable(sequence) {
        waited.push(sequence);
      },
    },
  });
  const headers = { ...asAdmin, ...json };
  const post = (query: string) =>
    waiting.inject({ method: 'POST', url: `/admin/v1/documents${query}`, headers, payload: '{}' });
  await post('');
  assert.deepEqual(waited, []);
  await post('?refresh=wait');
  assert.deepEqual(waited, [7]);
  assert.equal((await post('?refresh=soon')).statusCode, 400);
  await waiting.close();
});

test('large bodies that arrive together are parsed one a turn of the event loop', async () => {
  const payload = JSON.stringify({ values: Array.from({ length: 60_000 }, (_, n) => `value${n}`) });
  let turns = 0;
  let isCounting = true;
  const count = () => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  const parsedAt: number[] = [];
  const counted = fakeApp({
    search: {
      async search() {
        parsedAt.push(turns);
        return { total: null, body: [Buffer.from('[]')], warnings: [] };
      },
    },
  });
  setImmediate(count);
  await Promise.all(
    Array.from({ length: 10 }, () =>
      counted.inject({
        method: 'POST',
        url: '/v3/search',
        headers: { ...asAdmin, ...json },
        payload,
      }),
    ),
  );
  isCounting = false;
  await counted.close();
  assert.equal(parsedAt.length, 10);
  // Some may share a turn on a fast machine: a turn takes small ones until ten milliseconds are over.
  assert.ok(new Set(parsedAt).size > 3, parsedAt.join());
});

/** The media types of JSON that a documented operation takes, but for imports, which read lines. */
function jsonTypes(template: string, method: string): string[] {
  const { paths, components } = openapi as unknown as Document;
  const body = paths[template]?.[method.toLowerCase()]?.requestBody;
  const name = body?.$ref?.split('/').at(-1) ?? '';
  const { content = {} } = (name === '' ? body : components.requestBodies?.[name]) ?? {};
  const types = Object.keys(content);
  return types.some((type) => type.includes('ndjson'))
    ? []
    : types.filter((type) => /[/+]json$/.test(type));
}

interface RequestBody {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { requestBody?: RequestBody }>>>>;
  readonly components: { readonly requestBodies?: Readonly<Record<string, RequestBody>> };
}

test('every route that takes JSON says in its own dialect what is wrong with it, and where', async () => {
  const shapes = new Set<string>();
  const clause = 'he JSON is not valid at offset 5: True is written true';
  for (const { method, template, path } of operations()) {
    for (const type of jsonTypes(template, method)) {
      const response = await app.inject({
        ...{ method: method as 'POST', url: path.replaceAll(/\{\w+\}/g, 'x') },
        headers: { ...asAdmin, 'content-type': type },
        payload: '{"a":True}',
      });
      const request = `${method} ${path} ${type}: ${response.body}`;
      assert.equal(response.statusCode, 400, request);
      assert.ok(response.body.includes(clause), request);
      shapes.add(Object.keys(response.json()).join());
    }
  }
  assert.deepEqual([...shapes].sort(), [
    'detailCode,trackingId,messages,causes',
    'error',
    'error,error_description',
  ]);
});

test('a large body gives its memory back once it has been answered', () =>
  serving(
    async ({ port }) => {
      // Each needs more than half of the memory.
      const body = `${' '.repeat(59_998)}{}`;
      const wire = new Wire(port);
      for (let requests = 0; requests < 3; requests++) {
        wire.heard = '';
        wire.send(`POST /v3/search HTTP/1.1\r\n${AUTH}Content-Length: ${body.length}\r\n\r\n`);
        wire.send(body);
        await wire.until(() => /[\]}]$/.test(wire.heard), 'an answer');
        assert.match(wire.heard, /^HTTP\/1\.1 200 /);
      }
      wire.socket.destroy();
    },
    {},
    { bodyMemory: 100_000 },
  ));
