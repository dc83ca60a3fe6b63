// docs/assistants.md: its commands run, and it lists the tools, arguments and bounds as they are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { TOOL_BYTES_MAX } from '../../src/mcp/bounded-answer.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { commandLine } from '../support/command-line.ts';
import { documented } from '../support/documented.ts';
import { type RunningService, startService } from '../support/service.ts';
import { curlExamplesOf } from './curl-examples.ts';

const page = readFileSync('docs/assistants.md', 'utf8');

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_MCP: 'on' });
});
after(() => service.stop());

test('the request of the page is answered', async () => {
  const token = await service.token();
  const [example, ...others] = curlExamplesOf(page.replaceAll('$SAIL_BASE_URL', '$URL'));
  assert.ok(example);
  assert.equal(others.length, 0);
  const { method, path, body = '', claims } = example;
  const headers = Object.entries(example.headers).map(([name, value]): [string, string] => [
    name,
    value.replaceAll('$TOKEN', token),
  ]);
  const answer = await fetch(service.url + path, { method, headers, body });
  await documented(method, path, answer);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.ok(claims.length > 0);
  for (const claim of claims) assert.ok(text.includes(claim), text);
});

test('the command of the page creates a token that can only search', async () => {
  const [, command = ''] = /^npx cardea (pat create .*)$/m.exec(page) ?? [];
  const words = command.replace('USER', 'test.admin').split(' ');
  const line = commandLine([...words, '--data-dir', service.dataDir]);
  assert.equal(await line.ended, 0, line.err());
});

test('the configuration of the page is JSON with a command of this package', () => {
  const [, json = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { mcpServers } = JSON.parse(json) as { mcpServers: { cardea: { args: string[] } } };
  assert.deepEqual(mcpServers.cardea.args.slice(0, 3), ['cardea', 'mcp', '--server']);
});

test('the page lists every tool with its arguments, and the bounds', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    TOOLS.map(({ name }) => name),
  );
  for (const [at, { properties }] of TOOLS.entries()) {
    const listed = [...(rows[at]?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(listed.sort(), Object.keys(properties).sort());
  }
  assert.ok(page.includes(`${TOOL_BYTES_MAX / 1024} KiB`));
  assert.ok(JSON.stringify(TOOLS).includes('"maximum":50'));
});
