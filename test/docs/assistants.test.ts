// docs/assistants.md lists the tools, arguments and bounds as they are. shell-pages.test.ts runs its commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TOOL_BYTES_MAX } from '../../src/mcp/bounded-answer.ts';
import { TOOLS } from '../../src/mcp/tools.ts';

const page = readFileSync('docs/assistants.md', 'utf8');

test('the configuration of the page is JSON with a command of this package', () => {
  const [, json = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { mcpServers } = JSON.parse(json) as {
    mcpServers: { cardea: { command: string; args: string[] } };
  };
  assert.equal(mcpServers.cardea.command, 'cardea');
  assert.deepEqual(mcpServers.cardea.args.slice(0, 2), ['mcp', '--server']);
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
