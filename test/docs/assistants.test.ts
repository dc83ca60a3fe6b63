// docs/assistants.md names the tools and bounds as they are. shell-pages.test.ts runs its commands.
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

test('the page names every tool, and the bounds', () => {
  const [, section = ''] = page.split('\n## What it can do\n');
  for (const { name } of TOOLS) assert.ok(section.includes(`\`${name}\``), name);
  assert.ok(page.includes(`${TOOL_BYTES_MAX / 1024} KiB`));
  assert.ok(JSON.stringify(TOOLS).includes('"maximum":50'));
});
