// The help of every command, as files that are reviewed like code; UPDATE_GOLDEN=1 writes them anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { commandLine } from '../support/command-line.ts';

const COMMANDS = [
  '',
  'serve',
  'demo',
  'start',
  'import',
  'mirror',
  'export',
  'reindex',
  'tenant',
  'tenant create',
  'user',
  'user list',
  'user show',
  'user disable',
  'user enable',
  'user sign-out',
  'user delete',
  'mcp',
  'pat',
  'pat create',
  'client',
  'client create',
  'client list',
  'client delete',
  'api-key',
  'api-key create',
  'api-key list',
  'api-key delete',
  'keys',
  'keys list',
  'keys rotate',
  'keys reseal',
  'audit',
  'audit verify',
  'backup',
  'restore',
  'doctor',
  'health',
  'migrate-store',
];

for (const command of COMMANDS) {
  test(`cardea ${command} --help reads as reviewed`, async () => {
    const words = command === '' ? [] : command.split(' ');
    const line = commandLine([...words, '--help']);
    assert.equal(await line.ended, 0);
    const file = `test/golden/help/${['cardea', ...words].join('-')}.txt`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, line.out());
    assert.equal(line.out(), readFileSync(file, 'utf8'));
  });
}
