import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLines, operationText, type UserChange } from './change-lines.ts';

const change = (parts: Partial<UserChange>): UserChange => ({
  ...{ id: 'e', created: '2026-01-01T00:00:00.000Z', operation: 'MODIFY' },
  ...{ actor: { name: 'ada', id: null }, capabilities: null, before: null, after: null },
  ...parts,
});
const capabilities = (before: string[], after: string[]) => ({
  ...{ before, after },
  granted: after.filter((name) => !before.includes(name)),
  revoked: before.filter((name) => !after.includes(name)),
});

test('shows the capabilities before and after a change', () => {
  const granted = change({ capabilities: capabilities(['A'], ['A', 'B']) });
  assert.deepEqual(changeLines(granted), [{ label: 'capabilities', before: 'A', after: 'A, B' }]);
  const revoked = change({ capabilities: capabilities(['A'], []) });
  assert.deepEqual(changeLines(revoked), [{ label: 'capabilities', before: 'A', after: 'none' }]);
  assert.equal(operationText(granted), 'Capabilities changed');
});

test('shows other members, and none that stayed equal', () => {
  const disabled = change({
    operation: 'DISABLE',
    before: { enabled: true, tokensValidFrom: null, email: 'a@x' },
    after: { enabled: false, tokensValidFrom: '2026', email: 'a@x' },
  });
  assert.deepEqual(changeLines(disabled), [
    { label: 'enabled', before: 'true', after: 'false' },
    { label: 'tokensValidFrom', before: 'none', after: '2026' },
  ]);
  assert.equal(operationText(disabled), 'Disabled');
});

test('shows a creation as a change from nothing, and an unknown operation as it is', () => {
  const created = change({
    ...{ operation: 'CREATE', after: { name: 'Ada' } },
    capabilities: capabilities([], ['A']),
  });
  assert.deepEqual(changeLines(created), [
    { label: 'capabilities', before: 'none', after: 'A' },
    { label: 'name', before: 'none', after: 'Ada' },
  ]);
  assert.equal(operationText(created), 'Created');
  assert.equal(operationText(change({ operation: 'constructor' })), 'constructor');
});
