// Documents through the whole service: what goes in comes out as it was, what would not is refused by name, and a bad one
// harms no other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let token: string;

before(async () => {
  service = await startService();
  token = await service.token();
});
after(() => service.stop());

interface Report {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
}

async function post(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${service.url}/admin/v1/documents?refresh=wait`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
      ...headers,
    },
    body,
  });
}

async function put(...lines: (string | object)[]): Promise<Report> {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const answer = await post(texts.join('\n'));
  assert.equal(answer.status, 200);
  return (await answer.json()) as Report;
}

async function count(query: string): Promise<number> {
  const answer = await service.call('POST', '/v2024/search/count', { query: { query } });
  return Number(answer.headers.get('x-total-count'));
}

const role = (id: string, more: object = {}) => ({ _type: 'role', id, name: id, ...more });

test('a document comes out as it went in, by id and by search', async () => {
  const document = {
    id: 'round-1',
    name: 'Zoë “quoted” \\ / \t 🦊',
    displayName: '',
    created: '2025-02-03T04:05:06.007Z',
    synced: '2025-02-03T04:05:06.007Z',
    inactive: false,
    accessCount: 0,
    attributes: {
      text: 'ü',
      long: 9007199254740991,
      double: -0.5,
      flag: true,
      none: null,
      list: ['a', 'b'],
    },
    unknown: { deep: [{ er: [1, 'two', null] }] },
    accounts: [{ id: 'a', source: { id: 's', name: 'S' }, disabled: true }],
  };
  assert.equal((await put({ ...document, _type: 'identity', _version: 'v2' })).created, 1);
  const answer = await service.call('GET', '/v2024/search/identities/round-1');
  assert.deepEqual(await answer.json(), document);
  const body = { indices: ['identities'], query: { query: 'id:round-1' } };
  const [hit] = (await (await service.call('POST', '/v2024/search', body)).json()) as object[];
  const envelope = {
    _type: 'identity',
    type: 'identity',
    _version: 'v2',
    pod: 'local',
    org: 'test',
  };
  assert.deepEqual(hit, { ...document, ...envelope });
  assert.equal((await put({ ...document, _type: 'identity' })).unchanged, 1);
});

const BY_ID: readonly (readonly [path: string, status: number, detailCode: string])[] = [
  ['identities/none', 404, '404 Not found'],
  ['identities/ROUND-1', 404, '404 Not found'],
  ['roles/round-1', 404, '404 Not found'],
  ['people/round-1', 400, '400.1 Bad Request Content'],
  ['Identities/round-1', 400, '400.1 Bad Request Content'],
  ['*/round-1', 400, '400.1 Bad Request Content'],
  ['__proto__/round-1', 400, '400.1 Bad Request Content'],
];
for (const [path, status, detailCode] of BY_ID) {
  test(`GET /search/${path} is ${status}`, async () => {
    const answer = await service.call('GET', `/v2024/search/${path}`);
    assert.equal(answer.status, status);
    const fault = (await answer.json()) as { detailCode: string; causes: object[] };
    assert.equal(fault.detailCode, detailCode);
    assert.equal(fault.causes.length, 1);
  });
}

const REFUSED: readonly (readonly [what: string, line: string, reason: RegExp])[] = [
  ['half a line', '{"_type":"role","id":"x"', /JSON/],
  ['an array in a line', '[1]', /not a JSON object/],
  ['no id', '{"_type":"role"}', /id is missing/],
  ['a number as id', '{"_type":"role","id":7}', /id must be a string/],
  ['an unknown type', '{"_type":"person","id":"x"}', /_type/],
  [
    'a number that would be rounded',
    '{"_type":"role","id":"x","n":9007199254740993}',
    /lose digits/,
  ],
  ['a number beyond all', '{"_type":"role","id":"x","n":1e999}', /lose digits/],
  [
    'a number of a thousand digits',
    `{"_type":"role","id":"x","n":0.${'3'.repeat(1_000)}}`,
    /n is a number that would lose digits/,
  ],
  [
    'a name of more than 10,000 bytes',
    `{"_type":"role","id":"x","names":{"${'n'.repeat(10_001)}":1}}`,
    /names\.nn.*… is a name of more than 10000 bytes/,
  ],
  ['half of a surrogate pair', '{"_type":"role","id":"x","n":"\\ud800"}', /surrogate/],
  ['NUL', '{"_type":"role","id":"x","n":"\\u0000"}', /NUL/],
  ['a member twice', '{"_type":"role","id":"x","name":"a","name":"b"}', /name appears twice/],
  ['a date that is none', '{"_type":"role","id":"x","created":"yesterday"}', /created must be/],
  ['text as a number', '{"_type":"identity","id":"x","accessCount":"many"}', /accessCount must be/],
  [
    'text where objects belong',
    '{"_type":"identity","id":"x","accounts":["a"]}',
    /accounts must be/,
  ],
  [
    '65 levels',
    `{"_type":"role","id":"x","n":${'['.repeat(65)}${']'.repeat(65)}}`,
    /deeper than 64/,
  ],
];
for (const [what, line, reason] of REFUSED) {
  test(`${what} is refused by name and line, and its neighbours are kept`, async () => {
    const [before, after] = [role(`before ${what}`), role(`after ${what}`)];
    const report = await put(before, line, after);
    assert.deepEqual([report.created, report.failed], [2, 1]);
    assert.equal(report.faults[0]?.line, 2);
    assert.match(report.faults[0]?.reason ?? '', reason);
    assert.equal(await count(`name.exact:"after ${what}"`), 1);
    assert.equal((await service.call('GET', '/v2024/search/roles/x')).status, 404);
  });
}

test('bytes that are no UTF-8 are refused in their line', async () => {
  const bad = Buffer.from('{"_type":"role","id":"bytes","name":"\xff"}', 'latin1');
  const body = Buffer.concat([bad, Buffer.from(`\n${JSON.stringify(role('bytes-2'))}`)]);
  const report = (await (await post(body)).json()) as Report;
  assert.deepEqual([report.created, report.failed], [1, 1]);
  assert.match(report.faults[0]?.reason ?? '', /UTF-8/);
});

test('a document with 5,000 attribute names is refused by name, and its neighbours are found', async () => {
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, n]));
  const person = (id: string, attributes: object) => ({
    _type: 'identity',
    id,
    name: id,
    attributes,
  });
  const report = await put(
    person('narrow-1', { a: 1 }),
    person('wide', wide),
    person('narrow-2', { b: 1 }),
  );
  assert.deepEqual([report.created, report.failed], [2, 1]);
  assert.match(report.faults[0]?.reason ?? '', /5000 new field names.*limit of 2000/);
  assert.equal(await count('name:narrow*'), 2);
  assert.equal(await count('_exists_:attributes.key7'), 0);
});

test('attribute names that grow one by one stop at the limit, and the index goes on', async () => {
  const few = await startService({ CARDEA_MAX_DYNAMIC_FIELDS: '10' });
  try {
    const lines = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify({ _type: 'identity', id: `g${n}`, attributes: { [`grown${n}`]: 'x' } }),
    );
    const answer = await few.call('POST', '/admin/v1/documents?refresh=wait', lines.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    const report = (await answer.json()) as Report;
    assert.deepEqual([report.created, report.failed], [10, 20]);
    assert.match(report.faults[0]?.reason ?? '', /attributes\.grown10/);
    const again = await few.addDocuments([
      { _type: 'identity', id: 'late', attributes: { grown3: 'y' } },
    ]);
    assert.equal(again.created, 1);
    const query = { query: 'attributes.grown3:(x y)' };
    const response = await few.call('POST', '/v2024/search', { query });
    assert.equal(((await response.json()) as unknown[]).length, 2);
  } finally {
    await few.stop();
  }
});

test('an import may be far larger than a body, packed or not', async () => {
  const lines = Array.from({ length: 6_000 }, (_, n) =>
    JSON.stringify(role(`big-${n}`, { description: 'long '.repeat(80) })),
  );
  const text = lines.join('\n');
  assert.ok(text.length > 2 * 1024 * 1024);
  assert.equal(((await (await post(text)).json()) as Report).created, 6_000);
  const packed = await post(gzipSync(text), { 'content-encoding': 'gzip' });
  assert.equal(((await packed.json()) as Report).unchanged, 6_000);
  assert.equal(await count('description:long'), 6_000);
});

test('packed bytes that break off keep what came before and are refused', async () => {
  const packed = gzipSync(
    [role('cut-1'), role('cut-2')].map((line) => JSON.stringify(line)).join('\n'),
  );
  const answer = await post(packed.subarray(0, packed.length - 12), { 'content-encoding': 'gzip' });
  assert.equal(answer.status, 400);
  assert.equal((await post('not gzip', { 'content-encoding': 'gzip' })).status, 400);
  assert.equal((await fetch(`${service.url}/ready`)).status, 200);
});

test('what is deleted is gone from both, what is written anew is what is found', async () => {
  await put(role('gone', { description: 'firstword' }));
  await put(role('gone', { description: 'secondword' }));
  assert.deepEqual(
    [await count('description:firstword'), await count('description:secondword')],
    [0, 1],
  );
  const path = '/admin/v1/documents/roles/gone?refresh=wait';
  assert.equal((await service.call('DELETE', path)).status, 204);
  assert.equal((await service.call('DELETE', path)).status, 404);
  assert.equal(await count('description:secondword'), 0);
  assert.equal((await service.call('GET', '/v2024/search/roles/gone')).status, 404);
});

test('a change is found without being waited for', async () => {
  const path = '/admin/v1/documents';
  const ndjson = { 'content-type': 'application/x-ndjson' };
  await service.call(
    'POST',
    path,
    JSON.stringify(role('soon', { description: 'freshword' })),
    ndjson,
  );
  const until = performance.now() + 120_000;
  while ((await count('description:freshword')) === 0) {
    assert.ok(performance.now() < until, 'it is never found');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
