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
  'search',
  'import',
  'mirror',
  'export',
  'reindex',
  'tenant',
  'tenant create',
  'tenant list',
  'user',
  'user list',
  'user show',
  'user create',
  'user grant',
  'user revoke',
  'user disable',
  'user enable',
  'user sign-out',
  'user delete',
  'mcp',
  'pat',
  'pat create',
  'pat list',
  'pat delete',
  'field',
  'field list',
  'field set',
  'view',
  'view create',
  'view replace',
  'view list',
  'view show',
  'view test',
  'view assign',
  'view delete',
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
  'certificate',
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

test('the examples use commands and flags that exist', () => {
  const helpOf = (path: string) => {
    const file = `test/golden/help/${['cardea', ...path.split(' ').filter(Boolean)].join('-')}.txt`;
    return readFileSync(file, 'utf8');
  };
  for (const path of COMMANDS) {
    const [, examples] = helpOf(path).split('\nExamples:\n');
    assert.ok(examples !== undefined, `${path} has no example`);
    for (const [, line = ''] of examples.matchAll(/\bcardea ((?:[^\n]|\\\n)*)/g)) {
      const words = line.split(/[\s)]+/);
      const name = words.slice(0, 2).join(' ');
      const command = COMMANDS.includes(name) ? name : (words[0] ?? '');
      assert.ok(COMMANDS.includes(command), `cardea ${line}`);
      for (const [flag] of line.matchAll(/(?<=\s)--[a-z-]+/g)) {
        assert.match(helpOf(command), new RegExp(`${flag}\\b`), `cardea ${line}`);
      }
    }
  }
});
