import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditEvent, changeAttributes } from './audit-event.ts';

test('an audit event has the shape of a document of the events index', () => {
  const document = auditEvent({
    id: 'e1',
    created: '2026-01-02T03:04:05.678Z',
    actor: { name: 'mira.solano', id: 'm1', origin: { address: '10.0.0.7', requestId: 'r1' } },
    target: 'acme',
    act: 'AUTH_USER_PATCH',
    attributes: { before: ['HELPDESK'], count: 2 },
  });
  assert.equal(document.index, 'events');
  assert.equal(document.id, 'e1');
  assert.equal(document.nested.length, 0);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(document.root)), {
    id: 'e1',
    created: '2026-01-02T03:04:05.678Z',
    synced: '2026-01-02T03:04:05.678Z',
    name: 'Modify Auth User Passed',
    type: 'USER_MANAGEMENT',
    action: 'CAPABILITY_UPDATE_EVENT',
    objects: ['AUTH_USER'],
    operation: 'MODIFY',
    status: 'PASSED',
    technicalName: 'AUTH_USER_MODIFY_PASSED',
    actor: { name: 'mira.solano' },
    target: { name: 'acme' },
    trackingNumber: 'e1',
    stack: 'cardea',
    attributes: {
      actorId: 'm1',
      before: ['HELPDESK'],
      count: 2,
      remoteAddress: '10.0.0.7',
      requestId: 'r1',
    },
  });
});

test('the attributes of a change give the changed members, before and after', () => {
  const before = { name: 'ci', scope: ['a'], ends: null };
  assert.deepEqual(changeAttributes(before, { ...before, scope: ['a', 'b'] }), {
    ...{ changed: ['scope'], before: '{"scope":["a"]}', after: '{"scope":["a","b"]}' },
  });
  assert.deepEqual(changeAttributes(null, { name: 'ci' }), {
    ...{ changed: ['name'], after: '{"name":"ci"}' },
  });
  assert.deepEqual(changeAttributes({ name: 'ci' }, null), {
    ...{ changed: ['name'], before: '{"name":"ci"}' },
  });
});
