// suite: slow
// Every tool of an assistant with the token of somebody whom a view restricts: each answers as over a tenant that holds only what the
// view shows. A new tool needs calls here.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { TOOLS } from '../../src/mcp/tools.ts';
import { addUser, tokenOf } from '../support/callers.ts';
import { CARDEA } from '../support/program.ts';
import { addServedTenant, type RunningService, startService } from '../support/service.ts';

const VIEW = {
  name: 'assistant',
  indices: { identities: 'attributes.department:Sales', roles: 'NOT name:admin*' },
  hide: ['phone', 'modified', 'attributes.salary', 'accounts'],
};

type Json = Record<string, unknown>;

const person = (id: string, department: string, attributes: Json): Json => ({
  ...{ _type: 'identity', id, name: id, displayName: `Person ${id}` },
  attributes: { department, ...attributes },
});
const SHOWN: readonly Json[] = [
  person('ann', 'Sales', { city: 'Graz' }),
  person('bob', 'Sales', { city: 'Linz' }),
  { _type: 'role', id: 'r-1', name: 'clerk' },
];
const WHOLE: readonly Json[] = [
  ...SHOWN.map((document) => ({
    ...document,
    ...(document['_type'] === 'identity' && {
      phone: '+43 secret',
      attributes: { ...(document['attributes'] as Json), salary: 4711 },
      accounts: [{ id: `a-${document['id']}`, name: 'secret account', source: { name: 'HR' } }],
    }),
  })),
  person('eve', 'Payroll', { city: 'Wien', clearance: 'secret' }),
  { _type: 'role', id: 'r-2', name: 'administrator', description: 'secret' },
  { _type: 'entitlement', id: 'e-1', name: 'secret right' },
];

/** Calls of each tool. */
const CALLS: Readonly<Record<string, readonly Json[]>> = {
  search: [
    { query: '*', indices: ['identities', 'roles', 'entitlements'], sort: ['id'] },
    { query: 'secret OR wien OR 4711', sort: ['id'] },
    { query: 'phone:43', sort: ['id'] },
    { query: 'attributes.clearence:secret', sort: ['id'] },
    { query: '*', fields: ['id', 'phone', 'attributes', 'accounts'], sort: ['id'] },
    { query: '*', fields: ['id', 'attributes.clearence', 'accessCount'], sort: ['id'] },
    { query: '*', sort: ['attributes.salary'] },
  ],
  rows: [
    { query: '*', rows: 'documents', columns: ['id', 'attributes.city'] },
    { query: '*', rows: 'documents', columns: ['id', 'phone'] },
    { query: '*', rows: 'accounts', columns: ['id', '@accounts.name'] },
  ],
  count: [{ query: '*' }, { query: 'eve' }, { query: 'attributes.salary:4711' }],
  aggregate: [
    { query: '*', groupBy: ['attributes.city'] },
    { query: '*', groupBy: ['attributes.salary', 'accounts.source.name'] },
    {
      query: 'bob',
      aggregations: { all: { terms: { field: 'attributes.city', min_doc_count: 0 } } },
    },
  ],
  get: ['ann', 'eve', 'nobody'].map((id) => ({ index: 'identities', id })),
  explain: [
    { query: 'ann' },
    { query: 'name:ann AND phone:43', id: 'ann' },
    { query: '*', id: 'eve' },
    { query: '*', id: 'nobody' },
  ],
  fields: ['identities', 'roles', 'entitlements'].map((index) => ({ index })),
};

let service: RunningService;
let whole: Client;
/** With the same token, over standard input and output. */
const separate = new Client({ name: 'test', version: '1.0.0' });
let twin: Client;

before(async () => {
  service = await startService({ CARDEA_MCP: 'on' });
  await service.addDocuments(WHOLE);
  const other = await addServedTenant(service, 'twin');
  await other.addDocuments(SHOWN);
  const made = await service.call('POST', '/admin/v1/views', VIEW);
  assert.equal(made.status, 201, await made.text());
  const party = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: ['sp:scopes:all'] });
  const path = `/admin/v1/auth-users/${party.userId}`;
  assert.equal((await service.call('PATCH', path, { view: VIEW.name })).status, 200);
  const token = await tokenOf(service.url, party);
  whole = await connected(token);
  await separate.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CARDEA, 'mcp', '--server', service.url],
      env: { SAIL_ACCESS_TOKEN: token },
      stderr: 'inherit',
    }),
    { timeout: 60_000 },
  );
  twin = await connected(await other.token());
});
after(async () => {
  await whole.close();
  await separate.close();
  await twin.close();
  await service.stop();
});

async function connected(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const url = new URL('/mcp', service.url);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport,
  );
  return client;
}

/** What a call answers, without times and the name of the tenant. */
async function told(client: Client, name: string, values: Json): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: values });
  const [first] = content as { readonly text: string }[];
  const text = (first?.text ?? '')
    .replaceAll(/"(synced|modified|created)":"[^"]*"/g, '"time"')
    .replaceAll(/"milliseconds":\{[^}]*\}/g, '"milliseconds"')
    .replaceAll(/^(synced|modified|created): .*\n/gm, '')
    // Every tenant has the static fields; those that the view hides are not among them.
    .replaceAll(/"freeWords":.*?"weights":/g, '"freeWords":')
    .replaceAll('"org":"test"', '"org":"twin"')
    .replace('"test"', '"twin"');
  return `${isError === true} ${text}`;
}

test('each tool has calls', () => {
  assert.deepEqual(TOOLS.map(({ name }) => name).sort(), Object.keys(CALLS).sort());
});

for (const [name, calls] of Object.entries(CALLS)) {
  test(`${name} tells what the view shows`, async () => {
    for (const values of calls) {
      const actual = await told(whole, name, values);
      assert.doesNotMatch(actual, /\+43|secret account|administrator/);
      const hidden = VIEW.hide.some((field) => JSON.stringify(values).includes(field));
      // A static field is mapped in any tenant; the view hides its name, too.
      if (!hidden && name !== 'fields') {
        assert.equal(actual, await told(twin, name, values), JSON.stringify(values));
      }
    }
  });
}

test('the fields of a view are those of what it shows, also for a program of its own', async () => {
  const text = await told(whole, 'fields', { index: 'identities' });
  assert.equal(await told(separate, 'fields', { index: 'identities' }), text);
  assert.match(text, /^false \d+ fields of identities, which has 2 documents; .* from 2 of them/);
  assert.match(text, /\nattributes\.city: text, such as "Graz", "Linz"/);
  for (const name of [...VIEW.hide, 'attributes.clearance']) {
    assert.doesNotMatch(text, new RegExp(`^${name.replace('.', '\\.')}[.:]`, 'm'), name);
  }
});

test('of an index that the view does not show, there are no fields', async () => {
  const text = await told(whole, 'fields', { index: 'entitlements' });
  assert.match(text, /^false No document of entitlements exists, or a view hides all of them/);
  for (const client of [separate, twin]) {
    assert.equal(await told(client, 'fields', { index: 'entitlements' }), text);
  }
});

test('an explanation lists no hidden field among those of free words', async () => {
  const { content } = await whole.callTool({ name: 'explain', arguments: { query: 'ann' } });
  const { freeWords } = JSON.parse((content as { readonly text: string }[])[0]?.text ?? '');
  const { words, values } = freeWords.identities;
  assert.ok(words.includes('attributes.city'), String(words));
  for (const field of [...words, ...values]) {
    assert.doesNotMatch(field, /^(phone|accounts|attributes\.clearance)/);
  }
});

test('the name of a hidden field is unknown to each tool', async () => {
  const ask = (field: string): readonly (readonly [string, Json])[] => [
    ['search', { query: `${field}:43`, sort: ['id'] }],
    ['search', { query: '*', sort: [field] }],
    ['search', { query: '*', fields: ['id', field], sort: ['id'] }],
    ['rows', { query: '*', rows: 'documents', columns: ['id', field] }],
    ['count', { query: `_exists_:${field}` }],
    ['aggregate', { query: '*', groupBy: [field] }],
    ['explain', { query: `${field}:43` }],
  ];
  const random = ask('phqne');
  for (const [at, [name, values]] of ask('phone').entries()) {
    const [, other] = random[at] ?? [];
    const expected = await told(whole, name, other ?? {});
    assert.equal((await told(whole, name, values)).replaceAll('phone', 'phqne'), expected, name);
  }
});
