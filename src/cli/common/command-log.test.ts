import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLog } from './command-log.ts';
import { Terminal } from './terminal.ts';

/** What a log prints. */
function printed(write: (log: ReturnType<typeof commandLog>) => void, logLevel = 'info' as const) {
  let err = '';
  const terminal = new Terminal(
    { write: () => assert.fail('a log is no result') },
    { write: (text) => (err += text) },
    Date.now,
  );
  write(commandLog({ logLevel }, terminal));
  return err;
}

test('a warning is a sentence with its reason and its details', () => {
  const err = Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  assert.equal(
    printed((log) => log.warn({ err, index: 'roles' }, 'Merging failed')),
    'warning: Merging failed: the disk is full (index "roles")\n',
  );
  assert.equal(
    printed((log) => log.warn({ reason: 'no answer', causes: ['no answer in time'] }, 'It waits')),
    'warning: It waits: no answer in time\n',
  );
  assert.equal(
    printed((log) => log.info('unasked')),
    '',
  );
});

test('a defect has its stack, and nothing is obeyed by a terminal', () => {
  const text = printed((log) => log.error({ err: new Error('a\u001b[31m\nb') }, 'request failed'));
  const [first = '', second = ''] = text.split('\n');
  assert.equal(first, 'error: request failed: a\\u001b[31m\\u000ab');
  assert.match(second, /^ {4}at .*command-log\.test/);
});
