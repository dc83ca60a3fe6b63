import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditEvent } from './audit-event.ts';

test('an audit event has the shape of a document of the events index', () => {
  const document = auditEvent({
    id: 'e1',
    created: '2026-01-02T03:04:05.678Z',
    actor: 'mira.solano',
    target: 'acme',
    action: 'PatchAuthUser',
    operation: 'MODIFY',
    status: 'PASSED',
    attributes: { before: ['HELPDESK'], count: 2 },
    technicalName: 'AUTH_USER_MODIFY_PASSED',
  });
  assert.equal(document.index, 'events');
  assert.equal(document.id, 'e1');
  assert.equal(document.nested.length, 0);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(document.root)), {
    id: 'e1',
    created: '2026-01-02T03:04:05.678Z',
    synced: '2026-01-02T03:04:05.678Z',
    name: 'Modify Auth User Passed',
    type: 'SYSTEM_CONFIG',
    action: 'PatchAuthUser',
    objects: ['AUTH_USER'],
    operation: 'MODIFY',
    status: 'PASSED',
    technicalName: 'AUTH_USER_MODIFY_PASSED',
    actor: { name: 'mira.solano' },
    target: { name: 'acme' },
    trackingNumber: 'e1',
    stack: 'cardea',
    attributes: { before: ['HELPDESK'], count: 2 },
  });
});
