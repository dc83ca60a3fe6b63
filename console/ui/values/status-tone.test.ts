import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStatusField, toneOf } from './status-tone.ts';

const CASES = {
  good: ['ACTIVE', 'Passed', 'Complete', 'enabled'],
  warn: ['DISABLED', 'leave', 'On Leave', 'INACTIVE_SHORT_TERM'],
  bad: ['FAILED', 'terminated', 'Rejected', 'INACTIVE_LONG_TERM'],
  info: ['PENDING', 'IN_PROGRESS', 'prehire'],
  plain: ['', 'Constructor', '__proto__', 'Dublin'],
};

for (const [tone, words] of Object.entries(CASES)) {
  test(`gives ${words.join(', ')} the tone ${tone}`, () => {
    for (const word of words) assert.equal(toneOf(word), tone, word);
  });
}

test('tells status fields by the last part of their path', () => {
  assert.ok(isStatusField('status'));
  assert.ok(isStatusField('attributes.cloudLifecycleState'));
  assert.ok(!isStatusField('attributes.department'));
});
