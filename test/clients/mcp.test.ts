// The client of the official SDK, unmodified, over both transports of the Model Context Protocol:
// every tool, refused calls, bounded answers, and the rights of the caller.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { demoDocuments } from '../../src/demo/documents.ts';
import { addUser } from '../support/callers.ts';
import { CARDEA } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';

const COMPANY = { seed: 1, identities: 50, now: Date.parse('2025-06-30T00:00:00Z') };
const TIMEOUT_MS = 60_000;

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_MCP: 'on', CARDEA_CORS_ORIGINS: 'https://ai.example' });
  await service.addDocuments([...demoDocuments(COMPANY)]);
});
after(() => service.stop());

/** The transports, as a client would open them. */
const TRANSPORTS: Readonly<Record<string, () => Promise<Transport>>> = {
  async http() {
    const headers = { authorization: `Bearer ${await service.token()}` };
    const url = new URL('/mcp', service.url);
    return new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport;
  },
  stdio: async () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [CARDEA, 'mcp', '--server', service.url],
      env: { SAIL_CLIENT_ID: service.clientId, SAIL_CLIENT_SECRET: service.clientSecret },
      stderr: 'inherit',
    }),
};

type Bucket = { readonly key: string };
type Called = { readonly text: string; readonly isError: boolean };

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(`an assistant over ${name}`, () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    before(async () => client.connect(await open(), { timeout: TIMEOUT_MS }));
    after(() => client.close());

    const call = async (tool: string, values: Record<string, unknown>): Promise<Called> => {
      const request = { name: tool, arguments: values };
      const result = await client.callTool(request, undefined, { timeout: TIMEOUT_MS });
      const [content] = result.content as { type: string; text: string }[];
      return { text: content?.text ?? '', isError: result.isError === true };
    };
    const answer = async (tool: string, values: Record<string, unknown>) => {
      const { text, isError } = await call(tool, values);
      assert.equal(isError, false, text);
      return JSON.parse(text) as Record<string, unknown> & { total: number; rows: object[] };
    };

    test('lists tools that only read, and how to use them', async () => {
      const { tools } = await client.listTools();
      const names = tools.map((tool) => tool.name);
      assert.deepEqual(names, ['search', 'rows', 'count', 'aggregate', 'get', 'explain', 'fields']);
      for (const tool of tools) assert.equal(tool.annotations?.readOnlyHint, true);
      assert.match(client.getInstructions() ?? '', /Call fields first/);
      assert.equal(client.getServerVersion()?.name, 'cardea');
    });

    test('lists elements with columns of their documents', async () => {
      const query = 'inactive:false AND @accounts(source.name:"Active Directory")';
      const columns = ['displayName', '@accounts.source.name'];
      const { total, rows } = await answer('rows', { query, rows: 'accounts', columns, limit: 3 });
      assert.ok(total > 3, String(total));
      assert.equal(rows.length, 3);
      for (const row of rows as Record<string, string>[]) {
        assert.deepEqual(Object.keys(row), ['displayName', 'accounts.source.name']);
        assert.equal(row['accounts.source.name'], 'Active Directory');
      }
      const wrong = await call('rows', { query, rows: 'acounts' });
      assert.equal(wrong.isError, true);
      assert.match(wrong.text, /accounts/);
    });

    test('searches and counts', async () => {
      const { total, rows } = await answer('search', {
        query: 'inactive:false',
        fields: ['displayName'],
        sort: ['displayName'],
        limit: 3,
      });
      const names = (rows as { displayName: string }[]).map(({ displayName }) => displayName);
      assert.equal(names.length, 3);
      assert.deepEqual(names, [...names].sort());
      assert.equal((await answer('count', { query: 'inactive:false' })).total, total);
      const via = '@access(via.role:* AND source.name:Payroll)';
      assert.ok((await answer('count', { query: via })).total > 0);
      const { rows: whole } = await answer('search', { query: '*', limit: 1 });
      assert.equal('access' in (whole[0] ?? {}), false);
    });

    test('warns of members that no index has, unlike those that no document has', async () => {
      const asked: readonly (readonly [fields: string[], warnings: RegExp | undefined])[] = [
        [['id', 'phon'], /a field "phon"; did you mean "phone"\?$/],
        [['attributes.departmant'], /"attributes\.departmant"; did you mean "attributes\.dep/],
        [['id', 'type', '_type', 'attributes', 'accounts.source.name', 'manager'], undefined],
      ];
      for (const [fields, expected] of asked) {
        const { warnings } = await answer('search', { query: '*', fields, limit: 2 });
        if (expected === undefined) assert.equal(warnings, undefined);
        else assert.match(String(warnings), expected);
      }
    });

    test('groups, and runs aggregations of the DSL', async () => {
      const field = 'attributes.department';
      const grouped = await answer('aggregate', { query: '*', groupBy: [field, 'inactive'] });
      const { buckets } = (grouped['aggregations'] as Record<string, { buckets: object[] }>)[
        field
      ] as { buckets: { doc_count: number; inactive: { buckets: object[] } }[] };
      assert.ok(buckets.length > 3);
      assert.ok((buckets[0]?.inactive.buckets.length ?? 0) > 0);
      const aggregations = { most: { max: { field: 'accountCount' } } };
      const { aggregations: result } = await answer('aggregate', { query: '*', aggregations });
      assert.ok((result as { most: { value: number } }).most.value > 1);
    });

    test('counts identities by the sources of their accounts', async () => {
      const field = 'accounts.source.name';
      const grouped = await answer('aggregate', { query: '*', groupBy: [field], size: 200 });
      const { [field]: terms } = grouped['aggregations'] as Record<string, { buckets: Bucket[] }>;
      const listed = await service.call('GET', '/v2026/sources');
      const names = ((await listed.json()) as { name: string }[]).map((source) => source.name);
      assert.ok((terms?.buckets.length ?? 0) > 10);
      for (const { key } of terms?.buckets ?? []) assert.ok(names.includes(key), key);
    });

    test('reads and explains a document', async () => {
      const { rows } = await answer('search', { query: '*', fields: ['id', 'name'], limit: 1 });
      const [{ id, name: login }] = rows as unknown as [{ id: string; name: string }];
      const document = await answer('get', { index: 'identities', id });
      assert.equal(document['name'], login);
      assert.ok('access' in document);
      const explained = await answer('explain', { query: `name:"${login}"`, id });
      assert.equal((explained['document'] as { matched: boolean }).matched, true);
    });

    test('lists fields with types and examples', async () => {
      const { text } = await call('fields', { index: 'identities' });
      assert.match(text, /^\d+ fields of identities, which has 50 documents/);
      assert.match(text, /\nattributes\.department: text, such as "/);
      assert.match(text, /\naccounts\.source\.name: text in @accounts\(…\), such as "/);
      const { text: part } = await call('fields', { index: 'events', contains: 'ACTOR.n' });
      assert.match(part, /^1 fields of events.*\nactor\.name: text, such as ".*"$/);
    });

    test('returns refused queries so that they can be mended', async () => {
      const cases: readonly [string, Record<string, unknown>, RegExp][] = [
        ['search', { query: 'name:(ada' }, /offset 9: .* expected \) .*\nname:\(ada\n {9}\^/],
        ['search', { query: 'created:soon' }, /offset 8/],
        ['search', { qery: 'x' }, /no argument "qery"; did you mean query\?/],
        ['search', { query: ' ' }, /query must be a string that is not blank/],
        ['search', { query: '*', limit: 51 }, /limit must be a whole number from 1 to 50/],
        ['search', { query: '*', fields: [1] }, /fields must be an array of strings/],
        ['search', { query: '*', sort: ['nope'] }, /sort\[0\]/],
        ['count', { query: '*', indices: ['people'] }, /indices\[0\].*is none of/],
        ['aggregate', { query: '*' }, /groupBy must name 1 to 3 fields/],
        ['aggregate', { query: '*', aggregations: { a: { nope: {} } } }, /nope/],
        ['get', { index: 'identities', id: 'unknown' }, /id "unknown"/],
        ['fields', { index: 'people' }, /index must be one of/],
        ['delete', { id: '1' }, /There is no tool "delete"; there are search/],
      ];
      for (const [tool, values, message] of cases) {
        const { text, isError } = await call(tool, values);
        assert.equal(isError, true, `${tool} ${JSON.stringify(values)}`);
        assert.match(text, message);
      }
    });

    test('warns of unknown fields with the nearest known one', async () => {
      const { warnings, total } = await answer('count', { query: 'attributes.departmnt:Sales' });
      assert.equal(total, 0);
      assert.match(String(warnings), /did you mean "attributes\.department"\?/);
    });

    test('cuts large answers and says how to continue', async () => {
      const fields = ['displayName', 'access', 'accounts', 'attributes', 'apps'];
      const text = (await call('search', { query: '*', fields, limit: 50 })).text;
      assert.ok(Buffer.byteLength(text) <= 48 * 1024);
      const { rows, note } = JSON.parse(text) as { rows: object[]; note: string };
      assert.ok(rows.length > 0 && rows.length < 50);
      assert.match(note, new RegExp(`continue with offset ${rows.length}\\.`));
    });
  });
}

describe('/mcp', () => {
  const headers = { accept: 'application/json, text/event-stream' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  test('answers one message and keeps no session', async () => {
    const answer = await service.call('POST', '/mcp', list, headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('mcp-session-id'), null);
    const { result } = (await answer.json()) as { result: { tools: object[] } };
    assert.equal(result.tools.length, 7);
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    assert.equal((await service.call('POST', '/mcp', note, headers)).status, 202);
    assert.equal((await service.call('GET', '/mcp')).status, 405);
  });

  test('refuses batches, other media types and pages of other sites', async () => {
    assert.equal((await service.call('POST', '/mcp', [list, list], headers)).status, 400);
    const json = { accept: 'application/json' };
    assert.equal((await service.call('POST', '/mcp', list, json)).status, 406);
    const origins: readonly [string, number][] = [
      ['https://evil.example', 403],
      [new URL(service.url).origin.replace('127.0.0.1', 'rebound.example'), 403],
      ['null', 403],
      ['https://ai.example', 200],
      ['http://localhost:6274', 200],
    ];
    for (const [origin, status] of origins) {
      const answer = await service.call('POST', '/mcp', list, { ...headers, origin });
      assert.equal(answer.status, status, origin);
    }
  });

  test('needs a token with the right to search', async () => {
    const body = JSON.stringify(list);
    const sent = {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    };
    const anonymous = await fetch(`${service.url}/mcp`, sent);
    assert.equal(anonymous.status, 401);
    assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Bearer/);
    const helper = await addUser(service, { capabilities: ['HELPDESK'] });
    assert.equal((await helper.call('POST', '/mcp', list, headers)).status, 403);
    const auditor = await addUser(service, {
      capabilities: ['REPORT_ADMIN'],
      scope: ['sp:search:read'],
    });
    assert.equal((await auditor.call('POST', '/mcp', list, headers)).status, 200);
  });

  test('counts for the rate limit of its caller', async () => {
    const limited = await startService({ CARDEA_MCP: 'on', CARDEA_RATE_LIMIT: '3/600' });
    try {
      const statuses = [];
      for (let n = 0; n < 4; n++) {
        statuses.push((await limited.call('POST', '/mcp', list, headers)).status);
      }
      assert.equal(statuses[0], 200);
      assert.equal(statuses.at(-1), 429);
    } finally {
      await limited.stop();
    }
  });

  test('is off unless it is switched on', async () => {
    const other = await startService();
    try {
      const answer = await other.call('POST', '/mcp', list, headers);
      assert.equal(answer.status, 404);
      assert.match(await answer.text(), /CARDEA_MCP/);
    } finally {
      await other.stop();
    }
  });
});
